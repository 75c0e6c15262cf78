/* Which words of a search the message did not have. */

const SCRIPTS_WITHOUT_SPACES = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]/;
const ENGLISH = "the for from with and but are was were does did has have had can could will would should may what "
  + "which who when where why how that this these those its";
const SHORT = /^([a-zà-ÿ]{1,2}|[\u3040-\u309f]{1,3})$/;

function pieces(text) {
  if (SCRIPTS_WITHOUT_SPACES.test(text) && globalThis.Intl?.Segmenter) {
    const words = new Intl.Segmenter(undefined, { granularity: "word" });
    return Array.from(words.segment(text), ({ segment, isWordLike }) => ({ text: segment, word: isWordLike }));
  }
  const found = text.match(/[\p{L}\p{N}\p{M}]+(?:['’.+#&/_-]*[\p{L}\p{N}\p{M}+#]+)*|[^\p{L}\p{N}\p{M}]+/gu) ?? [];
  return found.map((piece) => ({ text: piece, word: /[\p{L}\p{N}]/u.test(piece) }));
}

const fold = (word) => word.normalize("NFKC").toLowerCase().replace(/['’]s$/, "");

/** Runs [{text, added}]. Function words (English, `more`) count within added phrases. */
export function addedRuns(typed, searched, more = "") {
  const functionWords = `${ENGLISH} ${more}`.split(" ");
  const isFunction = (word) => SHORT.test(word) || functionWords.includes(word);
  const known = new Set(pieces(typed).map(({ text }) => fold(text)));
  const runs = [];
  let gap = "";
  for (const [at, { text, word }] of [...pieces(searched), { text: "", word: true }].entries()) {
    const added = text !== "" && !known.has(fold(text));
    if (!word || (added && isFunction(at < 2 ? text.toLowerCase() : text))) gap += text;
    else {
      const last = runs.at(-1);
      if (last?.added === added) last.text += gap + text;
      else if (added) runs.push({ text: gap, added: false }, { text, added });
      else runs.push({ text: gap + text, added });
      gap = "";
    }
  }
  return runs.filter(({ text }) => text);
}
