/* A draft's editor: counts and checks while somebody types, placeholders at a press, and nothing acted on unsaved. */
const editor = document.querySelector("[data-editor]");

for (const slider of document.querySelectorAll("[data-share]")) {
  const number = slider.parentElement.querySelector("[name=share]");
  slider.hidden = false;
  slider.addEventListener("input", () => { number.value = slider.value; });
  number.addEventListener("input", () => { slider.value = number.value; });
}

if (editor) {
  let timer = 0, asked = 0, leaving = false;

  const count = (area) => {
    const told = area.closest("[data-field]").querySelector("[data-characters]");
    const length = [...area.value].length;
    told.textContent = length;
    told.classList.toggle("is-over", length > Number(told.dataset.most));
  };
  const show = (place, told) => {
    place.toggleAttribute("data-differs", told.differs);
    place.toggleAttribute("data-wrong", told.wrong);
    const problems = place.querySelector("[data-problems]");
    if (problems.innerHTML !== told.html) problems.innerHTML = told.html;
    for (const input of place.querySelectorAll(".measured input, .setting-value > input, textarea")) input.setAttribute("aria-invalid", told.wrong);
    for (const pair of place.querySelectorAll(".pair")) pair.toggleAttribute("data-wrong", told.pairs.includes(pair.dataset.pair));
    const tokens = place.querySelector("[data-tokens]");
    if (tokens) {
      tokens.textContent = told.tokens;
      tokens.classList.toggle("is-over", told.tokens > Number(tokens.dataset.most));
    }
    for (const button of place.querySelectorAll("[data-insert]"))
      button.dataset.used = told.places[button.dataset.insert] ? "yes" : "no";
  };
  const check = async () => {
    const mine = ++asked;
    const answer = await fetch(editor.dataset.check, { method: "POST", body: new FormData(editor) }).catch(() => null);
    if (!answer?.ok || mine !== asked) return; /* Saving says what is wrong, too. */
    const { fields, summary } = await answer.json();
    for (const [path, told] of Object.entries(fields)) {
      const place = editor.querySelector(`[data-field="${CSS.escape(path)}"]`);
      if (place) show(place, told);
    }
    const words = editor.querySelector("[data-summary]");
    if (words.innerHTML.trim() !== summary.trim()) words.innerHTML = summary;
  };
  const dirty = () => {
    editor.classList.add("is-dirty");
    for (const waits of document.querySelectorAll("[data-needs-saved]")) { waits.classList.add("is-waiting"); waits.inert = true; }
    for (const told of document.querySelectorAll("[data-save-first]")) told.hidden = false;
  };

  editor.addEventListener("input", ({ target }) => {
    dirty();
    if (target.tagName === "TEXTAREA") count(target);
    const pair = target.closest(".pair");
    pair?.classList.toggle("is-set", [...pair.querySelectorAll("input")].some((input) => input.value));
    clearTimeout(timer);
    timer = setTimeout(check, 350);
  });
  editor.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-insert]");
    if (!button) return;
    const area = button.closest("[data-field]").querySelector("textarea");
    area.setRangeText(button.dataset.insert, area.selectionStart, area.selectionEnd, "end");
    area.focus();
    area.dispatchEvent(new Event("input", { bubbles: true }));
  });
  editor.addEventListener("submit", () => { leaving = true; });
  addEventListener("beforeunload", (event) => { if (editor.classList.contains("is-dirty") && !leaving) event.preventDefault(); });
  if ("unsaved" in editor.dataset) dirty();
}
