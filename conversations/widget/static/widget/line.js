/* What stands in for a WebSocket where they are cut: commands by POST, events as a stream. See docs/protocol.md. */

const QUIET = 40000;
const TRIES = 3;

/** As much of a WebSocket as a connection uses. */
export class HttpLine {
  readyState = 0;
  #waiting = [];
  #sending = false;
  #following = null;
  #seq = 0;
  #aborter = null;
  #failed = 0;

  constructor(urls, pass) {
    Object.assign(this, { urls, pass });
    this.#post([]).then(() => {
      if (this.readyState) return;
      this.readyState = 1;
      this.onopen?.();
    });
  }

  send(text) {
    this.#waiting.push(JSON.parse(text));
    if (!this.#sending) this.#drain();
  }

  close(code = 1000) {
    if (this.readyState > 1) return;
    this.readyState = 3;
    this.#aborter?.abort();
    this.onclose?.({ code });
  }

  async #drain() {
    this.#sending = true;
    while (this.#waiting.length && this.readyState === 1) await this.#post(this.#waiting.splice(0, 50));
    this.#sending = false;
  }

  async #post(frames) {
    try {
      const body = JSON.stringify({ following: this.#following, frames });
      const headers = { Authorization: `Bearer ${await this.pass.token()}`, "Content-Type": "application/json" };
      const response = await fetch(this.urls.commands, { method: "POST", headers, body });
      if (!response.ok) throw new Error(response.statusText);
      for (const frame of (await response.json()).frames) this.#receive(frame);
    } catch {
      this.close(1006);
    }
  }

  #receive(frame) {
    if (this.readyState > 1) return;
    if (frame.type === "close") return this.close(frame.code);
    this.onmessage?.({ data: JSON.stringify(frame) });
    if (frame.type === "opened") this.#follow(frame);
    else if (frame.seq) this.#seq = frame.seq;
  }

  #follow({ session, seq }) {
    this.#seq = seq;
    if (session === this.#following) return;
    this.#following = session;
    this.#aborter?.abort();
    if (session) this.#listen(session);
  }

  /** Comes back by itself from the last number, until it fails again and again or the session is gone. */
  async #listen(session) {
    const aborter = (this.#aborter = new AbortController());
    while (this.readyState === 1 && aborter === this.#aborter && this.#failed < TRIES) {
      const went = await this.#read(session, aborter).catch(() => false);
      if (went === null) return;
      this.#failed = went ? 0 : this.#failed + 1;
      if (!went) await new Promise((resolve) => { setTimeout(resolve, 500 * this.#failed); });
    }
    if (aborter === this.#aborter) this.close(1006);
  }

  async #read(session, aborter) {
    const headers = { Accept: "text/event-stream", Authorization: `Bearer ${await this.pass.token()}`, "Last-Event-ID": this.#seq };
    const response = await fetch(`${this.urls.events}?session=${session}`, { headers, signal: aborter.signal });
    if (response.status === 404) return null;
    if (!response.ok) return false;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const silence = setTimeout(() => reader.cancel(), QUIET);
      const { done, value } = await reader.read();
      clearTimeout(silence);
      if (done) return true;
      const events = (rest + value).split("\n\n");
      rest = events.pop();
      for (const event of events) this.#heard(event, aborter);
    }
  }

  #heard(event, aborter) {
    const data = aborter === this.#aborter && /^data: (.*)$/m.exec(event);
    if (data) this.#receive(JSON.parse(data[1]));
  }
}
