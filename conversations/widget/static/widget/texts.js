/* The texts of the page's language. Each table in texts/ holds the same keys; only the one that is needed is loaded. */

export const LANGUAGES = ["en", "de", "fr", "es", "ar", "ja"];

/** The first of `wanted` (BCP 47 tags) that there is a table for, else English. */
export const pick = (...wanted) =>
  wanted.map((tag) => /^[a-z]*/i.exec(tag ?? "")[0].toLowerCase()).find((code) => LANGUAGES.includes(code)) ?? "en";

/** `{code, dir, t}`; `t(key, values)` fills {name} places and gives "" for an unknown key. */
export async function language(...wanted) {
  const code = pick(...wanted);
  const { default: table } = await import(`./texts/${code}.js`);
  const t = (key, values = {}) => (table[key] ?? "").replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
  return { code, dir: code === "ar" ? "rtl" : "ltr", t };
}
