import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { Connection } from "../../../conversations/widget/static/widget/connection.js";
import { Refused } from "../../../conversations/widget/static/widget/pass.js";

class Line {
  readyState = 1;
  sent = [];
  send(text) {
    this.sent.push(JSON.parse(text).type);
  }
  close() {
    this.readyState = 3;
  }
}
class FakeSocket extends Line {}
globalThis.WebSocket = FakeSocket;
Object.defineProperty(globalThis, "navigator", { value: { onLine: true }, configurable: true });
beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
});
const settle = async () => { for (let i = 0; i < 5; i += 1) await Promise.resolve(); };

/** `fate(socket, number, withoutSocket)` decides what becomes of each try. */
function connected(fate, pass = { keep: async () => {}, forget() {} }) {
  const seen = { tries: [], states: [], frames: [] };
  const connection = new Connection({
    pass,
    opening: () => ({ type: "open" }),
    onFrame: (frame) => seen.frames.push(frame),
    onState: (state) => seen.states.push(state),
    async dial(withoutSocket) {
      const socket = withoutSocket ? new Line() : new FakeSocket();
      seen.tries.push(withoutSocket ? "line" : "socket");
      queueMicrotask(() => queueMicrotask(() => fate(socket, seen.tries.length, withoutSocket)));
      return socket;
    },
  });
  return { connection, seen };
}

async function later(milliseconds = 60000) {
  mock.timers.tick(milliseconds);
  await settle();
}

const speaks = (socket) => {
  socket.onopen();
  socket.onmessage({ data: '{"type":"opened"}' });
};

test("after two sockets that never said a word it goes without, quietly", async () => {
  const { connection, seen } = connected((socket, n) => (n < 3 ? socket.onclose({ code: 1006 }) : speaks(socket)));
  connection.connect();
  await settle();
  await later();
  await later();
  assert.deepEqual(seen.tries, ["socket", "socket", "line"]);
  assert.equal(seen.states.at(-1).state, "open");
  assert.ok(seen.states.filter(({ state }) => state === "waiting").every(({ quiet }) => quiet));
});

test("a socket that opens and is cut before its first word counts as mute", async () => {
  const { connection, seen } = connected((socket, n) => {
    if (n > 2) return speaks(socket);
    socket.onopen();
    socket.onclose({ code: 1006 });
  });
  connection.connect();
  await settle();
  await later();
  await later();
  assert.deepEqual(seen.tries, ["socket", "socket", "line"]);
});

test("where a socket has worked, an outage is an outage and not a reason to go without", async () => {
  let last = null;
  const { connection, seen } = connected((socket, n) => {
    last = socket;
    if (n === 1) speaks(socket);
    else socket.onclose({ code: 1006 });
  });
  connection.connect();
  await settle();
  last.onclose({ code: 1006 });
  for (let i = 0; i < 4; i += 1) await later();
  assert.deepEqual(new Set(seen.tries), new Set(["socket"]));
  assert.equal(seen.states.some(({ quiet }) => quiet), false);
});

test("the server's word against the visitor is told and not tried again", async () => {
  const seen = [];
  const connection = new Connection({
    pass: {}, onState: (state) => seen.push(state),
    dial: async () => { throw Object.assign(new Refused("Switched off."), { code: "widget_key_revoked" }); },
  });
  await connection.connect();
  await later();
  assert.deepEqual(seen.at(-1), { state: "closed", error: { code: "widget_key_revoked", message: "Switched off." } });
});

test("a token that has ended is fetched anew before the next try", async () => {
  let forgotten = 0;
  const { connection, seen } = connected(
    (socket, n) => (n === 1 ? (speaks(socket), socket.onclose({ code: 4408 })) : speaks(socket)),
    { keep: async () => {}, forget() { forgotten += 1; } },
  );
  connection.connect();
  await settle();
  await later();
  assert.equal(forgotten, 1);
  assert.equal(seen.states.at(-1).state, "open");
});
