/* The passage behind a citation, and earlier conversations. */
import { button, h, icon, iconButton } from "./dom.js";
import { below, sliceOf } from "./protocol.js";

const NARROW = "(max-width: 899px)";

export function citedRuns(text, spans) {
  const runs = [];
  let at = 0;
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0])) {
    if (end <= at) continue;
    const from = Math.max(at, start);
    runs.push({ text: sliceOf(text, at, from), cited: false }, { text: sliceOf(text, from, end), cited: true });
    at = end;
  }
  runs.push({ text: sliceOf(text, at), cited: false });
  return runs.filter((run) => run.text);
}

/** Or else where the snippet stands. */
export function spansOf({ text, highlight }, snippet) {
  if (highlight?.length) return highlight;
  const words = (snippet ?? "").replace(/^…|…$/g, "").trim();
  const at = words ? text.indexOf(words) : -1;
  return at < 0 ? [] : [[Array.from(text.slice(0, at)).length, Array.from(text.slice(0, at + words.length)).length]];
}

export class PassagePanel {
  #aborter = null;

  constructor(t, url, pass) {
    Object.assign(this, { t, url, pass });
    this.place = h("p", { class: "place line", dir: "auto" });
    this.body = h("div", { class: "passage", tabindex: 0 });
    this.previous = button([icon("forward"), t("previous")], () => this.#step(-1));
    this.next = button([t("next"), icon("forward")], () => this.#step(1), "button primary");
    this.root = h("dialog", { class: "panel", "aria-label": t("sources") },
      h("header", {}, this.place, iconButton("close", t("close"), () => this.root.close())),
      this.body, h("footer", {}, this.previous, this.next));
    this.root.addEventListener("close", () => this.#closed());
    this.root.addEventListener("click", (event) => event.target === this.root && this.root.close());
    this.root.addEventListener("keydown", (event) => event.key === "Escape" && this.root.close());
  }

  open(turn, n, opener) {
    Object.assign(this, { turn, opener, index: turn.citations.findIndex((citation) => citation.n === n) });
    if (!this.root.open) this.root[matchMedia(NARROW).matches ? "showModal" : "show"]();
    document.body.classList.add("reading");
    this.#load();
  }

  close() {
    if (this.root.open) this.root.close();
  }

  #step(by) {
    this.index += by;
    this.#load();
  }

  #closed() {
    this.#aborter?.abort();
    document.body.classList.remove("reading");
    this.#mark(null);
    this.opener?.focus({ preventScroll: true });
  }

  #mark(n) {
    for (const chip of document.querySelectorAll("[data-cite].current")) chip.classList.remove("current");
    if (n === null) return;
    const article = this.opener.closest("article");
    for (const chip of article?.querySelectorAll(`[data-cite="${n}"]`) ?? []) chip.classList.add("current");
  }

  async #load() {
    const { t, turn, index } = this;
    const citation = turn.citations[index];
    const count = turn.citations.length;
    this.place.textContent = `${t("place", { n: index + 1, m: count })} · ${citation.title}`;
    this.previous.disabled = index === 0;
    this.next.disabled = index === count - 1;
    this.previous.parentNode.hidden = count < 2;
    this.#mark(citation.n);
    this.#aborter?.abort();
    this.#aborter = new AbortController();
    this.body.replaceChildren(this.#head(citation, citation), h("p", { class: "hush" }, t("loading")));
    this.body.focus({ preventScroll: true });
    try {
      const response = await fetch(below(this.url, citation.chunk), { signal: this.#aborter.signal, headers: await this.pass.headers() });
      if (!response.ok) throw new Error(response.status < 500 ? "gone" : "notLoaded");
      this.#show(citation, await response.json());
    } catch (error) {
      if (error.name === "AbortError") return;
      this.body.lastChild.replaceWith(h("p", { class: "note bad" }, icon("alert"), t(error.message) || t("notLoaded")));
    }
  }

  #head(citation, { title, heading_path, page, filename }) {
    const where = [filename, page && this.t("page", { n: page })].filter(Boolean).join(" · ");
    return h("div", { class: "head" }, h("b", { class: "number" }, citation.n),
      h("div", { dir: "auto" }, h("h2", {}, title), where && h("small", {}, where),
        heading_path?.length > 0 && h("ol", { class: "path" }, heading_path.map((part) => h("li", {}, part)))));
  }

  #show(citation, passage) {
    const runs = citedRuns(passage.text, spansOf(passage, citation.snippet));
    const around = (text) => text && h("p", { class: "around" }, text);
    this.body.replaceChildren(this.#head(citation, passage),
      h("div", { class: "text", dir: "auto" }, around(passage.before),
        h("p", {}, runs.map((run) => (run.cited ? h("mark", {}, run.text) : run.text))), around(passage.after)));
    this.body.scrollTop = 0;
    const mark = this.body.querySelector("mark");
    if (mark) this.body.scrollTop = mark.offsetTop + Math.min(mark.offsetHeight, 200) - this.body.clientHeight * 0.85;
  }
}

const since = (code, updated) =>
  updated ? new Date(updated).toLocaleString(code, { dateStyle: "medium", timeStyle: "short" }) : "";

export class HistoryDrawer {
  constructor({ t, code }, urls, pass, actions) {
    Object.assign(this, { t, code, urls, pass, actions });
    this.list = h("ul", { class: "sessions" });
    this.root = h("dialog", { class: "drawer", "aria-label": t("history") },
      h("header", {}, h("h2", {}, t("history")), iconButton("close", t("close"), () => this.root.close())),
      button([icon("new"), t("newChat")], () => this.#leave(actions.fresh), "button wide"),
      this.list, h("p", { class: "maker" }, icon("arc"), "Antecedent"));
    this.root.addEventListener("click", (event) => event.target === this.root && this.root.close());
  }

  async open() {
    this.root.showModal();
    this.#say("loading");
    try {
      const response = await fetch(this.urls.sessions, { headers: await this.pass.headers() });
      if (!response.ok) throw new Error(response.statusText);
      this.#show((await response.json()).sessions);
    } catch {
      this.#say("notLoaded");
    }
  }

  #leave(then) {
    this.root.close();
    then();
  }

  #say(key) {
    this.list.replaceChildren(h("li", { class: "hush", role: "status" }, this.t(key)));
  }

  #show(sessions) {
    if (!sessions.length) return this.#say("none");
    this.list.replaceChildren(...sessions.map((session) => this.#item(session)));
  }

  #item({ id, title, updated }) {
    const name = title || this.t("untitled");
    const item = h("li", {},
      button([h("span", { dir: "auto" }, name), h("small", {}, since(this.code, updated))],
        () => this.#leave(() => this.actions.open(id)), "session",
        { "aria-current": id === this.actions.current() && "true" }),
      iconButton("delete", `${this.t("remove")}: ${name}`, () => this.#ask(item, id)));
    return item;
  }

  #ask(item, id) {
    const { t } = this;
    const kept = [...item.childNodes].slice(0, 2);
    const back = (...more) => {
      item.replaceChildren(...kept, ...more);
      kept[1].focus();
    };
    const cancel = button(t("cancel"), () => back());
    const remove = button(t("remove"), () => {
      remove.disabled = cancel.disabled = true;
      this.#remove(item, id, back);
    }, "button danger");
    item.replaceChildren(h("div", { class: "confirm", role: "alertdialog", "aria-label": t("removeAsk") },
      h("p", {}, t("removeAsk")), h("div", { class: "row" }, remove, cancel)));
    cancel.focus();
  }

  async #remove(item, id, back) {
    if (!(await this.#deleted(id))) {
      return back(h("p", { class: "note bad", role: "alert" }, icon("alert"), this.t("notRemoved")));
    }
    item.remove();
    if (!this.list.children.length) this.#say("none");
    this.list.querySelector("button")?.focus();
    this.actions.removed(id);
  }

  /** Gone is what the server itself calls gone. */
  async #deleted(id) {
    try {
      const headers = await this.pass.headers();
      const response = await fetch(below(this.urls.sessions, id), { method: "DELETE", headers });
      return response.status === 204 || (await response.json()).error.code === "session_not_found";
    } catch {
      return false;
    }
  }
}
