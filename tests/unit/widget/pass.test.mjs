import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { Pass, Refused } from "../../../conversations/widget/static/widget/pass.js";

const original = globalThis.fetch;
afterEach(() => { globalThis.fetch = original; });
const inSeconds = (seconds) => new Date(Date.now() + seconds * 1000).toISOString();

/** Answers in turn; what was asked is in `asked`. */
function server(...answers) {
  const asked = [];
  globalThis.fetch = async (url, { headers, body }) => {
    asked.push([headers.Authorization, JSON.parse(body)]);
    const { status = 200, ...answer } = answers.shift();
    return { ok: status < 400, status, json: async () => answer };
  };
  return asked;
}
const place = { knock: () => ({ key: "wk_1" }) };

test("a token is asked for once, however many want it, and kept until shortly before its end", async () => {
  const asked = server({ token: "st_a", expires_at: inSeconds(3600) });
  const pass = new Pass("/token", place);
  assert.deepEqual(await Promise.all([pass.token(), pass.token(), pass.token()]), ["st_a", "st_a", "st_a"]);
  assert.deepEqual(await pass.headers(), { Accept: "application/json", Authorization: "Bearer st_a" });
  assert.equal(asked.length, 1);
});

test("a token about to end is renewed on its own word, a forgotten one is not", async () => {
  const asked = server(
    { token: "st_a", expires_at: inSeconds(60) }, { token: "st_b", expires_at: inSeconds(3600) },
    { token: "st_c", expires_at: inSeconds(3600) },
  );
  const pass = new Pass("/token", place);
  await pass.token();
  const renewed = [];
  await pass.keep((token) => renewed.push(token));
  await pass.keep((token) => renewed.push(token));
  pass.forget();
  assert.equal(await pass.token(), "st_c");
  assert.deepEqual(renewed, ["st_b"]);
  assert.deepEqual(asked.map(([bearer]) => bearer), [undefined, "Bearer st_a", undefined]);
});

test("a refusal is told from a server in trouble, and neither is kept", async () => {
  server(
    { status: 403, error: { code: "widget_key_revoked", message: "Off.", retryable: false } },
    { status: 503, error: { code: "identity_unchecked", message: "Later.", retryable: true } },
    { token: "st_a", expires_at: inSeconds(3600) },
  );
  const pass = new Pass("/token", place);
  await assert.rejects(pass.token(), (error) => error instanceof Refused && error.code === "widget_key_revoked");
  await assert.rejects(pass.token(), (error) => !(error instanceof Refused));
  assert.equal(await pass.token(), "st_a");
});

test("our own page goes by its cookie and asks for no token", async () => {
  const pass = new Pass("/token", { own: true, csrf: "c" });
  assert.deepEqual(await pass.headers(), { Accept: "application/json", "X-CSRFToken": "c" });
});
