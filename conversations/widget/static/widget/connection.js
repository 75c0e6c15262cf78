/* One connection that comes back: a WebSocket, or where these are cut what `dial(true)` gives. */
import { Refused } from "./pass.js";
import { backoff } from "./protocol.js";

const BEAT = 25000;
const SILENCE = 10000;

/** States: connecting, open, waiting `until`, closed with `code` or `error`. */
export class Connection {
  #socket = null;
  #attempt = 0;
  /** Tries in a row that heard no word. After some, more where a socket has worked before, every second goes without. */
  #mute = 0;
  #timer = 0;
  #beat = 0;
  #heard = 0;
  #known = false;
  #patience = 1;

  constructor({ dial, pass, opening, onFrame, onState }) {
    Object.assign(this, { dial, pass, opening, onFrame, onState, state: "idle" });
  }

  async connect() {
    clearTimeout(this.#timer);
    this.#drop();
    this.#become("connecting");
    const attempt = (this.#socket = { readyState: 3 });
    try {
      const socket = await this.dial(this.#mute > this.#patience && this.#mute % 2 === 0);
      if (attempt !== this.#socket) return socket.close();
      this.#listen(socket);
    } catch (error) {
      if (attempt === this.#socket) this.#failed(error);
    }
  }

  #listen(socket) {
    this.#socket = socket;
    this.#heard = 0;
    socket.onopen = () => this.#opened(socket);
    socket.onmessage = ({ data }) => socket === this.#socket && this.#received(data);
    socket.onclose = ({ code }) => socket === this.#socket && this.#closed(code);
  }

  #failed(error) {
    if (!(error instanceof Refused)) return this.#closed(1006);
    this.#drop();
    this.#become("closed", { error: { code: error.code, message: error.message } });
  }

  wake() {
    if (this.state === "waiting") this.connect();
    else if (this.state === "open") this.#check();
  }

  send(frame) {
    if (this.state === "open" && this.#socket.readyState === 1) this.#socket.send(JSON.stringify(frame));
  }

  #opened(socket) {
    if (socket !== this.#socket) return;
    this.#become("open");
    this.send(this.opening());
    this.#watch(socket);
    this.#beat = setInterval(() => this.#check(), BEAT);
  }

  #received(data) {
    if (!this.#heard && this.#socket instanceof WebSocket) {
      this.#mute = 0;
      this.#patience = 5;
    }
    this.#heard = Date.now();
    this.#attempt = 0;
    this.#known = true;
    let frame;
    try {
      frame = JSON.parse(data);
    } catch {
      return;
    }
    if (frame.type !== "pong") this.onFrame(frame);
  }

  /** A socket that has slept looks open. */
  #check() {
    this.send({ type: "ping" });
    this.#watch(this.#socket);
    this.pass.keep((token) => this.send({ type: "renew", token })).catch(() => {});
  }

  #watch(socket) {
    const asked = Date.now();
    setTimeout(() => {
      if (socket === this.#socket && this.state === "open" && this.#heard < asked) this.#closed(1006);
    }, SILENCE);
  }

  #closed(code) {
    if (!this.#heard && navigator.onLine) this.#mute += 1;
    this.#drop();
    if (code === 4401 || code === 4403) return this.#become("closed", { code });
    if (code === 4408) this.pass.forget();
    const wait = backoff(this.#attempt++);
    this.#timer = setTimeout(() => this.connect(), wait);
    this.#become("waiting", { until: Date.now() + wait, quiet: !this.#known && this.#mute < 3 && navigator.onLine });
  }

  #drop() {
    clearInterval(this.#beat);
    const socket = this.#socket;
    this.#socket = null;
    if (socket && socket.readyState < 2) socket.close();
  }

  #become(state, detail = {}) {
    this.state = state;
    this.onState({ state, ...detail });
  }
}
