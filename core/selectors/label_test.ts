import assert from "node:assert/strict";
import { test } from "node:test";
import { matchesLabels, parseLabelSelector } from "./label.ts";

function selects(selector: string, labels: Record<string, string>): boolean {
  const parsed = parseLabelSelector(selector);
  assert.ok(parsed.ok, parsed.ok ? "" : parsed.error);
  return matchesLabels(parsed.requirements, labels);
}
function refusal(selector: string): string {
  const parsed = parseLabelSelector(selector);
  return parsed.ok ? "" : parsed.error;
}

test("matchesLabels() follows each operator, also for absent keys", () => {
  const labels = { env: "prod", size: "5" };
  for (
    const yes of [
      "env",
      "!none",
      "env=prod",
      "env==prod",
      "env!=dev",
      "none!=x",
      "env in (dev, prod)",
      "none notin (a)",
      "size>4",
      "size<6",
      "",
    ]
  ) {
    assert.equal(selects(yes, labels), true, yes);
  }
  for (const no of ["none", "!env", "env=dev", "env!=prod", "env in (dev)", "env notin (prod)", "size>5", "size<5", "env>1", "none>1"]) {
    assert.equal(selects(no, labels), false, no);
  }
});

test("matchesLabels() distinguishes an empty value from an absent label", () => {
  assert.equal(selects("env=", { env: "" }), true);
  assert.equal(selects("env in ()", { env: "" }), true);
  assert.equal(selects("env in (,dev)", { env: "dev" }), true);
  assert.equal(selects("env=", {}), false);
});

test("matchesLabels() reads own labels only", () => {
  assert.equal(selects("constructor", {}), false);
  assert.equal(selects("hasOwnProperty=x", { hasOwnProperty: "x" }), true);
});

test("parseLabelSelector() reads in and notin as ordinary words in the position of keys and values", () => {
  assert.equal(selects("in in (in, notin)", { in: "notin" }), true);
  assert.equal(selects("in=notin", { in: "notin" }), true);
});

test("parseLabelSelector() returns upstream's errors", () => {
  assert.equal(refusal("size gt 5"), "unable to parse requirement: found 'gt', expected: in, notin, =, ==, !=, gt, lt");
  assert.equal(refusal("size>=5"), "unable to parse requirement: found '=', expected: identifier");
  assert.equal(
    refusal("size>big"),
    "unable to parse requirement: values[0]: Invalid value: \"big\": for 'Gt', 'Lt' operators, the value must be an integer",
  );
  assert.equal(refusal("/env"), 'unable to parse requirement: <nil>: Invalid value: "/env": prefix part must be non-empty');
});

test("parseLabelSelector() ends at a NUL before a token, and separates tokens at a NUL after one", () => {
  const keys = (text: string) => {
    const parsed = parseLabelSelector(text);
    return parsed.ok ? parsed.requirements.map(({ key, operator, values }) => `${key} ${operator} ${values.join()}`) : parsed.error;
  };
  assert.deepEqual(["\0", "\0n", " \0n"].map(keys), [[], [], []]);
  assert.deepEqual([keys("n\0"), keys("n\0=\x001"), keys("n\0\0x")], [["n exists "], ["n = 1"], ["n exists "]]);
  assert.deepEqual(["n=1\0,", "n=1,\0"].map(keys), Array(2).fill("found '', expected: identifier after ','"));
  assert.equal(keys("n\0x"), "unable to parse requirement: found 'x', expected: in, notin, =, ==, !=, gt, lt");
});

test("parseLabelSelector() reads a first, last or repeated comma between brackets as an empty value", () => {
  for (const values of ["(,)", "(,,)", "(,,,)", "( , , )"]) {
    assert.ok(selects(`a in ${values}`, { a: "" }), values);
    assert.ok(!selects(`a in ${values}`, { a: "b" }), values);
  }
  for (const values of ["(b,)", "(,b)", "(b,,)", "(,,b)", "(b,,,)", "(b,,c)", "(b,,,c)"]) {
    for (const a of ["", "b"]) assert.ok(selects(`a in ${values}`, { a }), values);
    assert.ok(!selects(`a in ${values}`, { a: "d" }), values);
  }
  assert.ok(!selects("a in (b,c)", { a: "" }));
  assert.equal(refusal("a in (,"), "unable to parse requirement: found '', expected: ',', or identifier");
  assert.equal(refusal("a in (b,,"), "unable to parse requirement: found '', expected: ',', or identifier");
});
