/* One turn on the screen. */
import { button, copy, h, icon, iconButton, refill } from "./dom.js";
import { parse, plain, render } from "./markdown.js";
import { isFinal } from "./protocol.js";
import { addedRuns } from "./rewrite.js";

const REASONS = ["wrong", "incomplete", "misunderstood", "source"];
const BREAKS = new Set(["topic_shift", "topic_return"]);

export class TurnView {
  #shown = {};
  #blocks = [];
  #asking = false;

  constructor(t, engine, actions) {
    Object.assign(this, { t, engine, actions });
    const part = (name) => (this[name] = h("div", { class: name }));
    this.root = h("article", { class: "turn" },
      part("divider"), part("message"), part("search"),
      h("div", { class: "reply" }, h("h2", { class: "visually-hidden" }, t("answer")), part("status"), part("notice"), part("answer"), part("sources"), part("tools")));
    this.divider.setAttribute("aria-hidden", "true");
  }

  update(turn) {
    this.turn = turn;
    const { state, kind, rating, error, citations, notice, engine } = turn;
    this.root.dataset.state = state;
    const open = this.actions.isOpen();
    this.#part("divider", [kind], () => BREAKS.has(kind) && h("span", {}, this.t(`kind_${kind}`)));
    this.#part("message", [turn.text, state, turn.refusal, state === "pending" && open], () => this.#message(open));
    this.#part("search", [turn.query, turn.display, kind, turn.verdict], () => this.#search());
    this.#part("status", [state, error?.message, this.#step()], () => this.#status());
    this.#part("notice", [notice], () => notice && h("p", { class: "note" }, icon("info"), notice.message));
    this.#answer();
    this.#part("sources", [citations, isFinal(turn)], () => isFinal(turn) && this.#sources());
    this.#part("tools", [state, rating, this.#asking, engine], () => /completed|stopped/.test(state) && this.#tools());
  }

  /** What has not changed stays, with focus and selection. */
  #part(name, values, build) {
    const key = JSON.stringify(values);
    if (this.#shown[name] === key) return;
    this.#shown[name] = key;
    refill(this[name], build() || []);
  }

  #message(open) {
    const { t, turn } = this;
    const bubble = [h("h2", { class: "visually-hidden" }, t("you")), h("p", { class: "bubble", dir: "auto" }, turn.text)];
    const fate = { pending: open ? "pending" : "queued", joined: "joined" }[turn.state];
    if (fate) return [bubble, h("p", { class: "fate" }, t(fate))];
    if (!turn.refusal) return bubble;
    const again = () => this.actions[turn.state === "unsent" ? "askAgain" : "retry"](turn);
    const said = [turn.state === "unsent" && t("unsent"), turn.refusal.message].filter(Boolean).join(". ");
    return [bubble, h("p", { class: "fate bad", role: "alert" }, icon("alert"), h("span", { dir: "auto" }, said),
      turn.refusal.retryable && button(t("sendAgain"), again, "link"))];
  }

  #search() {
    const { t, turn } = this;
    const { text, query, display, kind, verdict } = turn;
    if (!kind) return null;
    const searched = display || query;
    if (!searched) return h("p", { class: "fate" }, t("searchedNothing"));
    const exact = query || display;
    const runs = (words) => addedRuns(text, words, t("functionWords"));
    const quoted = (words) =>
      h("q", { dir: "auto" }, runs(words).map((run) => (run.added ? h("ins", {}, run.text) : run.text)));
    const added = [searched, exact].some((words) => runs(words).some((run) => run.added));
    const label = t(turn.rewritten ? `kind_${kind}` : "typed");
    const check = t(`verdict_${verdict}`);
    return h("details", { "data-added": added },
      h("summary", {}, icon("arc"), h("span", { class: "line" }, t("searchedFor"), ": ", quoted(searched)),
        label && h("span", { class: "tag" }, label)),
      h("div", { class: "about" },
        h("p", { class: "exact" }, h("small", {}, t("exactQuery")), quoted(exact)),
        added && h("p", {}, h("ins", { "aria-hidden": "true" }, "abc"), " ", t("addedHelp")),
        check && h("p", { class: "verdict", "data-verdict": verdict }, check)));
  }

  #step() {
    const { state, answer, kind, citations } = this.turn;
    if (!/accepted|running/.test(state) || answer) return "";
    if (citations.length) return "writing";
    return kind ? "searching" : "accepted";
  }

  #status() {
    const { t, turn } = this;
    const step = this.#step();
    if (step) {
      return h("p", { class: "working" }, h("span", { class: "trace", "aria-hidden": "true" }, icon("thinking")), t(step));
    }
    if (turn.state === "failed") {
      const retry = button([icon("retry"), t("retry")], () => this.actions.retry(turn));
      return h("div", { class: "note bad" }, icon("alert"),
        h("p", {}, turn.error?.message || t("failed")), turn.error?.retryable !== false && retry);
    }
    return null;
  }

  #answer() {
    const { answer, citations, state } = this.turn;
    const key = JSON.stringify([answer, citations.map(({ n, chunk }) => [n, chunk]), state]);
    if (this.#shown.answer === key) return;
    const known = JSON.stringify(citations.map(({ n, chunk }) => [n, chunk]));
    if (this.#shown.known !== known) this.#blocks = [];
    Object.assign(this.#shown, { answer: key, known });
    const blocks = parse(state !== "completed" ? answer.replace(/ *\[[\d, ]*$/, "") : answer);
    const kept = this.#blocks.findIndex((block, i) => block.src !== blocks[i]?.src);
    const from = kept < 0 ? this.#blocks.length : kept;
    while (this.answer.childNodes.length > from) this.answer.lastChild.remove();
    for (const block of blocks.slice(from)) this.answer.append(render(block, (n) => this.#chip(n)));
    this.#blocks = blocks;
    this.answer.setAttribute("dir", "auto");
    this.answer.toggleAttribute("aria-busy", state === "running");
  }

  #chip(n) {
    const source = this.turn.citations.find((citation) => citation.n === n);
    return source && h("button", { type: "button", class: "chip", "aria-label": this.t("source", source), title: source.title, ...this.#opens(n) }, n);
  }

  #opens(n) {
    return {
      "data-cite": n, "data-key": `cite${n}`,
      onclick: ({ currentTarget }) => this.actions.cite(this.turn, n, currentTarget),
    };
  }

  #sources() {
    const { citations } = this.turn;
    if (!citations.length) return null;
    const item = (citation) => h("li", {},
      h("button", { type: "button", class: "source", title: citation.snippet, ...this.#opens(citation.n) },
        h("b", {}, citation.n), h("span", { dir: "auto" }, citation.title),
        citation.page && h("small", {}, this.t("page", { n: citation.page }))));
    return [h("h3", {}, this.t("sources")), h("ul", {}, citations.map(item))];
  }

  #tools() {
    const { t, turn } = this;
    const rate = (name) => iconButton("up", t(name), () => this.#rate(name),
      { "aria-pressed": String(turn.rating === name), "data-key": name });
    const engine = turn.engine;
    return [
      turn.state === "stopped" && h("p", { class: "note" }, icon("stop"), t("stopped")),
      h("div", { class: "row" },
        iconButton("copy", t("copy"), () => this.#copy(), { "data-key": "copy" }), rate("up"), rate("down"),
        turn.state === "stopped" && iconButton("retry", t("retry"), () => this.actions.retry(turn)),
        engine?.label !== this.engine.label && engine && h("small", {}, engineText(t, engine))),
      this.#asking && this.#reasons(),
    ];
  }

  #rate(rating) {
    const same = this.turn.rating === rating;
    this.turn.rating = same ? null : rating;
    this.#asking = rating === "down" && !same;
    this.actions.rate(this.turn, same ? "none" : rating, "");
    if (rating === "up" && !same) this.actions.say(this.t("thanks"));
    this.update(this.turn);
    if (!this.#asking) return;
    this.tools.querySelector("input").focus({ preventScroll: true });
    this.tools.scrollIntoView({ block: "nearest" });
  }

  #reasons() {
    const { t } = this;
    const choice = (reason) =>
      h("label", {}, h("input", { type: "radio", name: `why-${this.turn.id}`, value: reason }), h("span", {}, t(`reason_${reason}`)));
    const more = h("input", { maxlength: 500, "aria-label": t("more"), placeholder: t("more"), autocomplete: "off" });
    const send = () => {
      const reason = [this.tools.querySelector(":checked")?.value, more.value.trim()].filter(Boolean).join(": ");
      this.actions.rate(this.turn, "down", reason);
      this.actions.say(t("thanks"));
      this.#close();
    };
    const onkeydown = (event) => {
      const { key, target } = event;
      if (key === "Escape") this.#close();
      if (key !== "Enter" || target.localName !== "input" || event.isComposing) return;
      event.preventDefault();
      send();
    };
    return h("div", { class: "why", onkeydown },
      h("fieldset", {}, h("legend", {}, t("why")), REASONS.map(choice)),
      more, h("div", { class: "row" }, button(t("sendFeedback"), send, "button primary"), button(t("cancel"), () => this.#close())));
  }

  #close() {
    this.#asking = false;
    this.update(this.turn);
    this.tools.querySelector("[data-key=down]").focus({ preventScroll: true });
  }

  async #copy() {
    const { answer, citations } = this.turn;
    const list = citations.map(({ n, title, page }) => `[${n}] ${title}${page ? `, ${this.t("page", { n: page })}` : ""}`);
    const done = await copy([answer, list.join("\n")].filter(Boolean).join("\n\n"));
    this.actions.say(this.t(done ? "copied" : "notCopied"));
  }
}

export const engineText = (t, { mode, label }) =>
  mode === "offline" ? `${t("offlineEngine")} – ${t("offlineNote")}` : t("model", { label });

export const spoken = (t, { state, answer, error }) =>
  state === "joined" ? "" : state === "failed" ? error?.message || t("failed") : `${t("answer")}: ${plain(parse(answer))}`;
