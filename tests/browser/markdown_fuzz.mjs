/* Thousands of hostile answers through the chat's own renderer, in one page: what got through, and what took too long. */
import { parse, plain, render } from "/widget/markdown.js";

const TAGS = new Set("A BLOCKQUOTE BR BUTTON CODE DIV EM H3 H4 H5 H6 HR LI OL P PRE STRONG TABLE TBODY TD TH THEAD TR UL".split(" "));
/** ":" is what a browser says of an address that is none: it leads nowhere. */
const SCHEMES = new Set(["http:", "https:", "mailto:", ":"]);
const ATTRIBUTES = new Set(["href", "target", "rel", "start", "class", "tabindex", "type"]);
const PIECES = [
  "# ", "## ", " #", "> ", "- ", "* ", "1. ", "999999999) ", "---", "***", "```", "~~~", "`", "``", "|", "|--|--|", ":-:", "\\", "\\\n",
  "**", "__", "*", "_", "[", "]", "(", ")", "](", "![", "<", ">", "\"", "'", "\n", "\n\n", "  \n", "    ", "\t", "\r", "\u2028", "\u0000", "\u202e",
  "\ud83d\ude00", "\ud800", "[1]", "[1, 2, 9]", "[01]", "https://", "http://x.example/a_b*c", "mailto:a@b.example", "javascript:hit()", "java\tscript:hit()",
  "JaVaScRiPt://x/%0ahit()", "data:text/html,<script>hit()</script>", "vbscript:hit()", "//evil.example/x", "blob:x", "\u0001javascript:hit()",
  "&#106;avascript:hit()", "[x](javascript:hit())", "[x](<javascript:hit()>)", "![x](https://evil.example/p.png)", "<img src=x onerror=hit()>",
  "<script>hit()</script>", "<svg onload=hit()>", "<iframe src=javascript:hit()>", "<a href='javascript:hit()'>x</a>", "<style>*{background:url(//evil.example)}</style>",
  "<link rel=stylesheet href=//evil.example/x.css>", "<math><mtext></p><img src=x onerror=hit()>", "[a]: javascript:hit()", "<!--", "]]>", "{{", "${hit()}",
  "[x](https://x.example \"onmouseover=hit()\")", "[x](https://x.example/\"onmouseover=\"hit())", "<https://evil.example>", "{onclick=hit()}",
];
/** Where these stand, a word may go by the rules: an address, a title, the name after a fence, a cell beyond the heading's. */
const MAY_DROP = /\]\(|```|~~~|\|/;

/** Mulberry32: small, seeded, the same everywhere. */
function dice(seed) {
  return (sides) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % sides;
  };
}

function made(roll, words) {
  let text = "";
  for (let n = 3 + roll(40); n > 0; n -= 1) text += roll(4) ? PIECES[roll(PIECES.length)] : ` ${words[words.push(`word${words.length}q`) - 1]} `;
  for (let n = roll(4); n > 0; n -= 1) {
    const at = roll(text.length + 1);
    text = roll(2) ? text.slice(0, at) + PIECES[roll(PIECES.length)] + text.slice(at) : text + text.slice(at, at + roll(60));
  }
  return text;
}

function chip(n) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(`{${n}}`);
  return n < 4 ? button : null;
}

function wrong(element) {
  if (!TAGS.has(element.tagName)) return `element ${element.tagName}`;
  for (const { name, value } of element.attributes) {
    if (!ATTRIBUTES.has(name)) return `attribute ${name}`;
    if (name === "href" && !SCHEMES.has(element.protocol)) return `address ${value}`;
  }
  return element.tagName === "A" && element.rel !== "noopener noreferrer nofollow" && "a link with a referrer";
}

export function fuzz(seed, count) {
  const found = [];
  const stage = document.querySelector("#stage");
  for (let n = 0; n < count && found.length < 5; n += 1) {
    const words = [];
    const source = made(dice(seed + n), words);
    try {
      const blocks = parse(source);
      stage.replaceChildren(...blocks.map((block) => render(block, chip)));
      const bad = [...stage.querySelectorAll("*")].map(wrong).find(Boolean);
      if (bad) found.push({ source, bad });
      const told = stage.textContent;
      const lost = !MAY_DROP.test(source) && words.find((word) => source.includes(word) && (!told.includes(word) || !plain(blocks).includes(word)));
      if (lost) found.push({ source, bad: `lost ${lost}` });
    } catch (error) {
      found.push({ source, bad: String(error) });
    }
  }
  stage.querySelectorAll("a").forEach((link) => link.dispatchEvent(new MouseEvent("mouseover", { bubbles: true })));
  return found;
}

/** Texts that grow: what a careless pattern needs the square or the cube of their length for. */
export const GROWING = {
  "a heading and spaces": (n) => `# a${" ".repeat(n)}b`,
  "a heading and its marks": (n) => `# ${"#".repeat(n)}x`,
  "a heading of marks and spaces": (n) => `# ${"# ".repeat(n / 2)}x`,
  "a fence that is none": (n) => `${"~".repeat(n)}\``,
  "ticks": (n) => "`".repeat(n) + "x",
  "ticks of every length": (n) => Array.from({ length: Math.sqrt(n) }, (_, i) => "`".repeat(i + 1)).join("x"),
  "a divider that is none": (n) => `a|b\n-${" ".repeat(n)}x`,
  "a divider of bars": (n) => `a|b\n${"-|".repeat(n / 2)}x`,
  "a rule that is none": (n) => `${"- ".repeat(n / 2)}x`,
  "blank lines in a list": (n) => `- a\n${" \n".repeat(n / 2)}x`,
  "blank lines between items": (n) => "- a\n\n".repeat(n / 5),
  "a long item": (n) => `- a\n${"  b\n".repeat(n / 4)}`,
  "spaces before a line's end": (n) => `a${" ".repeat(n)}b\nc`,
  "spaces before a full stop": (n) => `a${" ".repeat(n)}b.`,
  "stars": (n) => "*".repeat(n),
  "open emphasis": (n) => "*a ".repeat(n / 3),
  "open strong": (n) => "**a ".repeat(n / 4),
  "open underscores": (n) => "_a ".repeat(n / 3),
  "nested emphasis": (n) => "*a **b ".repeat(n / 7),
  "brackets": (n) => "[".repeat(n),
  "links that are none": (n) => `[a](${"x".repeat(n)} `,
  "many links that are none": (n) => "[a](b".repeat(n / 5),
  "addresses": (n) => "http://".repeat(n / 7),
  "an address of full stops": (n) => `http://x${".".repeat(n)}`,
  "quotes": (n) => `${"> ".repeat(20)}a\n`.repeat(n / 42),
  "nested lists": (n) => Array.from({ length: n / 10 }, (_, i) => `${" ".repeat((i % 8) * 2)}- a`).join("\n"),
  "a table of many columns": (n) => `${"|a".repeat(n / 8)}|\n${"|-".repeat(n / 8)}|\n${"|\n".repeat(n / 4)}`,
  "bars": (n) => "|\n".repeat(n / 2),
  "backslashes": (n) => "\\".repeat(n),
  "citations": (n) => `[${"1,".repeat(n / 2)}`,
};

const REPEATS = 16;
const ROUNDS = 15;

/** How much longer one text takes than as many shorter ones of the same length together: about 1 for what grows with its
 *  length, the factor itself for its square. Stops at the first factor that shows more than `most`. */
export function growth(name, size, most) {
  const once = (n, times) => {
    const source = GROWING[name](n);
    const begun = performance.now();
    for (let time = 0; time < times; time += 1) {
      const blocks = parse(source);
      plain(blocks);
      blocks.forEach((block) => render(block, chip));
    }
    return performance.now() - begun;
  };
  let ratio = 0;
  for (const factor of [4, 16]) {
    // A machine that is busy makes either side slow now and then: the least of each counts, looked at until it is plain.
    let [floor, taken] = [Infinity, Infinity];
    for (let round = 0; round < ROUNDS && !(round > 1 && (ratio <= most || ratio > 2 * most)); round += 1) {
      floor = Math.min(floor, once(size, REPEATS));
      taken = Math.min(taken, once(factor * size, REPEATS / factor));
      ratio = taken / Math.max(floor, 0.5);
    }
    if (ratio > most) return ratio;
  }
  return ratio;
}
