/* The message box, and what was typed and not sent. */
import { h, iconButton } from "./dom.js";
import { lengthOf } from "./protocol.js";
import { stored } from "./store.js";

const LIMIT = 20000;

/** Texts by conversation (null: not begun), in this tab, for one person. */
export class Drafts {
  constructor(owner) {
    this.key = `antecedent.drafts ${owner}`;
    this.texts = JSON.parse(stored.get(this.key, true) ?? "{}");
  }

  get(session) {
    return this.texts[session] ?? "";
  }

  set(session, text) {
    this.texts[session] = text || undefined;
    stored.set(this.key, JSON.stringify(this.texts), true);
  }

  /** For good. */
  clear() {
    this.texts = {};
    stored.set(this.key, null, true);
    this.set = () => {};
  }
}

export class Composer {
  #locked = "";
  #running = false;

  constructor(t, actions) {
    Object.assign(this, { t, actions });
    this.box = h("textarea", {
      id: "message", rows: 1, dir: "auto", placeholder: t("placeholder"), "aria-label": t("message"),
      "aria-describedby": "composer-note", enterkeyhint: "send",
      oninput: () => {
        this.refresh();
        actions.typed(this.text);
      },
      onkeydown: (event) => this.#key(event),
    });
    this.sendButton = iconButton("forward", t("send"), () => this.#send(), { class: "round" });
    this.stopButton = iconButton("stop", t("stop"), actions.stop, { class: "round stop", hidden: true });
    this.note = h("p", { id: "composer-note", class: "hint" });
    this.root = h("div", { class: "composer" }, h("div", { class: "field" }, this.box, this.stopButton, this.sendButton));
  }

  get text() {
    return this.box.value;
  }

  set text(value) {
    this.box.value = value;
    this.refresh();
    this.actions.typed(value);
  }

  get locked() {
    return this.#locked;
  }

  lock(reason) {
    this.#locked = reason;
    this.refresh();
  }

  running(value) {
    if (value === this.#running) return;
    this.#running = value;
    const lost = this.stopButton === document.activeElement;
    this.refresh();
    if (lost) this.focus();
  }

  focus() {
    this.box.focus({ preventScroll: true });
  }

  refresh() {
    const { value } = this.box;
    const over = lengthOf(value.trim()) - LIMIT;
    this.box.readOnly = Boolean(this.#locked);
    this.stopButton.hidden = !this.#running;
    this.sendButton.hidden = this.#running && !value.trim();
    this.sendButton.disabled = Boolean(this.#locked) || over > 0 || !value.trim();
    this.note.textContent = this.#locked || (over > 0 ? this.t("tooLong", { n: over }) : this.t("hint"));
    this.note.classList.toggle("bad", Boolean(this.#locked) || over > 0);
    this.box.style.height = "auto";
    this.box.style.height = `${Math.min(this.box.scrollHeight, 200)}px`;
  }

  #key(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    this.#send();
  }

  /** Not by a form: a sandboxed page around may forbid those. */
  #send() {
    this.refresh();
    if (this.sendButton.disabled) return;
    const text = this.text.trim();
    this.text = "";
    this.actions.send(text);
    this.focus();
  }
}
