/* Documents: sends files with their progress, and keeps the list fresh while anything is being worked on. */
(() => {
  const INTERVAL = 1500;
  const list = () => document.getElementById("documents") ?? document.getElementById("document");
  let timer = 0;
  let unsent = 0;

  const inFlight = () => Number(list()?.dataset.inFlight ?? 0) > 0;

  function freshAddress() {
    const address = new URL(location.href);
    if (list().id === "documents") address.searchParams.set("part", "list");
    address.hash = "";
    return address;
  }

  /* Replaces only what changed, so that focus and hover stay where they are. */
  function merge(old, fresh) {
    const rows = old.querySelector("[data-rows]");
    const incoming = fresh.querySelector("[data-rows]");
    if (!rows || !rows.children.length || !incoming.children.length) return old.replaceWith(fresh);
    old.dataset.inFlight = fresh.dataset.inFlight;
    for (const id of ["#document-states", "#site-imports"]) swap(old.querySelector(id), fresh.querySelector(id));
    const known = new Map([...rows.children].map((row) => [row.id, row]));
    for (const [at, row] of [...incoming.children].entries()) {
      let mine = known.get(row.id);
      known.delete(row.id);
      if (!mine || mine.dataset.stamp !== row.dataset.stamp) {
        const pick = row.querySelector("[data-pick]");
        if (pick) pick.checked = mine?.querySelector("[data-pick]")?.checked ?? false;
        mine?.remove();
        mine = row;
      }
      if (rows.children[at] !== mine) rows.insertBefore(mine, rows.children[at] ?? null);
    }
    for (const gone of known.values()) gone.remove();
    follow();
  }

  /* The lines of what was just sent say how it went on. */
  function follow() {
    for (const item of document.querySelectorAll("[data-sending] [data-document]")) {
      const { state, reason } = document.getElementById(`document-${item.dataset.document}`)?.dataset ?? {};
      if (state !== "indexed" && state !== "failed") continue;
      item.className = state === "indexed" ? "is-done" : "is-refused";
      const note = state === "indexed" ? "Searchable now." : reason;
      item.querySelector(".note").textContent = `${item.dataset.what} ${note}`.trim();
    }
  }

  function swap(old, fresh) {
    if (old && fresh && old.dataset.stamp !== fresh.dataset.stamp) old.replaceWith(fresh);
  }

  async function refresh() {
    clearTimeout(timer);
    try {
      const response = await fetch(freshAddress(), { headers: { "X-Requested-With": "fetch" } });
      if (response.ok && !response.redirected) await show(await response.text());
    } catch {
      /* offline for a moment: the next round tries again */
    }
    schedule();
  }

  async function show(html) {
    const page = new DOMParser().parseFromString(html, "text/html");
    const fresh = page.getElementById(list().id);
    if (!fresh) return;
    if (list().id === "documents") merge(list(), fresh);
    else if (fresh.dataset.inFlight !== list().dataset.inFlight) location.reload();
    else list().firstElementChild.replaceWith(fresh.firstElementChild); /* an open form beside it stays open */
  }

  function schedule() {
    clearTimeout(timer);
    if (inFlight()) timer = setTimeout(() => (document.hidden ? schedule() : refresh()), INTERVAL);
  }

  function element(tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text) made.textContent = text;
    return made;
  }

  function line(file) {
    const item = element("li");
    const bar = element("progress");
    bar.max = 100;
    bar.value = 0;
    bar.setAttribute("aria-label", `Sending ${file.name}`);
    const note = element("span", "note", "Sending…");
    item.append(element("strong", "", file.name), bar, note);
    document.querySelector("[data-sending]").append(item);
    return { item, bar, note };
  }

  function settle({ item, bar, note }, { ok, message, document_id: id, what }) {
    bar.remove();
    if (ok && id) item.dataset.document = id;
    item.dataset.what = what ?? "";
    item.className = ok ? "is-done" : "is-refused";
    note.textContent = message;
  }

  function answerOf(request) {
    const body = request.response ?? {};
    if (body.files?.length) return body.files[0];
    return { ok: false, message: body.error?.message ?? "The file could not be sent. Please try again." };
  }

  function send(form, choices, file) {
    const shown = line(file);
    const data = new FormData();
    for (const [name, value] of choices) if (name !== "files") data.append(name, value);
    data.append("files", file);
    return new Promise((done) => {
      const request = new XMLHttpRequest();
      request.open("POST", form.action);
      request.responseType = "json";
      request.setRequestHeader("Accept", "application/json");
      request.upload.onprogress = (event) => {
        if (event.lengthComputable) shown.bar.value = (100 * event.loaded) / event.total;
      };
      request.onloadend = () => {
        settle(shown, answerOf(request));
        done();
      };
      request.send(data);
    });
  }

  /* One after the other: the first of many is searchable while the last is still on its way. */
  async function sendAll(form, files) {
    const button = form.querySelector("[data-send]");
    /* As chosen now: what is changed in the form while these are sent is for the next ones. */
    const choices = new FormData(form);
    unsent += files.length;
    button.disabled = true;
    for (const file of files) {
      remaining();
      await send(form, choices, file);
      unsent -= 1;
      remaining();
      await refresh();
    }
    if (unsent) return;
    form.querySelector("[name=open_restricted]").checked = false;
    form.querySelector("[data-files]").value = "";
    chosen(form);
    button.disabled = false;
    /* A workspace's first upload makes its first corpus: the form has to know it. */
    if (!form.querySelector("[data-corpus]")) location.reload();
  }

  function remaining() {
    const files = unsent === 1 ? "file" : "files";
    document.querySelector("[data-remaining]").textContent = unsent
      ? `${unsent} ${files} left to send. Stay on this page until all are sent.`
      : "";
  }

  /* Leaving now would drop what was not sent: the browser asks first. Its words are its own. */
  addEventListener("beforeunload", (event) => {
    if (!unsent) return;
    event.preventDefault();
    event.returnValue = "";
  });

  function chosen(form) {
    const files = form.querySelector("[data-files]").files;
    const note = form.querySelector("[data-chosen]");
    note.dataset.empty ??= note.textContent;
    note.textContent = files.length ? [...files].map((file) => file.name).join(", ") : note.dataset.empty;
  }

  function listen(form) {
    /* Unfold writes a file's name into a text field beside the input; this form has none. The flag keeps it away. */
    form.querySelector("[data-files]").hasChangeListener = true;
    const zone = document.querySelector("[data-drop]");
    const carriesFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      sendAll(form, [...form.querySelector("[data-files]").files]);
    });
    form.querySelector("[data-files]").addEventListener("change", () => chosen(form));
    form.querySelector("[data-corpus]")?.addEventListener("change", ({ target }) => {
      form.querySelector("small[data-viewers]").textContent = target.selectedOptions[0].dataset.viewers;
    });
    addEventListener("dragover", (event) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      zone.classList.add("is-over");
    });
    addEventListener("dragleave", (event) => event.relatedTarget ?? zone.classList.remove("is-over"));
    addEventListener("drop", (event) => {
      zone.classList.remove("is-over");
      if (!carriesFiles(event)) return;
      event.preventDefault();
      sendAll(form, [...event.dataTransfer.files]);
    });
  }

  const form = document.querySelector("[data-upload]");
  if (form) listen(form);
  form?.querySelector("[data-corpus]")?.dispatchEvent(new Event("change"));
  schedule();
})();
