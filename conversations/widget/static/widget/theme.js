/* The tenant's accent made legible; light or dark. */
import { stored } from "./dom.js";

const CHOICE = "antecedent.theme";
const PAPER = { light: [245, 247, 246], dark: [14, 22, 23] };
const CONTRAST = 4.6;

const channels = (hex) =>
  /^#[0-9a-f]{6}$/i.test(hex) ? [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)) : null;
const css = (rgb) => `rgb(${rgb.map(Math.round).join(" ")})`;
const linear = (c) => (c <= 10.3 ? c / 3294.6 : ((c / 255 + 0.055) / 1.055) ** 2.4);
const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);

/** WCAG contrast ratio of two [r, g, b]. */
export function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

/** Moved towards black or white until it reads on `ground`. */
function legible(rgb, ground, ratio = CONTRAST) {
  const peak = Math.max(...rgb, 1);
  const target = (c) => (luminance(ground) > 0.2 ? 0 : 165 + (90 * c) / peak);
  for (let share = 0; share < 1; share += 0.06) {
    const mixed = rgb.map((c) => c + (target(c) - c) * share);
    if (contrast(mixed, ground) >= ratio) return mixed;
  }
  return rgb.map(target);
}

export function accentProperties(hex) {
  const rgb = channels(hex);
  if (!rgb) return {};
  const onAccent = contrast(rgb, [255, 255, 255]) >= CONTRAST ? [255, 255, 255] : [12, 20, 20];
  const fill = legible(rgb, onAccent);
  return {
    "--accent": css(fill),
    "--on-accent": css(onAccent),
    "--accent-ink-light": css(legible(rgb, PAPER.light)),
    "--accent-ink-dark": css(legible(rgb, PAPER.dark, 7)),
  };
}

export function applyAccent(hex, root = document.documentElement) {
  for (const [name, value] of Object.entries(accentProperties(hex))) root.style.setProperty(name, value);
}

export const themeChoice = () => document.documentElement.dataset.theme ?? "system";

export function chooseTheme(choice) {
  const root = document.documentElement;
  if (choice === "system") delete root.dataset.theme;
  else root.dataset.theme = choice;
  stored.set(CHOICE, choice === "system" ? null : choice);
}
