import assert from "node:assert/strict";
import { test } from "node:test";
import { citedRuns, spansOf } from "../../../conversations/widget/static/widget/panels.js";
import { addedRuns } from "../../../conversations/widget/static/widget/rewrite.js";
import { LANGUAGES, language, pick } from "../../../conversations/widget/static/widget/texts.js";

const added = (typed, searched, words) => addedRuns(typed, searched, words).filter((run) => run.added).map((run) => run.text);
const whole = (runs) => runs.map((run) => run.text).join("");

test("words that the message did not have are marked", () => {
  assert.deepEqual(added("And for Dublin?", "RPO for Dublin"), ["RPO"]);
  assert.deepEqual(added("what about its price", "what about product A's price"), ["product A's"]);
});

test("case, possessives and punctuation are no additions", () => {
  assert.deepEqual(added("is the SLA’s credit, paid", "Is the sla credit paid?"), []);
});

test("additions are found where words have no spaces between them", () => {
  assert.deepEqual(added("価格は?", "製品の価格は?"), ["製品"]);
});

test("function words at the edges of an added phrase are not marked, within it they are", () => {
  assert.deepEqual(added("and Dublin?", "What is the RPO in Dublin?"), ["RPO"]);
  assert.deepEqual(added("and Dublin?", "What is the price of a customer-managed key in Dublin?"), ["price of a customer-managed key"]);
  assert.deepEqual(added("Dublin", "What is it in Dublin?"), []);
  assert.deepEqual(added("the rest?", "the rest of the IT"), ["IT"]);
});

test("the function words of the page's language are known", async () => {
  for (const [code, typed, searched, expected] of [
    ["de", "und in Dublin?", "Wie hoch ist die Gebühr für den Schlüssel in Dublin?", ["hoch ist die Gebühr für den Schlüssel"]],
    ["fr", "et à Dublin ?", "Quelle est la durée à Dublin ?", ["durée"]],
    ["es", "¿y en Dublín?", "¿Cuál es el precio en Dublín?", ["precio"]],
    ["ar", "في دبلن؟", "ما هي السياسة في دبلن؟", ["السياسة"]],
    ["ja", "価格は?", "製品の価格は?", ["製品"]],
  ]) {
    const { t } = await language(code);
    assert.deepEqual(added(typed, searched, t("functionWords")), expected, code);
  }
});

test("the exact query is marked to the letter", () => {
  const query = "does it rotate? encryption key Frankfurt External keys";
  assert.deepEqual(added("does it rotate?", query), ["encryption key Frankfurt External keys"]);
  assert.equal(whole(addedRuns("does it rotate?", query)), query);
});

test("the runs together are the search, whatever was typed", () => {
  for (const text of ["", "C++ and .NET in eu-west-1", "🙂 ok", "O'Neil's", "ما هي السياسة؟"]) {
    assert.equal(whole(addedRuns("C++", text)), text);
  }
});

test("cited spans are cut by code points, in order and without overlap", () => {
  const runs = citedRuns("🙂 one. two. three.", [[7, 11], [2, 6], [4, 8]]);
  assert.equal(whole(runs), "🙂 one. two. three.");
  assert.deepEqual(runs.filter((run) => run.cited).map((run) => run.text).join(""), "one. two.");
});

test("without spans the snippet is looked for, and a missing one marks nothing", () => {
  assert.deepEqual(spansOf({ text: "🙂 b c" }, "…b c…"), [[2, 5]]);
  assert.deepEqual(spansOf({ text: "a" }, "zzz"), []);
  assert.deepEqual(spansOf({ text: "a b", highlight: [[0, 1]] }, "b"), [[0, 1]]);
});

test("every language has every text, with the same places to fill", async () => {
  const load = async (code) => (await import(`../../../conversations/widget/static/widget/texts/${code}.js`)).default;
  const english = { ...(await load("en")), functionWords: "known without a table" };
  const places = (text) => (text.match(/\{\w+\}/g) ?? []).sort();
  for (const code of LANGUAGES) {
    const table = code === "en" ? english : await load(code);
    assert.deepEqual(Object.keys(table), Object.keys(english), code);
    for (const key of Object.keys(english)) {
      assert.ok(table[key].trim(), `${code}.${key}`);
      assert.deepEqual(places(table[key]), places(english[key]), `${code}.${key}`);
    }
  }
});

test("the first known language wins and English is the last resort", async () => {
  assert.equal(pick("xx", "de-AT", "fr"), "de");
  assert.equal(pick(undefined, "constructor"), "en");
  assert.equal((await language("ar-EG")).dir, "rtl");
  assert.equal((await language("ja")).dir, "ltr");
});
