/* Antecedent's widget for your pages: a launcher and a frame. docs/widget.md tells how it is used. */
(() => {
  "use strict";
  const script = document.currentScript || document.querySelector("script[data-key][src*='/widget.js']");
  const early = window.Antecedent;
  if (!script || (early && early.version)) return;
  const settings = { ...script.dataset };
  const address = new URL("widget/frame", script.src);
  const ours = address.origin;
  const listeners = {};
  let shadow, launcher, panel, iframe, port, timer, words, shades, look, identity = "", adopt = true;
  let isReady = false, isOpen = false, wanted = false, isOver = false, hasFocus = false;

  const el = (tag, attributes, parent) => {
    const node = document.createElement(tag);
    for (const name in attributes) node.setAttribute(name, attributes[name]);
    if (parent) parent.append(node);
    return node;
  };
  const send = (type, data) => port && port.postMessage({ type, ...data });

  function emit(name, data = {}) {
    for (const listener of [...(listeners[name] || [])]) {
      try {
        listener(data);
      } catch (error) {
        setTimeout(() => { throw error; });
      }
    }
  }

  function fail(code, message) {
    console.error(`[Antecedent] ${message} (${code})`);
    emit("error", { code, message, fatal: true });
    isOver = true;
    clearTimeout(timer);
    if (shadow) shadow.host.remove();
  }

  /* Nothing of the page's styles comes in: a closed shadow root, all properties reset, none of them to be overruled. */
  function draw() {
    const host = el("antecedent-widget", {});
    const fixed = { all: "initial", position: "fixed", inset: "auto 0 0 auto", width: "0", height: "0", "z-index": "2147483000", display: "block" };
    for (const name in fixed) host.style.setProperty(name, fixed[name], "important");
    shadow = host.attachShadow({ mode: "closed" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    shadow.adoptedStyleSheets = [sheet];
    panel = el("div", { class: "panel", inert: "" }, shadow);
    iframe = el("iframe", { title: "Chat", allow: "clipboard-write", referrerpolicy: "origin" });
    iframe.addEventListener("load", greet);
    address.search = new URLSearchParams({ key: settings.key || "" });
    iframe.src = address.href;
    panel.append(iframe);
    document.documentElement.append(host);
    timer = setTimeout(refused, 20000);
  }

  /* A fresh channel for each page in the frame. Only a page of ours can receive it. */
  function greet() {
    const { port1, port2 } = new MessageChannel();
    port = port1;
    port.onmessage = ({ data }) => hears[data.type] && hears[data.type](data);
    const { theme, language } = settings;
    iframe.contentWindow.postMessage({ antecedent: 1, identity, adopt, theme, language, open: isReady ? isOpen : wanted }, ours, [port2]);
    clearTimeout(timer);
    timer = setTimeout(refused, 5000);
  }

  const refused = () => fail("frame_refused",
    `The chat could not be shown on ${location.origin}. Add this origin, and that of every page around this one, to the widget's ` +
    `allowed origins; if this page has a Content-Security-Policy, allow ${ours} in frame-src.`);

  const hears = {
    ready(data) {
      clearTimeout(timer);
      ({ look, words, shades } = data);
      iframe.title = words.title;
      shadow.host.dir = data.dir;
      panel.dataset.theme = data.theme;
      if (isReady) return show(isOpen, hasFocus);
      isReady = true;
      drawLauncher();
      emit("ready");
      if (data.open || wanted) show(true, wanted);
    },
    refused: ({ code, message }) => fail(code, message),
    close: () => show(false, true),
    event({ name, data }) {
      if (name === "answer" && !isOpen) launcher.dataset.news = "";
      emit(name, data);
    },
    leaving() {
      hasFocus = shadow.activeElement === iframe;
      port = null;
    },
  };

  function drawLauncher() {
    const { icon, label } = look.launcher;
    const side = settings.position || look.position;
    panel.dataset.side = side;
    launcher = el("button", { type: "button", "aria-expanded": "false", "aria-haspopup": "dialog" });
    launcher.dataset.side = side;
    for (const name in shades) shadow.host.style.setProperty(name, shades[name]);
    const text = settings.label || label;
    const svg = (d) => {
      const drawn = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      drawn.setAttribute("viewBox", "0 0 24 24");
      drawn.setAttribute("aria-hidden", "true");
      path.setAttribute("d", d);
      drawn.append(path);
      return drawn;
    };
    launcher.append(svg(ICONS[icon] || ICONS.chat), svg(ICONS.close));
    if (text) el("span", {}, launcher).textContent = text;
    launcher.addEventListener("click", () => show(!isOpen, true));
    for (const hint of ["pointerenter", "focus"]) launcher.addEventListener(hint, () => send("warm"), { once: true });
    shadow.prepend(launcher);
    relabel();
  }

  const relabel = () => {
    const text = (launcher.querySelector("span") || {}).textContent;
    const name = isOpen ? words.close : words.open;
    launcher.setAttribute("aria-label", text && !isOpen ? `${text}: ${name}` : name);
    launcher.setAttribute("aria-expanded", isOpen);
  };

  function show(open, focus) {
    if (isOver) return;
    wanted = open;
    if (!isReady) return;
    const changed = open !== isOpen;
    isOpen = open;
    panel.classList.toggle("open", open);
    launcher.classList.toggle("open", open);
    panel.inert = !open;
    if (open) delete launcher.dataset.news;
    relabel();
    if (open && focus) iframe.focus();
    else if (!open && focus && changed) launcher.focus();
    send("shown", { open, focus: Boolean(focus) });
    if (changed) emit(open ? "open" : "close");
  }

  const ICONS = {
    chat: "M5 5.5h14A1.5 1.5 0 0 1 20.5 7v8.5A1.5 1.5 0 0 1 19 17h-7l-4.5 3.5V17H5a1.5 1.5 0 0 1-1.5-1.5V7A1.5 1.5 0 0 1 5 5.5ZM8 9.5h8M8 13h5",
    help: "M9 9.2a3 3 0 1 1 4.3 2.7c-.9.5-1.3 1-1.3 2M12 17.2v.01M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17Z",
    spark: "M12 4l1.9 5.1L19 11l-5.1 1.9L12 18l-1.9-5.1L5 11l5.1-1.9ZM19 16.5v3M17.5 18h3",
    close: "m6.5 9.5 5.5 5.5 5.5-5.5",
  };
  const STYLE = `
    button { all: unset; box-sizing: border-box; position: fixed; bottom: max(20px, env(safe-area-inset-bottom)); right: max(20px, env(safe-area-inset-right));
      display: flex; align-items: center; justify-content: center; gap: 10px; min-width: 60px; height: 60px; padding: 0 17px; cursor: pointer;
      border-radius: 22px 22px 7px; background: var(--accent); color: var(--on-accent); font: 600 16px/1.2 system-ui, sans-serif;
      box-shadow: 0 1px 2px rgb(0 0 0 / .18), 0 10px 28px rgb(0 0 0 / .22); transition: transform .18s, box-shadow .18s; animation: in .35s; }
    button[data-side=left], .panel[data-side=left] { right: auto; left: max(20px, env(safe-area-inset-left)); }
    button[data-side=left] { border-radius: 22px 22px 22px 7px; }
    button:hover { transform: translateY(-2px); box-shadow: 0 2px 3px rgb(0 0 0 / .2), 0 16px 36px rgb(0 0 0 / .26); }
    button:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; box-shadow: 0 0 0 3px #fff; }
    button[data-news]::after { content: ""; position: absolute; top: -3px; right: -3px; width: 12px; height: 12px; border: 3px solid #fff; border-radius: 50%; background: #e0a100; }
    svg { width: 26px; height: 26px; fill: none; stroke: currentcolor; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; }
    svg + svg, .open svg, .open span { display: none; }
    .open svg + svg { display: block; }
    .panel { position: fixed; bottom: 94px; right: max(20px, env(safe-area-inset-right)); width: 412px; height: min(680px, calc(100vh - 114px)); height: min(680px, calc(100dvh - 114px));
      visibility: hidden; opacity: 0; transform: translateY(12px) scale(.985); transform-origin: 100% 100%; transition: opacity .2s, transform .2s, visibility .2s;
      border-radius: 22px; overflow: hidden; background: #f5f7f6; box-shadow: 0 0 0 1px rgb(0 0 0 / .08), 0 24px 70px rgb(0 0 0 / .28); }
    .panel[data-theme=dark] { background: #0e1617; }
    .panel[data-side=left] { transform-origin: 0 100%; }
    .panel.open { visibility: visible; opacity: 1; transform: none; }
    iframe { display: block; width: 100%; height: 100%; border: 0; color-scheme: normal; }
    @media (max-width: 499px), (max-height: 479px) {
      .panel, .panel[data-side=left] { inset: 0; width: 100%; height: 100%; border-radius: 0; }
      button.open { display: none; }
    }
    @media (prefers-color-scheme: dark) { .panel[data-theme=auto] { background: #0e1617; } }
    @media (prefers-reduced-motion: reduce) { button, .panel { transition: none; animation: none; } }
    @media print { :host { display: none !important; } }
    @keyframes in { from { opacity: 0; transform: translateY(10px); } }`;

  const api = {
    version: 1,
    open: () => show(true, true),
    close: () => show(false, true),
    toggle: () => show(!(isReady ? isOpen : wanted), true),
    identify(token, options) {
      identity = String(token);
      adopt = !options || options.adopt !== false;
      send("identify", { identity, adopt });
    },
    reset() {
      identity = "";
      send("reset");
    },
    on(name, listener) {
      listeners[name] = [...(listeners[name] || []), listener];
      if (name === "ready" && isReady) setTimeout(listener, 0, {});
    },
    off: (name, listener) => void (listeners[name] = (listeners[name] || []).filter((one) => one !== listener)),
  };
  window.Antecedent = api;
  for (const [name, ...given] of (early && early.q) || []) if (typeof api[name] === "function") api[name](...given);
  if (!settings.key) return fail("widget_key_missing", "The script tag has no data-key.");
  draw();
})();
