import assert from "node:assert/strict";
import { test } from "node:test";
import { Conversation, backoff, below, lengthOf, sliceOf, uuid } from "../../../conversations/widget/static/widget/protocol.js";

const S = "11111111-1111-4111-8111-111111111111";
const opened = (turns = [], seq = 0, session = S) => ({ type: "opened", session, title: "", seq, turns });
const event = (seq, type, fields = {}) => ({ seq, session: S, type, turn: "t1", ...fields });
const accepted = (seq, client_id = "c1", fields = {}) =>
  event(seq, "turn.accepted", { client_id, n: 1, text: "hi", created: "2026-01-01T00:00:00Z", ...fields });
const done = { answer: "abc", citations: [], engine: { mode: "offline", label: "x" }, notice: null, kind: "opening" };
const completed = (seq) => event(seq, "turn.completed", done);
const types = (happened) => happened.map(({ type }) => type);

function started() {
  const talk = new Conversation();
  talk.openFrame();
  talk.receive(opened([], 0, null));
  talk.ask("hi", "c1");
  talk.due();
  talk.receive(accepted(1));
  return talk;
}

test("a question is shown at once and becomes the accepted turn", () => {
  const talk = new Conversation();
  talk.openFrame();
  talk.receive(opened([], 0, null));
  const turn = talk.ask("hi", "c1");
  assert.equal(turn.state, "pending");
  assert.deepEqual(talk.due(), [{ type: "ask", id: "c1", text: "hi", session: null }]);
  talk.receive(accepted(1));
  assert.equal(talk.session, S);
  assert.equal(talk.turns.length, 1);
  assert.equal(talk.turns[0], turn);
  assert.equal(turn.state, "accepted");
  assert.deepEqual(talk.outbox, []);
});

test("nothing is sent before the server has answered the opening", () => {
  const talk = new Conversation();
  talk.openFrame();
  talk.ask("hi", "c1");
  assert.deepEqual(talk.due(), []);
  talk.receive(opened([], 0, null));
  assert.equal(talk.due().length, 1);
});

test("messages sent in a row end together: the earlier one says so and needs nothing more", () => {
  const talk = started();
  const first = talk.turns[0];
  talk.ask("and in winter?", "c2");
  talk.due();
  talk.receive(event(2, "turn.accepted", { turn: "t2", client_id: "c2", n: 2, text: "and in winter?", created: "2026-01-01T00:00:01Z" }));
  talk.receive(event(3, "turn.joined", { joined_to: "t2" }));
  assert.equal(first.state, "joined");
  talk.receive(event(4, "turn.completed", { ...done, turn: "t2" }));
  assert.deepEqual(talk.turns.map(({ state }) => state), ["joined", "completed"]);
});

test("a delta that comes twice or overlaps is written once", () => {
  const talk = started();
  talk.receive(event(2, "turn.delta", { at: 0, text: "Hello" }));
  talk.receive(event(2, "turn.delta", { at: 0, text: "Hello" }));
  talk.receive(event(3, "turn.delta", { at: 3, text: "lo wor" }));
  talk.receive(event(4, "turn.delta", { at: 9, text: "ld" }));
  assert.equal(talk.turns[0].answer, "Hello world");
});

test("offsets count code points, not UTF-16 units", () => {
  const talk = started();
  talk.receive(event(2, "turn.delta", { at: 0, text: "a🙂b" }));
  talk.receive(event(3, "turn.delta", { at: 3, text: "c" }));
  assert.equal(talk.turns[0].answer, "a🙂bc");
  assert.equal(lengthOf("a🙂b"), 3);
  assert.equal(sliceOf("a🙂b", 1, 2), "🙂");
});

test("a gap asks again, and what came meanwhile is applied after the snapshot", () => {
  const talk = started();
  assert.deepEqual(types(talk.receive(event(3, "turn.delta", { at: 2, text: "c" }))), ["gap"]);
  assert.deepEqual(talk.openFrame(), { type: "open", session: S, after: 1 });
  assert.deepEqual(talk.receive(completed(4)), []);
  const turn = { id: "t1", client_id: "c1", n: 1, text: "hi", state: "running", answer: "ab", citations: [] };
  talk.receive(opened([turn], 2));
  assert.equal(talk.turns[0].answer, "abc");
  assert.equal(talk.turns[0].state, "completed");
  assert.equal(talk.seq, 4);
});

test("a message that was not acknowledged is sent again under its id, and not when the snapshot has it", () => {
  const talk = started();
  talk.ask("two", "c2");
  talk.ask("three", "c3");
  assert.equal(talk.due().length, 2);
  talk.disconnected();
  talk.openFrame();
  const known = (n, client_id) => ({ id: `t${n}`, client_id, n, text: "x", state: "completed", answer: "", citations: [] });
  talk.receive(opened([known(1, "c1"), known(2, "c2")], 9));
  assert.deepEqual(talk.due().map(({ id }) => id), ["c3"]);
  assert.deepEqual(talk.turns.map(({ client_id }) => client_id), ["c1", "c2", "c3"]);
});

test("the second message of a new conversation waits for the session of the first", () => {
  const talk = new Conversation();
  talk.show(null);
  talk.ask("one", "c1");
  talk.ask("two", "c2");
  assert.deepEqual(talk.due().map(({ id }) => id), ["c1"]);
  talk.receive(accepted(1));
  assert.deepEqual(talk.due(), [{ type: "ask", id: "c2", text: "two", session: S }]);
});

test("the newest conversation does not come back into a new one", () => {
  const talk = started();
  talk.show(null);
  talk.openFrame();
  talk.receive(opened([{ id: "t1", client_id: "c1", n: 1, text: "hi", state: "completed" }], 5));
  assert.equal(talk.session, null);
  assert.deepEqual(talk.turns, []);
});

test("a message whose acceptance was lost finds its conversation after the reconnect", () => {
  const talk = new Conversation();
  talk.show(null);
  talk.ask("hi", "c1");
  talk.due();
  talk.disconnected();
  talk.openFrame();
  talk.receive(opened([{ id: "t1", client_id: "c1", n: 1, text: "hi", state: "running", answer: "a" }], 3));
  assert.equal(talk.session, S);
  assert.equal(talk.turns.length, 1);
  assert.deepEqual(talk.due(), []);
});

test("events of another conversation change nothing here", () => {
  const talk = started();
  assert.deepEqual(talk.receive({ ...completed(2), session: "other" }), []);
  assert.equal(talk.turns[0].state, "accepted");
});

test("a turn that was asked in another tab appears", () => {
  const talk = started();
  talk.receive(accepted(2, "elsewhere", { turn: "t2", n: 2, text: "from the other tab" }));
  assert.deepEqual(talk.turns.map(({ text }) => text), ["hi", "from the other tab"]);
});

test("a refused message says why and can be sent again under the same id", () => {
  const talk = started();
  const turn = talk.ask("two", "c2");
  talk.due();
  talk.receive({ type: "error", code: "rate_limited", message: "Slow down.", retryable: true, ref: "c2" });
  assert.equal(turn.state, "unsent");
  assert.deepEqual(turn.refusal, { code: "rate_limited", message: "Slow down.", retryable: true });
  assert.deepEqual(talk.outbox, []);
  talk.askAgain(turn);
  assert.equal(turn.refusal, null);
  assert.deepEqual(talk.due().map(({ id }) => id), ["c2"]);
});

test("a refused retry is told at its message and leaves the turn as it was", () => {
  const talk = started();
  talk.receive(event(2, "turn.failed", { code: "model_down", message: "Sorry.", retryable: true }));
  const [turn] = talk.turns;
  talk.retry(turn, "c9");
  talk.due();
  const refusal = { code: "too_many_waiting", message: "Wait.", retryable: true };
  assert.deepEqual(types(talk.receive({ type: "error", ...refusal, ref: "c9" })), ["turn"]);
  assert.deepEqual([turn.state, turn.refusal, talk.outbox], ["failed", refusal, []]);
  talk.retry(turn, "c10");
  assert.equal(turn.refusal, null);
});

test("an error that refers to nothing leaves the outbox alone", () => {
  const talk = started();
  talk.ask("two", "c2");
  talk.due();
  assert.deepEqual(types(talk.receive({ type: "error", code: "x", message: "m", ref: null })), ["error"]);
  assert.equal(talk.outbox.length, 1);
});

test("a retry clears the failed turn", () => {
  const talk = started();
  talk.receive(event(2, "turn.failed", { code: "model_down", message: "Sorry.", retryable: true }));
  const [turn] = talk.turns;
  assert.deepEqual(turn.error, { code: "model_down", message: "Sorry.", retryable: true });
  talk.retry(turn, "c9");
  assert.deepEqual(talk.due(), [{ type: "retry", turn: "t1", id: "c9" }]);
  talk.receive(accepted(3, "c9"));
  assert.equal(talk.turns.length, 1);
  assert.equal(turn.error, null);
  assert.equal(turn.state, "accepted");
  assert.deepEqual(talk.outbox, []);
});

test("a stop is not sent again once the turn has ended", () => {
  const talk = started();
  talk.stop(talk.turns[0]);
  talk.due();
  talk.disconnected();
  talk.receive(completed(2));
  assert.deepEqual(talk.due(), []);
});

test("the last rating wins and is acknowledged", () => {
  const talk = started();
  talk.receive(completed(2));
  talk.rate(talk.turns[0], "up");
  talk.rate(talk.turns[0], "down", "wrong");
  assert.deepEqual(talk.due(), [{ type: "rate", turn: "t1", rating: "down", reason: "wrong" }]);
  talk.receive(event(3, "turn.rated", { rating: "down" }));
  assert.equal(talk.turns[0].rating, "down");
  assert.deepEqual(talk.outbox, []);
});

test("a snapshot keeps the turn objects that a screen may hold", () => {
  const talk = started();
  const [turn] = talk.turns;
  talk.openFrame();
  talk.receive(opened([{ id: "t1", client_id: "c1", n: 1, text: "hi", state: "completed", answer: "done" }], 7));
  assert.equal(talk.turns[0], turn);
  assert.equal(turn.answer, "done");
});

test("a deleted conversation is announced", () => {
  assert.deepEqual(types(started().receive(event(2, "session.deleted"))), ["deleted"]);
});

test("a deleted conversation is announced whatever its number, and another one's is not", () => {
  const talk = started();
  talk.receive(completed(2));
  assert.deepEqual(types(talk.receive(event(1, "session.deleted"))), ["deleted"]);
  assert.deepEqual(types(talk.receive(event(99, "session.deleted"))), ["deleted"]);
  assert.deepEqual(talk.receive({ ...event(3, "session.deleted"), session: "other" }), []);
});

test("an address is joined with exactly one slash", () => {
  assert.equal(below("/t/x/chat/sessions", S), `/t/x/chat/sessions/${S}`);
  assert.equal(below("/t/x/chat/passages/", "a/b"), "/t/x/chat/passages/a%2Fb");
});

test("waits double up to thirty seconds and never fall under half", () => {
  assert.equal(backoff(0, () => 1), 600);
  assert.equal(backoff(3, () => 1), 4800);
  assert.equal(backoff(50, () => 1), 30000);
  assert.equal(backoff(50, () => 0), 15000);
});

test("ids are random version 4 UUIDs", () => {
  assert.match(uuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.notEqual(uuid(), uuid());
});

test("any order of lost, doubled and repeated frames ends in the server's answer", () => {
  let state = 7;
  const random = () => ((state = (state * 1103515245 + 12345) % 2147483648) / 2147483648);
  for (let round = 0; round < 200; round += 1) {
    const text = "One 🙂 answer of several words.";
    const events = [accepted(1)];
    for (let at = 0; at < lengthOf(text); at += 3) events.push(event(events.length + 1, "turn.delta", { at, text: sliceOf(text, at, at + 3) }));
    events.push(event(events.length + 1, "turn.completed", { ...done, answer: text }));
    const talk = new Conversation();
    talk.openFrame();
    talk.receive(opened());
    const snapshot = (seq) => {
      const server = new Conversation();
      server.openFrame();
      server.receive(opened());
      events.slice(0, seq).forEach((e) => server.receive(e));
      return opened(structuredClone(server.turns), seq);
    };
    events.forEach((e, i) => {
      if (random() < 0.2 && i < events.length - 1) return;
      for (let copies = random() < 0.3 ? 2 : 1; copies > 0; copies -= 1) {
        if (types(talk.receive(e)).includes("gap")) {
          talk.openFrame();
          talk.receive(snapshot(i));
        }
      }
    });
    assert.equal(talk.turns.length, 1);
    assert.equal(talk.turns[0].answer, text);
    assert.equal(talk.seq, events.length);
  }
});
