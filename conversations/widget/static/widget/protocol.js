/* The conversation as the browser knows it: see docs/protocol.md. Pure. */

const FINAL = new Set(["completed", "stopped", "failed", "joined"]);

export const isFinal = (turn) => FINAL.has(turn.state);

/** In code points, as on the wire. */
export const lengthOf = (text) => (/[\ud800-\udfff]/.test(text) ? Array.from(text).length : text.length);

export const sliceOf = (text, start, end) =>
  /[\ud800-\udfff]/.test(text) ? Array.from(text).slice(start, end).join("") : text.slice(start, end);

/** `base` may lack its closing slash. */
export const below = (base, id) => `${base.replace(/\/*$/, "/")}${encodeURIComponent(id)}`;

export const backoff = (attempt, random = Math.random) =>
  Math.round(Math.min(30000, 600 * 2 ** attempt) * (0.5 + random() / 2));

/** Also where no secure context has `crypto.randomUUID`. */
export const uuid = () =>
  "10000000-1000-4000-8000-100000000000".replace(/[018]/g, (digit) =>
    (digit ^ (crypto.getRandomValues(new Uint8Array(1))[0] & (15 >> (digit / 4)))).toString(16));

const blank = (fields) => ({
  id: null, client_id: null, n: 0, text: "", state: "pending", query: null, display: null, kind: null,
  rewritten: false, verdict: null, answer: "", citations: [], engine: null, notice: null, error: null,
  rating: null, created: null, refusal: null, ...fields,
});

const STATES = {
  "turn.query": "running", "turn.sources": "running", "turn.completed": "completed", "turn.stopped": "stopped",
  "turn.failed": "failed", "turn.joined": "joined",
};

function merge(turn, { seq, session, type, turn: id, ...fields }) {
  const state = STATES[type] ?? turn.state;
  Object.assign(turn, type === "turn.failed" ? { error: fields } : fields, { state });
}

/** With the outbox of what is not acknowledged. `receive` returns what happened. */
export class Conversation {
  session = null;
  title = "";
  seq = 0;
  turns = [];
  outbox = [];
  /** The newest must not come back by itself. */
  fresh = false;
  #view = 0;
  #held = null;

  show(session) {
    this.#view += 1;
    Object.assign(this, { session, title: "", seq: 0, turns: [], fresh: session === null });
    this.#held = session === null ? null : [];
  }

  openFrame() {
    this.#held ??= [];
    return { type: "open", session: this.session, after: this.seq };
  }

  ask(text, id = uuid()) {
    const turn = blank({ client_id: id, text, n: (this.turns.at(-1)?.n ?? 0) + 1 });
    this.turns.push(turn);
    this.#queue({ type: "ask", id, text });
    return turn;
  }

  askAgain(turn) {
    Object.assign(turn, { state: "pending", refusal: null });
    this.#queue({ type: "ask", id: turn.client_id, text: turn.text });
  }

  retry(turn, id = uuid()) {
    turn.refusal = null;
    this.#queue({ type: "retry", turn: turn.id, id });
  }

  stop(turn) {
    this.#queue({ type: "stop", turn: turn.id });
  }

  rate(turn, rating, reason = "") {
    this.outbox = this.outbox.filter(({ frame }) => frame.type !== "rate" || frame.turn !== turn.id);
    this.#queue({ type: "rate", turn: turn.id, rating, reason });
  }

  #queue(frame) {
    this.outbox.push({ frame, session: this.session, view: this.#view, sent: false });
  }

  disconnected() {
    for (const entry of this.outbox) entry.sent = false;
  }

  /** A second message waits for the session of the first. */
  due() {
    if (this.#held) return [];
    const frames = [];
    for (const entry of this.outbox) {
      const { frame } = entry;
      if (frame.type === "ask") {
        if (entry.view === this.#view) entry.session ??= this.session;
        const first = this.outbox.find((e) => e.frame.type === "ask" && e.view === entry.view);
        if (entry.session === null && first !== entry) continue;
        frame.session = entry.session;
      }
      if (!entry.sent) frames.push(frame);
      entry.sent = true;
    }
    return frames;
  }

  receive(frame) {
    if (frame.type === "opened") return this.#opened(frame);
    if (frame.type === "error") return this.#refused(frame);
    if (typeof frame.seq !== "number") return [];
    return this.#numbered(frame);
  }

  #opened({ session, title, seq, turns = [] }) {
    const held = this.#held ?? [];
    const ids = new Set(turns.map((turn) => turn.client_id));
    const mine = this.outbox.some((e) => e.frame.type === "ask" && e.view === this.#view && ids.has(e.frame.id));
    const started = this.fresh && turns.length === 0 && this.outbox.some((e) => e.sent && e.view === this.#view);
    const other = this.session !== null && session !== this.session;
    if (other) return [];
    this.#held = null;
    if (this.fresh && session && !mine && !started) return [{ type: "snapshot" }];
    const local = this.turns.filter(({ state, client_id }) => /pending|unsent/.test(state) && !ids.has(client_id));
    Object.assign(this, { session, title: title || "", seq: seq || 0, fresh: this.fresh && !session });
    this.turns = turns.map((turn) => Object.assign(this.#known(turn), blank(turn)));
    this.#settle();
    this.turns.push(...local);
    return [{ type: "snapshot" }, ...held.flatMap((event) => this.#numbered(event))];
  }

  #known({ id, client_id }) {
    return this.turns.find((turn) => (turn.id ? turn.id === id : turn.client_id === client_id)) ?? {};
  }

  #settle() {
    const byId = new Map(this.turns.map((turn) => [turn.id, turn]));
    const accepted = new Set(this.turns.map((turn) => turn.client_id));
    this.outbox = this.outbox.filter(({ frame }) => {
      if (frame.type === "ask" || frame.type === "retry") return !accepted.has(frame.id);
      const turn = byId.get(frame.turn);
      return frame.type !== "stop" || !turn || !isFinal(turn);
    });
  }

  #refused(error) {
    const { code, message, retryable, ref } = error;
    const entry = this.outbox.find(({ frame }) => ref && (frame.id === ref || frame.turn === ref));
    this.outbox = this.outbox.filter((e) => e !== entry);
    const turn = this.turns.find((t) => ref && (t.client_id === ref || t.id === (entry?.frame.turn ?? ref)));
    const retried = entry?.frame.type === "retry";
    if (turn && (retried || turn.state === "pending")) {
      Object.assign(turn, { state: retried ? turn.state : "unsent", refusal: { code, message, retryable } });
      return [{ type: "turn", turn }];
    }
    return [{ type: "error", error }, ...(turn ? [{ type: "turn", turn }] : [])];
  }

  #numbered(event) {
    if (event.type === "session.deleted" && event.session === this.session) return [{ type: "deleted" }];
    const entry = event.client_id && this.outbox.find(({ frame }) => frame.id === event.client_id);
    if (this.#held && event.session === this.session) {
      this.#held.push(event);
      return [];
    }
    if (entry) this.outbox = this.outbox.filter((e) => e !== entry);
    if (this.session === null && entry?.view === this.#view) {
      Object.assign(this, { session: event.session, fresh: false, seq: event.seq - 1 });
    }
    if (event.session !== this.session || event.seq <= this.seq) return [];
    if (event.seq > this.seq + 1) return this.#gap(event);
    this.seq = event.seq;
    return this.#apply(event);
  }

  #gap(event) {
    this.#held = [event];
    return [{ type: "gap" }];
  }

  #apply(event) {
    if (event.type === "session.titled") {
      this.title = event.title;
      return [{ type: "title" }];
    }
    if (event.type === "turn.accepted") return this.#accepted(event);
    const turn = this.turns.find(({ id }) => id === event.turn);
    if (!turn) return [];
    if (event.type === "turn.delta") {
      const known = lengthOf(turn.answer);
      if (event.at > known) return this.#gap(event);
      turn.answer += sliceOf(event.text, known - event.at);
      turn.state = "running";
    } else {
      merge(turn, event);
      this.#acknowledge(event);
    }
    return [{ type: "turn", turn, event: event.type }];
  }

  #acknowledge({ type, turn }) {
    const done = type === "turn.rated" ? "rate" : "stop";
    if (type === "turn.rated" || FINAL.has(STATES[type])) {
      this.outbox = this.outbox.filter(({ frame }) => frame.type !== done || frame.turn !== turn);
    }
  }

  #accepted({ turn: id, client_id, n, text, created }) {
    const turn = this.#known({ id, client_id });
    if (!this.turns.includes(turn)) this.turns.push(turn);
    Object.assign(turn, blank({ id, client_id, n, text, created, state: "accepted" }));
    const place = (t) => (t.id ? t.n : Infinity);
    this.turns.sort((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)));
    return [{ type: "turn", turn, event: "turn.accepted" }];
  }
}
