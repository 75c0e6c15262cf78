/* Our own page: who asks is known by a cookie, and the address names the conversation. */
import { stored } from "./store.js";
import { language } from "./texts.js";

const CHOICE = "antecedent.theme";
const SESSION = /^#([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const boot = JSON.parse(document.getElementById("boot").textContent);
const { user, urls, csrf } = boot;
const root = document.documentElement;
const words = await language(boot.language, ...navigator.languages);
root.lang = words.code;
root.dir = words.dir;

/** Undefined when what is named is none. */
const addressed = () => (location.hash ? SESSION.exec(location.hash.toLowerCase())?.[1] : null);

const themeChoice = () => root.dataset.theme ?? "system";

function chooseTheme(choice) {
  if (choice === "system") delete root.dataset.theme;
  else root.dataset.theme = choice;
  stored.set(CHOICE, choice === "system" ? null : choice);
}

function accountMenu({ h, icon, t, drafts }) {
  const name = user.anonymous ? t("anonymous") : user.name || user.email;
  const choice = (value) => h("label", {},
    h("input", { type: "radio", name: "theme", value, checked: themeChoice() === value, onchange: () => chooseTheme(value) }),
    h("span", {}, t(value)));
  const leave = user.anonymous
    ? h("a", { class: "button wide primary", href: urls.login }, t("signIn"))
    : h("form", { method: "post", action: urls.logout, onsubmit: () => drafts.clear() },
      h("input", { type: "hidden", name: "csrfmiddlewaretoken", value: csrf }), h("button", { class: "button wide" }, t("signOut")));
  const menu = h("details", { class: "account" },
    h("summary", { class: "ghost", title: name },
      h("span", { class: "visually-hidden" }, `${t("account")}: ${name}`), h("span", { class: "face", "aria-hidden": "true" }, user.anonymous ? icon("person") : user.initials)),
    h("div", { class: "card" }, h("p", {}, h("b", { dir: "auto" }, name), !user.anonymous && user.name && h("small", {}, user.email)),
      h("fieldset", { class: "switch" }, h("legend", {}, t("appearance")), ["system", "light", "dark"].map(choice)), leave));
  const close = () => { menu.open = false; };
  document.addEventListener("click", (event) => menu.contains(event.target) || close());
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    close();
    menu.firstChild.focus();
  });
  return menu;
}

globalThis.antecedent = {
  boot, words,
  place: {
    own: true, csrf, owner: user.email ?? "",
    start: { session: addressed() === null ? boot.session ?? null : addressed(), fresh: history.state?.fresh },
    knock: () => ({}),
    corner: accountMenu,
    again: ({ h, t }) => h("a", { class: "button primary", href: urls.login }, t("signIn")),
    remember: (session, fresh, how) => history[how]({ fresh }, "", session ? `#${session}` : location.pathname + location.search),
  },
};
const { turnTo } = await import("./chat.js");
addEventListener("popstate", () => turnTo(addressed()));
