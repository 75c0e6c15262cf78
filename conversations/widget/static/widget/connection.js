/* One WebSocket that comes back. */
import { backoff } from "./protocol.js";

const BEAT = 25000;
const SILENCE = 10000;

/** States: connecting, open, waiting `until`, closed with `code`. */
export class Connection {
  #socket = null;
  #attempt = 0;
  #timer = 0;
  #beat = 0;
  #heard = 0;

  constructor({ url, opening, onFrame, onState }) {
    Object.assign(this, { url, opening, onFrame, onState, state: "idle" });
  }

  connect() {
    clearTimeout(this.#timer);
    this.#drop();
    this.#become("connecting");
    const socket = (this.#socket = new WebSocket(this.url));
    socket.onopen = () => this.#opened(socket);
    socket.onmessage = ({ data }) => socket === this.#socket && this.#received(data);
    socket.onclose = ({ code }) => socket === this.#socket && this.#closed(code);
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
    this.#heard = Date.now();
    this.#become("open");
    this.send(this.opening());
    this.#beat = setInterval(() => this.#check(), BEAT);
  }

  #received(data) {
    this.#heard = Date.now();
    this.#attempt = 0;
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
    const socket = this.#socket;
    const asked = Date.now();
    this.send({ type: "ping" });
    setTimeout(() => {
      if (socket === this.#socket && this.state === "open" && this.#heard < asked) this.#closed(1006);
    }, SILENCE);
  }

  #closed(code) {
    this.#drop();
    if (code === 4401 || code === 4403) return this.#become("closed", { code });
    const wait = backoff(this.#attempt++);
    this.#timer = setTimeout(() => this.connect(), wait);
    this.#become("waiting", { until: Date.now() + wait });
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
