/* The preview beside a widget's form follows what is typed. Nothing is saved by it. */
(() => {
  const form = document.querySelector("[data-look-form]");
  const shown = document.querySelector("[data-preview]");
  if (!form || !shown) return;
  const stage = shown.closest("[data-stage]");
  const field = (name) => form.elements[name];
  const text = (name) => field(name).value.replace(/\s+/g, " ").trim();
  let theme = "";
  let current = shown.getAttribute("src");
  let timer = 0;

  /* As the server reads the form: what is empty is the workspace's own. */
  function look() {
    const made = {};
    for (const name of ["name", "greeting", "accent", "language", "theme", "position"]) if (text(name)) made[name] = text(name);
    const questions = field("suggestions").value.split("\n").map((line) => line.trim()).filter(Boolean);
    if (questions.length) made.suggestions = questions;
    const launcher = {};
    if (text("launcher_icon")) launcher.icon = text("launcher_icon");
    if (text("launcher_label")) launcher.label = text("launcher_label");
    if (field("launcher_open").checked) launcher.open = true;
    if (Object.keys(launcher).length) made.launcher = launcher;
    return made;
  }

  function packed(value) {
    const bytes = new TextEncoder().encode(JSON.stringify(value));
    const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
    return btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  }

  function show() {
    const address = `${shown.dataset.preview}${packed(look())}/${theme ? `?theme=${theme}` : ""}`;
    if (address === current) return;
    current = address;
    shown.contentWindow.location.replace(address); /* leaves the browser's history alone */
  }

  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(show, 450);
  };

  /* A colour being typed is none yet: the preview keeps the last one that was. */
  function listen({ target }) {
    const pick = form.querySelector("[data-colour]");
    if (target === pick) {
      field("accent").value = pick.value;
      field("accent").dispatchEvent(new Event("input", { bubbles: true }));
      return;
    }
    if (target === field("accent")) {
      if (!/^(#[0-9a-f]{6})?$/i.test(target.value)) return;
      if (target.value) pick.value = target.value;
    }
    soon();
  }

  function choose(group, button) {
    for (const other of stage.querySelectorAll(`[data-${group}]`)) other.setAttribute("aria-pressed", String(other === button));
  }

  form.addEventListener("input", listen);
  form.addEventListener("change", listen);
  stage.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    if (!button) return;
    if ("theme" in button.dataset) {
      choose("theme", button);
      theme = button.dataset.theme;
      show();
    } else if ("size" in button.dataset) {
      choose("size", button);
      stage.dataset.size = button.dataset.size;
    }
  });
})();
