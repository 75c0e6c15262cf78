import assert from "node:assert/strict";
import { test } from "node:test";
import "./fake_document.mjs";
import { parse, plain, render, safeHref } from "../../../conversations/widget/static/widget/markdown.js";

const chip = (n) => (n < 4 ? document.createTextNode(`{${n}}`) : null);
const html = (text) => parse(text).map((block) => render(block, chip).outline).join("");

test("paragraphs, emphasis, code and hard breaks are rendered", () => {
  assert.equal(html("a **b _c_** `d*e*`\n\nf  \ng"),
    "<p>a <strong>b <em>c</em></strong> <code>d*e*</code></p><p>f<br></br>g</p>");
});

test("citations of known sources become chips and others stay text", () => {
  assert.equal(html("x [1][2, 3] [9]"), "<p>x {1}{2}{3} [9]</p>");
});

test("nested lists keep their order, start and depth", () => {
  assert.equal(html("3. a\n   - b\n   - c\n4. d"), "<ol start=3><li>a<ul><li>b</li><li>c</li></ul></li><li>d</li></ol>");
});

test("a table becomes cells with their alignment", () => {
  const [grid] = parse("| a | b |\n|:--|--:|\n| 1 | 2 \\| 3 |").map((block) => render(block, chip));
  assert.deepEqual(grid.find("td").map((cell) => cell.outline), ["<td class=to-start>1</td>", "<td class=to-end>2 | 3</td>"]);
});

test("a fence that the stream has not closed yet is code already", () => {
  assert.equal(html("```sql\nselect 1"), "<pre tabindex=0><code>select 1</code></pre>");
});

test("HTML stays text", () => {
  const hostile = "<img src=x onerror=alert(1)><script>alert(1)</script>";
  assert.equal(html(hostile), `<p>${hostile}</p>`);
  assert.deepEqual(parse(hostile)[0].children, [{ type: "text", text: hostile }]);
});

test("images are links and never loaded", () => {
  const [paragraph] = parse("![a cat](https://x.example/cat.png)").map((block) => render(block, chip));
  assert.equal(paragraph.find("img").length, 0);
  assert.equal(paragraph.find("a")[0].attributes.href, "https://x.example/cat.png");
});

test("links leave without opener, referrer or rank", () => {
  assert.equal(html("[a](https://x.example/b_(c))"),
    "<p><a href=https://x.example/b_(c) target=_blank rel=noopener noreferrer nofollow>a</a></p>");
});

for (const href of ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\tscript:alert(1)", "data:text/html,x", "vbscript:x",
  "//evil.example", "/relative", "file:///etc/passwd", "https://", " javascript:alert(1)", "blob:https://x"]) {
  test(`a link to ${JSON.stringify(href)} is text`, () => {
    assert.equal(safeHref(href), null);
    assert.equal(render(parse(`[x](${href})`)[0], chip).find("a").length, 0);
  });
}

test("snake_case, multiplication and unmatched marks stay as they are", () => {
  for (const text of ["snake_case_name", "2 * 3 * 4", "**open", "[open", "`open", "a_b"]) assert.equal(html(text), `<p>${text}</p>`);
});

test("a bare address is a link without the full stop", () => {
  assert.match(html("See https://x.example/a. Then"), /href=https:\/\/x\.example\/a target.*<\/a>\. Then/);
});

test("blocks that have not changed keep their source while the text grows", () => {
  const before = parse("one\n\ntwo");
  const after = parse("one\n\ntwo and more");
  assert.equal(before[0].src, after[0].src);
  assert.notEqual(before[1].src, after[1].src);
});

test("what a screen reader hears has no marks and no numbers", () => {
  assert.equal(plain(parse("**Fifteen** minutes [1].\n\n- a\n- b")).replace(/\s+/g, " ").trim(), "Fifteen minutes. a b");
});

test("hostile nesting ends and stays shallow", () => {
  const depth = (nodes) => 1 + Math.max(0, ...nodes.map((n) => depth([...(n.children ?? []), ...(n.items ?? []).flat()])));
  for (const piece of ["> ", "- ", "**a ", "_a ", "[", "![", "`", "[a](", "* _", "| a ", "1. ", "\\", "https://", "  - a\n"]) {
    assert.ok(depth(parse(piece.repeat(3000))) < 40, piece);
  }
});

test("a heading keeps a mark that belongs to its word", () => {
  assert.equal(html("# C#\n## F# and C# ##"), "<h3>C#</h3><h4>F# and C#</h4>");
});

test("blank lines inside an item do not end it", () => {
  assert.equal(html("- a\n\n\n  b\n- c"), "<ul><li>a<p>b</p></li><li>c</li></ul>");
});

test("a backslash at the end of a line breaks it", () => assert.equal(html("a\\\nb"), "<p>a<br></br>b</p>"));

test("rows of a wide table are not filled up to its width", () => {
  const wide = `${"|a".repeat(100)}|\n${"|-".repeat(100)}|\n|1|2|\n`;
  const [grid] = parse(wide).map((block) => render(block, chip));
  assert.deepEqual([grid.find("th").length, grid.find("td").length], [100, 32]);
});
