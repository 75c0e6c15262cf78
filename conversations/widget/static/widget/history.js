/* The drawer with a person's earlier conversations. */
import { button, h, icon, iconButton } from "./dom.js";

const since = (code, updated) =>
  updated ? new Date(updated).toLocaleString(code, { dateStyle: "medium", timeStyle: "short" }) : "";

/** `actions`: {open(id), fresh(), removed(id), current()}. */
export class HistoryDrawer {
  constructor({ t, code }, urls, token, actions) {
    Object.assign(this, { t, code, urls, token, actions });
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
      const response = await fetch(this.urls.sessions, { headers: { Accept: "application/json" } });
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
    const kept = [...item.childNodes];
    const cancel = button(t("cancel"), () => item.replaceChildren(...kept));
    const remove = button(t("remove"), () => this.#remove(item, id), "button danger");
    item.replaceChildren(h("div", { class: "confirm", role: "alertdialog", "aria-label": t("removeAsk") },
      h("p", {}, t("removeAsk")), h("div", { class: "row" }, remove, cancel)));
    cancel.focus();
  }

  async #remove(item, id) {
    const headers = { "X-CSRFToken": this.token };
    const response = await fetch(this.urls.sessions + id, { method: "DELETE", headers }).catch(() => null);
    if (!response?.ok && response?.status !== 404) {
      item.replaceChildren(h("p", { class: "note bad", role: "alert" }, icon("alert"), this.t("notRemoved")));
      return;
    }
    item.remove();
    if (!this.list.children.length) this.#say("none");
    this.actions.removed(id);
  }
}
