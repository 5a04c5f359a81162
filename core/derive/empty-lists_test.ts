import assert from "node:assert/strict";
import { test } from "node:test";
import { boolean, field, list, mapBy, record, string, struct } from "../schema.ts";
import { emptyListsToNil } from "./empty-lists.ts";
import { zeroOf } from "./zero.ts";

const nil = zeroOf(list(string));
const Part = struct("Part", {
  name: field(1, string, "Its name."),
  always: field(2, list(string), "Written also when it is empty.", { written: "always" }),
  made: field(3, list(string), "An empty list is not nil.", { written: "always", made: true }),
}, { doc: "A part." });
const Whole = struct("Whole", {
  parts: field(1, mapBy(["name"], Part), "Its parts.", { written: "always" }),
  named: field(2, record(Part), "Its parts by name."),
  flag: field(3, boolean, "A flag."),
}, { doc: "A whole." });

test("emptyListsToNil() replaces empty lists of requests with nil at any depth, and no others", () => {
  const settle = emptyListsToNil(Whole);
  const part = { name: "a", always: [], made: [] };
  const settled = settle({ parts: [part], named: { a: part }, flag: true }) as { parts: { always: unknown; made: unknown }[] };
  assert.deepEqual(settled, { parts: [part], named: { a: part }, flag: true });
  assert.equal(settled.parts[0]!.always, nil);
  assert.equal(settled.parts[0]!.made, part.made);
  assert.equal((settle({ parts: [] }) as { parts: unknown }).parts, nil);
  assert.equal(part.always === nil, false, "shared values are not changed");
});

test("emptyListsToNil() removes empty maps with keepsEmpty", () => {
  const Kept = struct("Kept", {
    a: field(1, record(string), "Kept.", { keepsEmpty: true }),
    b: field(2, record(string), "Left out.", {}),
  }, { doc: "Kept." });
  const settle = emptyListsToNil(Kept);
  assert.deepEqual(Object.keys(settle({ a: {}, b: {} }) as object), ["b"]);
  const filled = { a: { k: "v" } };
  assert.equal(settle(filled), filled);
});

test("emptyListsToNil() returns the same value if nothing changes", () => {
  const whole = { parts: [{ name: "a", always: ["x"], made: [] }], named: {}, flag: false };
  assert.equal(emptyListsToNil(Whole)(whole), whole);
  const bare = { tags: [] };
  assert.equal(emptyListsToNil(struct("Bare", { tags: field(1, list(string), "Tags.") }, { doc: "Bare." }))(bare), bare);
});
