// In Deno's suite only: places are computed from the text alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { placesIn } from "./places.ts";

const text = `# a policy
kind: Policy
rules:
- level: None
  users: [a,
    b]
-   example.com/x: {deep: 1}
    "quoted.key": 2
level: 1
level: 2
`;

test("placesIn() finds keys of maps and items of lists, with dots in keys", () => {
  const { of, error } = placesIn(text);
  assert.equal(error, undefined);
  const cases: readonly (readonly [path: string, line: number, column: number])[] = [
    ["", 2, 1],
    ["kind", 2, 1],
    ["rules", 3, 1],
    ["rules[0]", 4, 3],
    ["rules[0].level", 4, 3],
    ["rules[0].users[1]", 6, 5],
    ["rules[1].example.com/x.deep", 7, 21],
    ["rules[1][quoted.key]", 8, 5],
    ["level", 10, 1],
  ];
  for (const [path, line, column] of cases) assert.deepEqual(of(path), { line, column }, path);
});

test("placesIn() gives the nearest field around one that the text does not have", () => {
  const { of } = placesIn(text);
  for (const path of ["rules[0].verbs", "rules[0].level.more"]) assert.equal(of(path).line, 4, path);
  assert.deepEqual(of("rules[7]"), { line: 3, column: 1 });
  assert.deepEqual(of("nothing"), { line: 2, column: 1 });
});

test("placesIn() lists keys and values below a field", () => {
  const { below } = placesIn("gates:\n  A: true\n  B: [x, 1]\n");
  assert.deepEqual(below("gates").map(({ text, line }) => `${text}:${line}`), ["A:2", "true:2", "B:3", "x:3", "1:3"]);
  assert.deepEqual(below("gates.A"), [{ text: "true", line: 2, column: 6 }]);
  assert.deepEqual(below("other"), []);
});

test("placesIn() reads JSON, finds the first error, and survives what is empty or too deep", () => {
  assert.deepEqual(placesIn('{\n "a": [1,\n  {"b": 2}]}').of("a[1].b"), { line: 3, column: 4 });
  assert.deepEqual(placesIn("a: 1\nb: [1\nc: 2\n").error?.line, 3);
  assert.deepEqual(placesIn("").of("a"), { line: 1, column: 1 });
  assert.deepEqual(placesIn("[".repeat(100_000)).of("a").line, 1);
});
