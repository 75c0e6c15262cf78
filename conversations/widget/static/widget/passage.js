/* The passage behind a citation: a panel beside the transcript, a sheet over it where there is no room. */
import { button, h, icon, iconButton } from "./dom.js";
import { sliceOf } from "./protocol.js";

const NARROW = "(max-width: 899px)";

/** `text` as runs [{text, cited}]. Pure. */
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

/** The server's spans, or else where the snippet stands. Pure. */
export function spansOf({ text, highlight }, snippet) {
  if (highlight?.length) return highlight;
  const words = (snippet ?? "").replace(/^…|…$/g, "").trim();
  const at = words ? text.indexOf(words) : -1;
  return at < 0 ? [] : [[Array.from(text.slice(0, at)).length, Array.from(text.slice(0, at + words.length)).length]];
}

export class PassagePanel {
  #aborter = null;

  constructor(t, url) {
    Object.assign(this, { t, url });
    this.place = h("p", { class: "place" });
    this.body = h("div", { class: "passage", tabindex: "-1" });
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
    this.place.textContent = t("place", { n: index + 1, m: count });
    this.previous.disabled = index === 0;
    this.next.disabled = index === count - 1;
    this.previous.parentNode.hidden = count < 2;
    this.#mark(citation.n);
    this.#aborter?.abort();
    this.#aborter = new AbortController();
    this.body.replaceChildren(this.#head(citation, citation), h("p", { class: "hush" }, t("loading")));
    this.body.focus({ preventScroll: true });
    try {
      const url = this.url + encodeURIComponent(citation.chunk);
      const response = await fetch(url, { signal: this.#aborter.signal, headers: { Accept: "application/json" } });
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
    if (mark) this.body.scrollTop = Math.max(0, mark.offsetTop - this.body.clientHeight / 3);
  }
}
