/* Elements, and what a frame may be refused. */

/** False and null are left out. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) if (child || child === 0) element.append(child);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  const use = document.createElementNS(SVG, "use");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  use.setAttribute("href", `#i-${name}`);
  svg.append(use);
  return svg;
}

export const button = (content, onclick, style = "button", attributes = {}) =>
  h("button", { type: "button", class: style, onclick, ...attributes }, content);

export const iconButton = (name, label, onclick, attributes = {}) =>
  button(icon(name), onclick, "ghost", { "aria-label": label, title: label, ...attributes });

/** The focus stays with the same data-key. */
export function refill(parent, ...children) {
  const key = parent.contains(document.activeElement) && document.activeElement.dataset.key;
  parent.replaceChildren(...children.flat(Infinity).filter(Boolean));
  if (key) parent.querySelector(`[data-key="${key}"]`)?.focus({ preventScroll: true });
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h("textarea", { class: "visually-hidden", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
