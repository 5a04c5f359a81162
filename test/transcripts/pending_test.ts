import assert from "node:assert/strict";
import { test } from "node:test";
import { serverFlags } from "./needs.ts";
import { guessReason, missingResource, pendingReason, readClaims, updatePending } from "./pending.ts";
import type { Case, Step } from "./recording.ts";
import type { Outcome } from "./replay.ts";

const one = (name: string, step: Step = { do: "GET /api/v1/configmaps" }, needs: readonly string[] = []): Case => ({
  area: "mine",
  scenario: { name, steps: [step], answers: [], needs },
});
const outcome = (of: Case, ...texts: string[]): Outcome => ({
  case: of,
  differences: texts.map((text) => ({ step: 0, text })),
  answers: [],
});

test("updatePending() adds failing scenarios, removes passing and unknown ones, and keeps reasons and scenarios that were not replayed", () => {
  const cases = ["fails", "still fails", "passes", "unseen", "fine"].map((name) => one(name));
  const before = { mine: { "still fails": "old reason", passes: "x", unseen: "y", gone: "z" } };
  const seen = cases.filter(({ scenario }) => scenario.name !== "unseen").map((each) =>
    each.scenario.name.includes("fails") ? outcome(each, "bad") : outcome(each)
  );
  assert.deepEqual(updatePending(before, cases, seen, () => "new"), { mine: { fails: "new", "still fails": "old reason", unseen: "y" } });
});

test("updatePending() keeps an area without its resource as it is, whatever was replayed of it", () => {
  const cases = [one("passes"), one("fails")];
  const before = { mine: "v1/things", gone: "v1/others" };
  assert.deepEqual(updatePending(before, cases, [outcome(cases[0]!), outcome(cases[1]!, "bad")], () => "new"), { mine: "v1/things" });
  assert.equal(pendingReason(before, "mine", "any"), "v1/things");
  assert.equal(missingResource(before, "mine"), "v1/things");
  assert.equal(missingResource(before, "toString"), undefined);
  assert.equal(missingResource({ mine: { a: "b" } }, "mine"), undefined);
});

test("pendingReason() ignores inherited names", () => {
  assert.equal(pendingReason({}, "constructor", "name"), undefined);
  assert.equal(pendingReason({ a: {} }, "a", "toString"), undefined);
});

test("guessReason() uses the first differing step, then needs, then the area", () => {
  const guess = (of: Case) => guessReason(outcome(of, "bad"));
  assert.equal(guess(one("a", { do: "POST /apis/rbac.authorization.k8s.io/v1/clusterroles" }, ["crd"])), "roles");
  assert.equal(guess(one("a", { do: "PATCH /x" }, ["controller:x", "crd"])), "custom resources");
  assert.equal(guess(one("a", { do: "GET /x", headers: { "Impersonate-User": "u" } })), "impersonation");
  assert.equal(guess(one("a")), "mine");
  assert.equal(guessReason(outcome(one("a"))), "mine");
});

test("readClaims() reads the rows, including bars within cells", () => {
  const table = "# T\n\n| area | scenario | upstream answers | we answer | why |\n|---|---|---|---|---|\n| lists | a \\| b | x | y | z |\n";
  assert.deepEqual(readClaims(table), [{ area: "lists", scenario: "a | b" }]);
});

test("serverFlags() enables gates and APIs, and rejects unknown needs", () => {
  assert.deepEqual(serverFlags(["crd", "gate:B", "storage.k8s.io/v1beta1", "gate:A", "controller:x"]), [
    "--feature-gates=A=true,B=true",
    "--runtime-config=storage.k8s.io/v1beta1=true",
  ]);
  assert.deepEqual(serverFlags([]), []);
  assert.throws(() => serverFlags(["gates:A"]), /gates:A/);
});
