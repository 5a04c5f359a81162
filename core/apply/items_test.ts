import assert from "node:assert/strict";
import { test } from "node:test";
import type { ListAtom } from "./atom.ts";
import { keyElement } from "./element.ts";
import { itemElement } from "./items.ts";

const list = (missing: string | undefined): ListAtom => ({ type: "map", keys: [{ name: "type", missing }], of: { scalar: "untyped" } });

test("itemElement() uses an explicit null as a key, and the default only for an absent key", () => {
  assert.deepEqual(itemElement(list("x"), { type: null }), { element: keyElement([["type", null]]) });
  assert.deepEqual(itemElement(list("x"), { other: 1 }), { element: keyElement([["type", "x"]]) });
  assert.equal("problem" in itemElement(list(undefined), { other: 1 }), true);
});
