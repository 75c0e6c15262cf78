/* The chat frame. */
import { Composer, Drafts } from "./composer.js";
import { Connection } from "./connection.js";
import { button, h, icon, iconButton, refill } from "./dom.js";
import { HttpLine } from "./line.js";
import { HistoryDrawer, PassagePanel } from "./panels.js";
import { Pass } from "./pass.js";
import { Conversation, isFinal } from "./protocol.js";
import { TurnView, engineText, spoken } from "./turn.js";

/* `place` is where the frame stands: our own page (page.js) or a site's (frame.js). */
const { boot, words: { code, t }, place } = globalThis.antecedent;
const { tenant, urls } = boot;
const engine = { ...boot.engine };
const pass = new Pass(urls.token, place);
const conversation = new Conversation();
const views = new Map();
const drafts = new Drafts(`${tenant.slug} ${place.owner}`);

for (const [name, value] of Object.entries(boot.shades)) document.documentElement.style.setProperty(name, value);

const live = h("div", { class: "visually-hidden", role: "status", "aria-live": "polite" });
const toast = h("div", { class: "toast", hidden: true });
const banner = h("aside", { class: "banner", hidden: true });
const subtitle = h("p", { dir: "auto" });
const list = h("div", { class: "turns" });
const empty = h("section", { class: "empty" },
  icon("picture"), h("h2", { dir: "auto" }, tenant.greeting || tenant.name), tenant.tagline && h("p", { dir: "auto" }, tenant.tagline),
  h("ul", {}, tenant.suggested_questions.slice(0, 4).map((question) => h("li", {},
    button([question, icon("forward")], () => ask(question), "", { dir: "auto" })))));
const latest = iconButton("forward", t("latest"), () => toEnd("smooth"), { class: "latest", hidden: true });
const scroller = h("main", { tabindex: "-1", "aria-label": t("history"), onscroll: noteScroll }, empty, list);
const composer = new Composer(t, { send: ask, stop, typed: (text) => drafts.set(conversation.session, text) });
const passage = new PassagePanel(t, urls.passages, pass);
const drawer = new HistoryDrawer({ t, code }, urls, pass, {
  open: switchTo, fresh: () => switchTo(null), current: () => conversation.session,
  removed: (id) => {
    drafts.set(id, "");
    if (id === conversation.session) switchTo(null, "replaceState");
  },
});

const engineLine = h("p", { class: "engine" });
document.getElementById("chat").replaceWith(
  h("div", { class: "frame" },
    h("header", { class: "top" },
      iconButton("history", t("history"), () => drawer.open()),
      h("span", { class: "monogram", "aria-hidden": "true" }, [...tenant.name][0]),
      h("div", { class: "names" }, h("h1", { dir: "auto" }, tenant.name), subtitle),
      button([icon("new"), h("span", {}, t("newChat"))], () => switchTo(null), "button new", { title: t("newChat"), "aria-label": t("newChat") }),
      place.corner({ button, h, icon, iconButton, t, drafts })),
    banner,
    scroller,
    h("footer", { class: "dock" }, latest, composer.root, h("div", { class: "small" }, engineLine, composer.note), toast)),
  passage.root, drawer.root, live);

function admitted(answer) {
  Object.assign(engine, answer.engine);
  showEngine();
  place.admitted?.(answer);
}

function showEngine() {
  if (engine.label) refill(engineLine, icon("info"), engineText(t, engine));
}
pass.onAdmitted = admitted;
showEngine();

let frame = 0;
const changed = new Set();
let all = false;

function draw(turn) {
  if (turn) changed.add(turn);
  else all = true;
  frame ||= requestAnimationFrame(paint);
}

function paint() {
  frame = 0;
  const stuck = atEnd();
  const order = conversation.turns;
  if (all || views.size !== order.length || order.some((turn) => !views.has(turn))) arrange(order);
  for (const turn of all ? order : changed) views.get(turn)?.update(turn);
  all = false;
  changed.clear();
  empty.hidden = order.length > 0;
  subtitle.textContent = conversation.title;
  if (place.own) document.title = [conversation.title, tenant.name].filter(Boolean).join(" · ");
  composer.running(Boolean(running()));
  if (stuck && order.length) toEnd();
  noteScroll();
}

function arrange(order) {
  for (const [turn, view] of views) {
    if (order.includes(turn)) continue;
    views.delete(turn);
    view.root.remove();
  }
  order.forEach((turn, at) => {
    if (!views.has(turn)) views.set(turn, new TurnView(t, engine, turnActions));
    const { root } = views.get(turn);
    if (list.children[at] !== root) list.insertBefore(root, list.children[at] ?? null);
    changed.add(turn);
  });
}

const atEnd = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 80;
function toEnd(behavior = "instant") {
  scroller.scrollTo({ top: scroller.scrollHeight, behavior });
}
function noteScroll() {
  latest.hidden = atEnd() || !conversation.turns.length;
}

let toastTimer = 0;
function say(text) {
  live.textContent = text;
  toast.textContent = text;
  toast.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { toast.hidden = true; }, 3500);
}

const running = () => conversation.turns.find((turn) => /accepted|running/.test(turn.state));
const turnActions = {
  cite: (turn, n, opener) => passage.open(turn, n, opener),
  askAgain: (turn) => { conversation.askAgain(turn); flush(); draw(turn); },
  retry: (turn) => { conversation.retry(turn); flush(); draw(turn); },
  rate: (turn, rating, reason) => { conversation.rate(turn, rating, reason); flush(); },
  isOpen: () => connection.state === "open",
  say,
};

function ask(text) {
  if (composer.locked) return;
  const { client_id: id } = conversation.ask(text);
  place.tell?.("message", { session: conversation.session, id });
  flush();
  draw();
  requestAnimationFrame(() => toEnd());
}

function stop() {
  const turn = running();
  if (turn) conversation.stop(turn);
  flush();
}

function flush() {
  if (connection.state !== "open") return;
  for (const due of conversation.due()) connection.send(due);
}

/** `how` it enters the history: "" when it comes from there. */
function switchTo(session, how = "pushState") {
  passage.close();
  const same = session ? session === conversation.session : conversation.fresh;
  conversation.show(session);
  if (how) remember(same ? "replaceState" : how);
  recall();
  if (connection.state === "open") banner.hidden = true;
  if (session) connection.send(conversation.openFrame());
  draw();
  composer.focus();
}

/** For reloads, and on our own page for the back button. */
function remember(how = "replaceState") {
  place.remember(conversation.session, conversation.fresh, how);
}

function named() {
  const { text } = composer;
  remember();
  if (!text) return recall();
  drafts.set(null, "");
  drafts.set(conversation.session, text);
}

function recall() {
  composer.text = drafts.get(conversation.session);
}

function heard(incoming) {
  const before = conversation.session;
  const written = running();
  for (const happened of conversation.receive(incoming)) {
    if (happened.type === "gap") connection.send(conversation.openFrame());
    else if (happened.type === "deleted") gone("deleted");
    else if (happened.type === "error") refused(happened.error);
    else if (happened.type === "turn" && happened.event !== "turn.accepted") draw(happened.turn);
    else draw();
    if (happened.event) told(happened);
  }
  if (!before && conversation.session) named();
  else if (!conversation.session && !composer.text) recall();
  if (written && isFinal(written)) live.textContent = spoken(t, written);
  flush();
}

/** To the page around: that something happened, never what was said. */
function told({ event, turn: { id, state } }) {
  const name = { "turn.completed": "answer", "turn.stopped": "answer", "turn.failed": "error" }[event];
  if (name) place.tell?.(name, { session: conversation.session, turn: id, state });
}

function refused({ code: kind, message, ref }) {
  if (kind !== "session_not_found" || ref) return say(message);
  if (conversation.session) gone("missing");
}

function gone(key) {
  const { text } = composer;
  drafts.set(conversation.session, "");
  switchTo(null, "replaceState");
  if (text) composer.text = text;
  tell(t(key), button(t("close"), () => { banner.hidden = true; }, "link"));
}

const socketUrl = new URL(urls.ws, location.href);
socketUrl.protocol = socketUrl.protocol.replace("http", "ws");
/** Our own page's socket goes by its cookie. */
async function dial(withoutSocket) {
  const token = (withoutSocket || !place.own) && await pass.token();
  if (withoutSocket) return new HttpLine(urls, pass);
  return new WebSocket(socketUrl.href, token ? ["antecedent", `token.${token}`] : []);
}
const connection = new Connection({
  dial, pass, opening: () => conversation.openFrame(), onFrame: heard, onState: connectionChanged,
});
let counter = 0;
let wasLost = false;

function show(text, ...more) {
  refill(banner, h("p", {}, text), more);
  banner.hidden = false;
  delete banner.dataset.tone;
}

/** Said aloud once. */
function tell(text, ...more) {
  live.textContent = text;
  show(text, ...more);
}

function connectionChanged({ state, until, code: closed, error, quiet }) {
  clearInterval(counter);
  if (until || closed) conversation.disconnected();
  draw();
  if (state === "open" && wasLost) {
    wasLost = false;
    tell(t("back"));
    banner.dataset.tone = "good";
    counter = setTimeout(() => { banner.hidden = true; }, 2500);
  } else if (state === "waiting" && !quiet) {
    wasLost = true;
    countdown(until, tell);
    counter = setInterval(countdown, 1000, until, show);
  } else if (state === "closed") refuse(closed, error);
}

function countdown(until, how) {
  if (!navigator.onLine) return how(t("offline"));
  const n = Math.max(1, Math.ceil((until - Date.now()) / 1000));
  how(t("reconnecting", { n }), button(t("now"), () => connection.connect(), "link", { "data-key": "now" }));
}

function refuse(closed, error) {
  place.tell?.("error", error ?? { code: String(closed), message: t("forbidden") });
  if (closed === 4401) return signedOut();
  tell(error?.message ?? t("forbidden"));
  composer.lock(error?.message ?? t("forbidden"));
}

/** The next person may sit here: nothing of this one stays. */
function signedOut() {
  forget();
  remember();
  if (place.own) document.title = tenant.name;
  document.body.replaceChildren(document.querySelector("body > svg"),
    h("main", { class: "empty", role: "alert" }, icon("picture"), h("h1", {}, t("signedOut")),
      h("p", {}, place.again({ button, h, t }))));
}

/** What was typed and what waits to be sent. */
export function forget() {
  drafts.clear();
  conversation.outbox = [];
  conversation.show(null);
}

/** With a new identity of the same person. */
export function connectAgain() {
  if (connection.state !== "closed") return;
  composer.lock("");
  banner.hidden = true;
  connection.connect();
}

export const focus = () => composer.focus();
export const isBusy = (target) => Boolean(target.closest?.("dialog, .why, details[open]") || document.querySelector("dialog[open]"));

addEventListener("online", () => {
  connection.wake();
  banner.hidden ||= connection.state === "open";
});
addEventListener("offline", () => tell(t("offline")));
document.addEventListener("visibilitychange", () => document.hidden || connection.wake());
addEventListener("beforeunload", (event) => place.own && conversation.outbox.some((e) => e.frame.type === "ask") && event.preventDefault());

/** The address names another conversation, or none that is one (undefined). */
export function turnTo(session) {
  if (connection.state === "closed") return;
  drawer.root.close();
  if (session === undefined) gone("missing");
  else switchTo(session, "");
}
/* Out of the back-forward cache, it may be another person's by now. */
addEventListener("pageshow", (event) => event.persisted && location.reload());

const { session: first, fresh } = place.start;
if (first === undefined) gone("missing");
else if (!first && fresh) conversation.show(null);
else conversation.session = first;
if (conversation.session || conversation.fresh) recall();
else composer.refresh();
connection.connect();
if (place.own && matchMedia("(hover: hover)").matches) composer.focus();
