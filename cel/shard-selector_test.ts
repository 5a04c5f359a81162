import assert from "node:assert/strict";
import { test } from "node:test";
import { parseShardSelector, shardHash, shardRangesMax } from "./shard-selector.ts";

const first = "'0x0000000000000000'", half = "'0x8000000000000000'", end = "'0x10000000000000000'";

test("a value has the hash of FNV-1a with 64 bits", () => {
  // Values of the published test vectors.
  const known = { "": "cbf29ce484222325", a: "af63dc4c8601ec8c", foobar: "85944171f73967e8" };
  for (const [value, hash] of Object.entries(known)) assert.equal(shardHash(value), hash);
});

test("ranges of a selector include their start and not their end, and together have each value once", () => {
  const selectors = [[first, half], [half, end]].map(([from, to]) => {
    const parsed = parseShardSelector(` (shardRange(object.metadata.uid,${from},${to})) `);
    assert.ok(parsed.ok);
    assert.equal(parsed.selector.text, `shardRange(object.metadata.uid, ${from}, ${to})`);
    assert.equal(parsed.selector.field, "uid");
    return parsed.selector;
  });
  const counts = [0, 0];
  for (let value = 0; value < 1_000; value++) {
    const uid = crypto.randomUUID(), chosen = selectors.filter((selector) => selector.has(uid));
    assert.equal(chosen.length, 1);
    counts[selectors.indexOf(chosen[0]!)]!++;
  }
  assert.ok(Math.min(...counts) > 300, `${counts}`);
  const exact = parseShardSelector(`shardRange(object.metadata.uid, '0x${shardHash("x")}', ${end})`);
  assert.ok(exact.ok && exact.selector.has("x"));
  const before = parseShardSelector(`shardRange(object.metadata.uid, ${first}, '0x${shardHash("x")}')`);
  assert.ok(before.ok && !before.selector.has("x"));
});

test("several ranges are one selector, in their order", () => {
  const parts = [[half, end], [first, "'0x0000000000000001'"]].map((ends) => `shardRange(object.metadata.namespace, ${ends.join(", ")})`);
  const parsed = parseShardSelector(parts.join(" || "));
  assert.ok(parsed.ok);
  assert.equal(parsed.selector.text, parts.join(" || "));
  assert.equal(parsed.selector.field, "namespace");
});

test("a selector with a mistake is refused with upstream's text", () => {
  const range = `shardRange(object.metadata.uid, ${first}, ${half})`;
  const mistakes: Readonly<Record<string, string>> = {
    " ": "empty shard selector is not allowed; omit the parameter for unfiltered lists",
    "a && b": 'unsupported function "_&&_"; only shardRange() and || are allowed',
    "foo(1)": 'unsupported function "foo"; only shardRange() and || are allowed',
    "shardRange(a)": "shardRange() requires exactly 3 arguments, got 1",
    [`shardRange(a.b, ${first}, ${half})`]:
      'shardRange() first argument: unsupported field path "a.b"; supported: object.metadata.uid, object.metadata.namespace',
    [`shardRange(object.metadata.uid, '0x0', ${half})`]:
      'hexStart must be a 0x-prefixed 16-digit hex value, got "0x0" (did you mean "0x0000000000000000"?)',
    [`shardRange(object.metadata.uid, '7', ${half})`]: "hexStart must have '0x' prefix, got \"7\"",
    [`shardRange(object.metadata.uid, ${first}, '0x')`]: "hexEnd: hex value is required after '0x'",
    [`shardRange(object.metadata.uid, ${first}, '0xA000000000000000')`]: 'hexEnd: invalid hex character "A" in "0xA000000000000000"',
    [`shardRange(object.metadata.uid, ${first}, '0x20000000000000000')`]:
      "hexEnd: 17-digit hex value must be '0x10000000000000000' (2^64), got \"0x20000000000000000\"",
    [`shardRange(object.metadata.uid, ${half}, ${half})`]: "shard range start 0x8000000000000000 must be less than end 0x8000000000000000",
    [`shardRange(object.metadata.uid, ${end}, ${end})`]: "shard range start 0x10000000000000000 must be less than end 0x10000000000000000",
    [`${range} || shardRange(object.metadata.namespace, ${first}, ${half})`]:
      'all shard ranges must use the same field, got "object.metadata.uid" and "object.metadata.namespace"',
    [Array.from({ length: shardRangesMax + 1 }, () => range).join(" || ")]: `more than ${shardRangesMax} ranges`,
  };
  for (const [text, mistake] of Object.entries(mistakes)) {
    assert.deepEqual(parseShardSelector(text), { ok: false, error: `invalid shard selector: ${mistake}` }, text.slice(0, 200));
  }
  for (const text of ["((", "1", `shardRange(1, ${first}, ${half})`, "shardRange(object.metadata.uid, 0, 1)"]) {
    assert.equal(parseShardSelector(text).ok, false, text);
  }
});
