/* The page inside a site's iframe. It shakes hands with the loader around it and begins when it is first opened. */
import { stored } from "./store.js";
import { language } from "./texts.js";

const boot = JSON.parse(document.getElementById("boot").textContent);
const { look, key, error: refusal } = boot;
const root = document.documentElement;
const DEVICE = `antecedent.device ${key}`;
const IS_OPEN = "antecedent.open";
const NEW = "new";
let port = null;
let origin = "";
let identity = "";
let adopt = true;
let words = null;
let chat = null;
let device = "";
let isLeaving = false;
let warming = null;
let beginning = null;

const post = (type, data = {}) => port?.postMessage({ type, ...data });
const tell = (name, data = {}) => post("event", { name, data });

/** Files and sandboxed pages have no origin, whatever a browser calls that. */
const named = (given) => (/^https?:/.test(given) ? given : "null");

/** Whom an identity names, unchecked: only to tell one from another. */
function subject(jwt) {
  try {
    const [, claims] = jwt.split(".");
    return JSON.parse(atob(claims.replace(/-/g, "+").replace(/_/g, "/"))).sub;
  } catch {
    return jwt;
  }
}

/** Only the page right around, once. What it says it is, the server checks before it gives a token. */
addEventListener("message", (event) => {
  const { data, source, ports } = event;
  if (port || source !== parent || data?.antecedent !== 1 || !ports[0]) return;
  const [around] = location.ancestorOrigins ?? [];
  origin = named(event.origin);
  if (around && named(around) !== origin) return;
  port = ports[0];
  port.onmessage = ({ data: sent }) => orders[sent.type]?.(sent);
  greet(data);
});

async function greet(hello) {
  if (refusal) return post("refused", refusal);
  identity = hello.identity || "";
  adopt = hello.adopt !== false;
  const chosen = [hello.language, look.language].filter((tag) => tag && tag !== "auto");
  words = await language(...chosen, ...navigator.languages);
  root.lang = words.code;
  root.dir = words.dir;
  if (/^(light|dark)$/.test(hello.theme)) root.dataset.theme = hello.theme;
  else if (hello.theme) delete root.dataset.theme;
  const wide = look.launcher.open && matchMedia("(hover: hover)").matches;
  const before = stored.get(IS_OPEN, true);
  const { t, dir } = words;
  post("ready", {
    look, shades: boot.shades, dir, open: hello.open || before === "yes" || (wide && before === null),
    theme: root.dataset.theme ?? "auto", words: { open: t("openChat"), close: t("closeChat"), title: look.name },
  });
}

const orders = {
  /** Until the styles are there, so that nothing shows without them. */
  warm: () => (warming ??= new Promise((done) => {
    const [styles, script] = document.querySelectorAll("link[data-later]");
    styles.onload = styles.onerror = done;
    styles.rel = "stylesheet";
    script.rel = "modulepreload";
  })),
  shown({ open, focus }) {
    stored.set(IS_OPEN, open ? "yes" : "no", true);
    if (open) begin().then(() => focus && chat.focus());
  },
  identify({ identity: given, adopt: wanted }) {
    const same = identity && subject(identity) === subject(given);
    identity = given;
    adopt = wanted !== false;
    if (!chat) return;
    if (same) chat.connectAgain();
    else leave();
  },
  reset() {
    identity = device = "";
    stored.set(DEVICE, null);
    leave();
  },
};

/** Another person: nothing of this one stays in the page, in memory or in storage. */
function leave() {
  isLeaving = true;
  chat?.forget();
  for (const name of stored.names(true)) if (name.startsWith("antecedent.") && name !== IS_OPEN) stored.set(name, null, true);
  // Where storage is blocked, the visitor's own device goes along for the conversations to be adopted.
  window.name = device && !stored.get(DEVICE) ? JSON.stringify([key, device]) : "";
  post("leaving");
  location.reload();
}

function keptDevice() {
  const kept = stored.get(DEVICE);
  if (kept || device) return kept || device;
  try {
    const [of, carried] = JSON.parse(window.name);
    if (of === key) device = carried;
  } catch {
    /* Nothing was carried over. */
  }
  window.name = "";
  return device;
}

const begin = () => (beginning ??= start());

async function start() {
  await orders.warm();
  const owner = identity ? `known ${subject(identity)}` : "visitor";
  const SESSION = `antecedent.session ${owner}`;
  const kept = stored.get(SESSION, true);
  const { name, greeting, suggestions, accent } = look;
  globalThis.antecedent = {
    boot: { ...boot, tenant: { ...boot.tenant, name, greeting, accent, suggested_questions: suggestions } },
    words,
    place: {
      owner, tell,
      start: kept === NEW ? { session: null, fresh: true } : { session: kept },
      knock: () => ({ key, origin, identity: identity || null, device: keptDevice() || null, adopt }),
      admitted(answer) {
        if (!answer.device || isLeaving) return;
        device = answer.device;
        stored.set(DEVICE, device);
      },
      corner: ({ iconButton, t }) => iconButton("close", t("closeChat"), () => post("close")),
      again: ({ button, t }) => button(t("startAgain"), orders.reset, "button primary"),
      remember: (session, fresh) => isLeaving || stored.set(SESSION, fresh ? NEW : session, true),
    },
  };
  chat = await import("./chat.js");
}

addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.isComposing && !chat?.isBusy(event.target)) post("close");
});
