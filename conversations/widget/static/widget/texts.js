/* The texts of the page's language. */

export const LANGUAGES = ["en", "de", "fr", "es", "ar", "ja"];

/** `wanted` are BCP 47 tags. */
export const pick = (...wanted) =>
  wanted.map((tag) => /^[a-z]*/i.exec(tag ?? "")[0].toLowerCase()).find((code) => LANGUAGES.includes(code)) ?? "en";

/** `t` fills {name} places. */
export async function language(...wanted) {
  const code = pick(...wanted);
  const { default: table } = await import(`./texts/${code}.js`);
  const t = (key, values = {}) => (table[key] ?? "").replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
  return { code, dir: code === "ar" ? "rtl" : "ltr", t };
}
