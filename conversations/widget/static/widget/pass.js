/* The session token: kept in memory, fetched anew before it ends. */

/** The server's own word, as against a network that failed. */
export class Refused extends Error {}

const EARLY = 120000;

export class Pass {
  #token = "";
  #ends = 0;
  #asking = null;

  constructor(url, place) {
    Object.assign(this, { url, place });
  }

  token() {
    if (Date.now() < this.#ends - EARLY) return this.#token;
    return (this.#asking ??= this.#fetch().finally(() => { this.#asking = null; }));
  }

  /** Somebody's cookie on our own page, else the token. */
  async headers() {
    const { own, csrf } = this.place;
    return { Accept: "application/json", ...(own ? { "X-CSRFToken": csrf } : { Authorization: `Bearer ${await this.token()}` }) };
  }

  /** Gives `renew` a new token when the old one is about to end. */
  async keep(renew) {
    if (!this.#token || Date.now() < this.#ends - EARLY) return;
    renew(await this.token());
  }

  forget() {
    this.#token = "";
    this.#ends = 0;
  }

  async #fetch() {
    const held = Date.now() < this.#ends && { Authorization: `Bearer ${this.#token}` };
    const response = await fetch(this.url, {
      method: "POST", headers: { Accept: "application/json", "Content-Type": "application/json", ...held },
      body: JSON.stringify(this.place.knock()),
    });
    const answer = await response.json();
    if (!response.ok) {
      this.forget();
      throw answer.error && !answer.error.retryable ? Object.assign(new Refused(answer.error.message), { code: answer.error.code }) : new Error(response.statusText);
    }
    this.#token = answer.token;
    this.#ends = Date.parse(answer.expires_at);
    this.onAdmitted?.(answer);
    return this.#token;
  }
}
