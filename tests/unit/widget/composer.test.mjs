import assert from "node:assert/strict";
import { test } from "node:test";
import { Drafts } from "../../../conversations/widget/static/widget/composer.js";

function tab() {
  const kept = new Map();
  globalThis.sessionStorage = {
    getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key),
  };
  return kept;
}

test("a draft belongs to its conversation and outlives the page", () => {
  tab();
  const drafts = new Drafts("nimbus tom");
  drafts.set("a", "half a");
  drafts.set(null, "not begun");
  const reloaded = new Drafts("nimbus tom");
  assert.deepEqual(["a", "b", null].map((session) => reloaded.get(session)), ["half a", "", "not begun"]);
});

test("a draft that was sent is gone", () => {
  tab();
  const drafts = new Drafts("nimbus tom");
  drafts.set("a", "half a");
  drafts.set("a", "");
  assert.equal(new Drafts("nimbus tom").get("a"), "");
});

test("another person in the same tab sees no draft", () => {
  tab();
  new Drafts("nimbus tom").set(null, "secret");
  assert.equal(new Drafts("nimbus ingrid").get(null), "");
  assert.equal(new Drafts("harbor tom").get(null), "");
});

test("nothing is kept after a sign-out", () => {
  const kept = tab();
  const drafts = new Drafts("nimbus tom");
  drafts.set("a", "secret");
  drafts.clear();
  drafts.set("a", "typed while the page is leaving");
  assert.equal(drafts.get("a"), "");
  assert.equal(kept.size, 0);
});

test("drafts hold for the page where storage is blocked", () => {
  globalThis.sessionStorage = { getItem() { throw new Error("blocked"); }, setItem() { throw new Error("blocked"); } };
  const drafts = new Drafts("nimbus tom");
  drafts.set("a", "half a");
  assert.equal(drafts.get("a"), "half a");
});
