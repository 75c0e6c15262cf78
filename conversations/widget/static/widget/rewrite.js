/* Which words of a search were not in the message. Pure. */

const SCRIPTS_WITHOUT_SPACES = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]/;

function pieces(text) {
  if (SCRIPTS_WITHOUT_SPACES.test(text) && globalThis.Intl?.Segmenter) {
    const words = new Intl.Segmenter(undefined, { granularity: "word" });
    return Array.from(words.segment(text), ({ segment, isWordLike }) => ({ text: segment, word: Boolean(isWordLike) }));
  }
  const found = text.match(/[\p{L}\p{N}\p{M}]+(?:['’.+#&/_-]*[\p{L}\p{N}\p{M}+#]+)*|[^\p{L}\p{N}\p{M}]+/gu) ?? [];
  return found.map((piece) => ({ text: piece, word: /[\p{L}\p{N}]/u.test(piece) }));
}

const fold = (word) => word.normalize("NFKC").toLowerCase().replace(/['’]s$/, "");

/** `searched` as runs [{text, added}]. */
export function addedRuns(typed, searched) {
  const known = new Set(pieces(typed).map(({ text }) => fold(text)));
  const runs = [];
  let gap = "";
  for (const { text, word } of [...pieces(searched), { text: "", word: true }]) {
    if (!word) gap += text;
    else {
      const added = text !== "" && !known.has(fold(text));
      const last = runs.at(-1);
      if (last?.added === added) last.text += gap + text;
      else if (added) runs.push({ text: gap, added: false }, { text, added });
      else runs.push({ text: gap + text, added });
      gap = "";
    }
  }
  return runs.filter(({ text }) => text);
}
