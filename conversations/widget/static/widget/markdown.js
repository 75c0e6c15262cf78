/* A safe subset of Markdown. HTML stays text. Takes time and makes cells in proportion to the text, whatever it says. */
import { h } from "./dom.js";

const DEPTH = 8;
const PADDED = 32;
const FENCE = /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))[^`]*$/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*)$/;
/** Marks that close a heading stand by themselves: "C#" keeps its own. */
const CLOSING = /(?<!\S)#+$/;
const ITEM = /^(\s*)(?:([-*+])|(\d{1,9})[.)])\s+(.*)$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const QUOTE = /^ {0,3}>\s?(.*)$/;
const DIVIDER = /^:?-+:?$/;
const SPECIAL = /[\\`*_[!]|https?:\/\//g;

/** Null unless http, https or mailto. */
export function safeHref(href) {
  const clean = href.trim().replace(/[\u0000-\u0020]+/g, "");
  return /^(https?:\/\/[^/?#:]|mailto:[^?]+@)/i.test(clean) ? clean : null;
}

/** Blocks [{type, src, …}]; `src` tells whether to draw again. */
export function parse(source, depth = 0) {
  const lines = source.replace(/\r\n?/g, "\n").split("\n");
  const blocks = [];
  let at = 0;
  while (at < lines.length) {
    if (!lines[at].trim()) {
      at += 1;
      continue;
    }
    const [block, next] = readBlock(lines, at, depth);
    block.src = lines.slice(at, next).join("\n");
    blocks.push(block);
    at = next;
  }
  return blocks;
}

function readBlock(lines, at, depth) {
  const line = lines[at];
  if (FENCE.test(line)) return readFence(lines, at);
  const heading = HEADING.exec(line);
  if (heading) {
    const own = heading[2].trim().replace(CLOSING, "").trim();
    return [{ type: "heading", level: heading[1].length, children: inline(own) }, at + 1];
  }
  if (RULE.test(line)) return [{ type: "rule" }, at + 1];
  if (QUOTE.test(line) && depth < DEPTH) return readQuote(lines, at, depth);
  if (ITEM.test(line) && depth < DEPTH) return readList(lines, at, depth);
  if (isTable(lines, at)) return readTable(lines, at);
  return readParagraph(lines, at);
}

function readFence(lines, at) {
  const [, fence] = FENCE.exec(lines[at]);
  let end = at + 1;
  while (end < lines.length && !lines[end].trim().startsWith(fence)) end += 1;
  return [{ type: "pre", text: lines.slice(at + 1, end).join("\n") }, Math.min(end + 1, lines.length)];
}

function readQuote(lines, at, depth) {
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end])) end += 1;
  const inner = lines.slice(at, end).map((line) => QUOTE.exec(line)[1]);
  return [{ type: "quote", children: parse(inner.join("\n"), depth + 1) }, end];
}

function readList(lines, at, depth) {
  const [, indent, bullet, number] = ITEM.exec(lines[at]);
  const items = [];
  let end = at;
  while (end < lines.length) {
    const item = ITEM.exec(lines[end]);
    if (!item || item[1].length > indent.length + 1 || Boolean(item[2]) !== Boolean(bullet)) break;
    if (item[1].length < indent.length) break;
    const own = [item[4]];
    end += 1;
    for (let next; (next = taken(lines, end, indent.length)) > end; ) while (end < next) own.push(lines[end++]);
    items.push(parse(outdent(own), depth + 1));
  }
  return [{ type: "list", ordered: !bullet, start: Number(number || 1), items }, end];
}

/** Past the next line of an item, with blank lines before it; `at` where none belongs to it. */
function taken(lines, at, indent) {
  let next = at;
  while (lines[next]?.trim() === "") next += 1;
  const line = lines[next];
  if (!line) return at;
  const lazy = next === at && !ITEM.test(line) && !startsBlock(line);
  return lazy || depthOf(line) > indent + 1 ? next + 1 : at;
}

const depthOf = (line) => line.length - line.trimStart().length;

function outdent([first, ...rest]) {
  const by = rest.reduce((least, line) => (line.trim() ? Math.min(least, depthOf(line)) : least), 8);
  return [first, ...rest.map((line) => line.slice(Math.min(by, depthOf(line))))].join("\n");
}

const startsBlock = (line) => FENCE.test(line) || HEADING.test(line) || QUOTE.test(line) || RULE.test(line);
const isTable = (lines, at) =>
  lines[at].includes("|") && cells(lines[at + 1] ?? "").every((cell) => DIVIDER.test(cell)) &&
  cells(lines[at]).length === cells(lines[at + 1]).length;
const cells = (line) =>
  line.trim().replace(/^\||(?<!\\)\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim().replace(/\\\|/g, "|"));

function readTable(lines, at) {
  const align = cells(lines[at + 1]).map((c) => (/:$/.test(c) ? "end" : "start"));
  let end = at + 2;
  while (end < lines.length && lines[end].trim() && lines[end].includes("|")) end += 1;
  const row = (line) => {
    const own = cells(line);
    return align.slice(0, Math.max(own.length, PADDED)).map((_, i) => inline(own[i] ?? ""));
  };
  return [{ type: "table", align, head: row(lines[at]), rows: lines.slice(at + 2, end).map(row) }, end];
}

function readParagraph(lines, at) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() && !startsBlock(lines[end]) && !ITEM.test(lines[end]) && !isTable(lines, end)) {
    end += 1;
  }
  return [{ type: "paragraph", children: inline(lines.slice(at, end).join("\n")) }, end];
}

export function inline(text, depth = 0) {
  const nodes = [];
  const push = (piece) => {
    const last = nodes.at(-1);
    if (last?.type === "text") last.text += piece;
    else if (piece) nodes.push({ type: "text", text: piece });
  };
  let at = 0;
  const scan = new RegExp(SPECIAL);
  while (at < text.length) {
    scan.lastIndex = at;
    const hit = scan.exec(text);
    const stop = hit ? hit.index : text.length;
    pushLines(text.slice(at, stop), push, nodes);
    if (!hit) break;
    const found = depth < DEPTH && readInline(text, stop, depth);
    if (found) nodes.push(...found.nodes);
    else push(hit[0]);
    at = found ? found.end : stop + hit[0].length;
  }
  return nodes;
}

function pushLines(text, push, nodes) {
  const [first, ...rest] = text.split(/(?<! )  +\n/);
  push(first);
  for (const line of rest) {
    nodes.push({ type: "break" });
    push(line);
  }
}

function readInline(text, at, depth) {
  const rest = text.slice(at, at + 2100);
  switch (rest[0]) {
    case "\\":
      if (rest[1] === "\n") return { nodes: [{ type: "break" }], end: at + 2 };
      return /^\\[!-/:-@[-`{-~]/.test(rest) && { nodes: [{ type: "text", text: rest[1] }], end: at + 2 };
    case "`":
      return readCode(rest, at);
    case "*":
    case "_":
      return readEmphasis(text, at, depth);
    case "[":
      return readCitation(rest, at) || readLink(rest, at, depth);
    case "!":
      return rest[1] === "[" && readLink(rest.slice(1), at + 1, depth);
    default:
      return readAuto(/^https?:\/\/[^\s<>"'`[\]]*[^\s<>"'`[\].,;:!?)*_]/.exec(rest), at);
  }
}

function readCode(rest, at) {
  const ticks = /^`+/.exec(rest)[0];
  const end = rest.indexOf(ticks, ticks.length);
  if (end < 0) return null;
  const text = rest.slice(ticks.length, end).replace(/\n/g, " ");
  return { nodes: [{ type: "code", text: text.trim() || text }], end: at + end + ticks.length };
}

function readEmphasis(text, at, depth) {
  const mark = text[at];
  const strong = text[at + 1] === mark;
  const delimiter = strong ? mark + mark : mark;
  const from = at + delimiter.length;
  if (!text[from] || /\s/.test(text[from])) return null;
  if (mark === "_" && /\w/.test(text[at - 1] ?? "")) return null;
  let tries = 0;
  for (let end = text.indexOf(delimiter, from + 1); end > 0 && tries++ < 20; end = text.indexOf(delimiter, end + 1)) {
    const after = text[end + delimiter.length] ?? "";
    if (/\s/.test(text[end - 1]) || (mark === "_" && /\w/.test(after))) continue;
    if (!strong && (after === mark || text[end - 1] === mark)) continue;
    const children = inline(text.slice(from, end), depth + 1);
    return { nodes: [{ type: strong ? "strong" : "em", children }], end: end + delimiter.length };
  }
  return null;
}

function readCitation(rest, at) {
  const found = /^\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\](?!\()/.exec(rest);
  if (!found) return null;
  const nodes = found[1].split(/[,;]/).map((n) => ({ type: "cite", n: Number(n) }));
  return { nodes, end: at + found[0].length };
}

function readLink(rest, at, depth) {
  const found = /^\[([^[\]]*)\]\(\s*<?([^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)?)>?(?:\s+"[^"]*")?\)/.exec(rest);
  if (!found) return null;
  const href = safeHref(found[2]);
  const children = inline(found[1] || found[2], depth + 1);
  return { nodes: href ? [{ type: "link", href, children }] : children, end: at + found[0].length };
}

function readAuto(found, at) {
  const href = found && safeHref(found[0]);
  return href && { nodes: [{ type: "link", href, children: [{ type: "text", text: found[0] }] }], end: at + found[0].length };
}

export function plain(nodes) {
  return nodes
    .map((node) => {
      if (node.type === "cite" || node.type === "rule") return "";
      if (node.type === "break") return " ";
      if (node.type === "list") return `${node.items.map(plain).join("\n")}\n`;
      if (node.type === "table") return [node.head, ...node.rows].map((row) => `${row.map(plain).join(", ")}\n`).join("");
      const text = node.children ? plain(node.children) : node.text;
      return node.src === undefined ? text : `${text}\n`;
    })
    .join("")
    .replace(/(?<! ) +([.,;:!?])/g, "$1");
}

const TAGS = { paragraph: "p", quote: "blockquote", strong: "strong", em: "em", rule: "hr", break: "br", code: "code" };

/** `cite(n)` gives a citation's node, or null. */
export function render(node, cite) {
  const all = (nodes) => nodes.map((child) => render(child, cite));
  switch (node.type) {
    case "text":
      return document.createTextNode(node.text);
    case "cite":
      return cite(node.n) ?? document.createTextNode(`[${node.n}]`);
    case "pre":
      return h("pre", { tabindex: 0 }, h("code", {}, node.text));
    case "heading":
      return h(`h${Math.min(6, node.level + 2)}`, {}, all(node.children));
    case "link":
      return h("a", { href: node.href, target: "_blank", rel: "noopener noreferrer nofollow" }, all(node.children));
    case "list":
      return h(node.ordered ? "ol" : "ul", { start: node.start > 1 && node.start },
        node.items.map((blocks) => h("li", {}, all(tight(blocks)))));
    case "table":
      return table(node, all);
    default:
      return h(TAGS[node.type], {}, node.text ?? all(node.children ?? []));
  }
}

const tight = (blocks) => (blocks[0]?.type === "paragraph" ? [...blocks[0].children, ...blocks.slice(1)] : blocks);

function table({ align, head, rows }, all) {
  const row = (tag, cellsOf) => h("tr", {}, cellsOf.map((cell, i) => h(tag, { class: `to-${align[i]}` }, all(cell))));
  return h("div", { class: "table", tabindex: 0 }, h("table", {},
    h("thead", {}, row("th", head)), h("tbody", {}, rows.map((cellsOf) => row("td", cellsOf)))));
}
