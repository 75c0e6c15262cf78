import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { HttpLine } from "../../../conversations/widget/static/widget/line.js";

const urls = { events: "/events", commands: "/commands" };
const pass = { token: async () => "st_one" };
const tick = () => new Promise((resolve) => { setTimeout(resolve, 5); });
const original = globalThis.fetch;
afterEach(() => { globalThis.fetch = original; });

/** A server: `answer` gives the frames for what is posted, `streams` are the texts of one event stream after another. */
function server(answer, streams) {
  const seen = { posted: [], listened: [] };
  globalThis.fetch = async (url, { body, headers, signal }) => {
    if (body) {
      const sent = JSON.parse(body);
      seen.posted.push(sent);
      return { ok: true, json: async () => ({ frames: sent.frames.flatMap(answer) }) };
    }
    seen.listened.push([url, headers["Last-Event-ID"], headers.Authorization]);
    const chunks = streams.shift();
    if (!chunks) return new Promise((_, reject) => { signal.addEventListener("abort", () => reject(new Error("aborted"))); });
    return new Response(new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
        controller.close();
      },
    }));
  };
  return seen;
}

function opened(seen) {
  const line = new HttpLine(urls, pass);
  const heard = [];
  const closes = [];
  line.onmessage = ({ data }) => heard.push(JSON.parse(data));
  line.onclose = ({ code }) => closes.push(code);
  line.onopen = () => line.send(JSON.stringify({ type: "open" }));
  return { line, heard, closes, seen };
}

test("a stream that is cut goes on from the last number, and its token is in a header", async () => {
  const seen = server(
    ({ type }) => (type === "open" ? [{ type: "opened", session: "s", seq: 4 }] : []),
    [['id: 5\ndata: {"type":"turn.delta","seq":5}\n\nid: 6\nda', 'ta: {"type":"turn.delta","seq":6}\n\n: still here\n\n'],
      ['id: 7\ndata: {"type":"turn.completed","seq":7}\n\n']],
  );
  const { line, heard } = opened(seen);
  await tick(); await tick(); await tick();
  assert.deepEqual(heard.map(({ seq }) => seq), [4, 5, 6, 7]);
  assert.deepEqual(seen.listened.map(([url, last]) => [url, last]), [["/events?session=s", 4], ["/events?session=s", 6], ["/events?session=s", 7]]);
  assert.ok(seen.listened.every(([url, , bearer]) => bearer === "Bearer st_one" && !url.includes("st_")));
  line.close();
});

test("commands go out in order, together where they waited, and say what is followed", async () => {
  const seen = server(({ type }) => (type === "open" ? [{ type: "opened", session: "s", seq: 0 }] : [{ type: "pong" }]), []);
  const { line, heard } = opened(seen);
  await tick();
  for (const type of ["ping", "rate", "stop"]) line.send(JSON.stringify({ type }));
  await tick();
  assert.deepEqual(seen.posted.map(({ following, frames }) => [following, frames.map(({ type }) => type)]),
    [[null, []], [null, ["open"]], ["s", ["ping"]], ["s", ["rate", "stop"]]]);
  assert.equal(heard.filter(({ type }) => type === "pong").length, 3);
  line.close();
});

test("what the server closes is closed with its code, and once", async () => {
  const { closes, line } = opened(server(() => [{ type: "close", code: 4403 }, { type: "pong" }], []));
  await tick();
  line.close();
  assert.deepEqual(closes, [4403]);
});

test("a server out of reach is a line that broke", async () => {
  globalThis.fetch = async () => { throw new TypeError("no network"); };
  const { closes } = opened({});
  await tick();
  assert.deepEqual(closes, [1006]);
});
