// In Deno's suite only: the rules use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { electedSpec, electionStep } from "./election.ts";
import type { LeaseCandidate } from "./lease-candidate.ts";
import type { Lease } from "./lease.ts";

const now = Date.parse("2024-01-02T03:00:00Z");
const at = (seconds: number) => new Date(now + seconds * 1000).toISOString().replace("Z", "000Z");
const candidate = (name: string, spec: object): LeaseCandidate => ({
  kind: "LeaseCandidate",
  apiVersion: "coordination.k8s.io/v1beta1",
  metadata: { name },
  spec: {
    leaseName: "l",
    binaryVersion: "1.35.0",
    emulationVersion: "1.35.0",
    strategy: "OldestEmulationVersion",
    renewTime: at(0),
    ...spec,
  } as any, // times are texts
});
const lease = (spec: object): Lease => ({ metadata: { name: "l" }, spec: { renewTime: at(0), leaseDurationSeconds: 5, ...spec } }) as any; // a partial object
const step = (candidates: readonly LeaseCandidate[], held?: Lease) => {
  const next = electionStep(candidates, held, now);
  return next.tag === "ask"
    ? `ask ${next.candidates.map(({ metadata }) => metadata.name)}`
    : next.tag === "elect"
    ? `elect ${next.holder}`
    : next.tag;
};

test("electionStep() elects the candidate with the oldest versions among those that answered", () => {
  const newer = candidate("newer", {}), older = candidate("older", { emulationVersion: "1.34.0" });
  const oldBinary = candidate("old-binary", { emulationVersion: "1.34.0", binaryVersion: "1.34.5" });
  const cases: readonly (readonly [string, string, readonly LeaseCandidate[], Lease?])[] = [
    ["nobody stands", "none", []],
    ["a candidate of half an hour stands no more", "none", [candidate("a", { renewTime: at(-1801) })]],
    ["no lease", "elect older", [newer, older]],
    ["the oldest binary among equals", "elect old-binary", [newer, older, oldBinary]],
    ["the best holds it", "wait", [newer, older], lease({ holderIdentity: "older" })],
    ["another holds it", "elect older", [newer, older], lease({ holderIdentity: "newer" })],
    ["the lease has expired", "elect newer", [newer], lease({ holderIdentity: "newer", renewTime: at(-6) })],
    ["a candidate is silent", "ask a", [newer, candidate("a", { renewTime: at(-6) })]],
    ["its answer is awaited", "wait", [newer, candidate("a", { renewTime: at(-9), pingTime: at(-4) })]],
    ["it has not answered in time", "elect newer", [newer, candidate("a", { renewTime: at(-9), pingTime: at(-6) })]],
    ["it answered an earlier question", "ask a", [newer, candidate("a", { renewTime: at(-60), pingTime: at(-61) })]],
    ["a quarter of an hour has passed", "ask a", [candidate("a", { renewTime: at(-901) })], lease({ holderIdentity: "a" })],
    ["another strategy has no holder here", "elect undefined", [candidate("a", { strategy: "example.com/mine" })]],
    ["the strategies of the newest binaries differ", "none", [newer, candidate("a", { strategy: "example.com/mine" })]],
    ["the strategy of the newest binary counts", "elect undefined", [
      newer,
      candidate("a", { strategy: "example.com/b", binaryVersion: "1.36.0" }),
    ]],
  ];
  for (const [name, expected, candidates, held] of cases) assert.equal(step(candidates, held), expected, name);
});

test("electedSpec() gives a free lease to the winner, and names it as preferred while another one holds the lease", () => {
  const won = { tag: "elect", strategy: "OldestEmulationVersion", holder: "b" } as const, { strategy } = won;
  const fresh = { holderIdentity: "b", leaseDurationSeconds: 5, renewTime: at(0), strategy };
  assert.deepEqual(electedSpec(undefined, won, at(0)), fresh);
  const held = { holderIdentity: "a", leaseDurationSeconds: 15, renewTime: at(-9), leaseTransitions: 3, strategy } as any; // times are texts
  assert.deepEqual(electedSpec(held, won, at(0)), { ...held, preferredHolder: "b" });
  assert.equal(electedSpec({ ...held, preferredHolder: "b" }, won, at(0)), undefined);
  assert.equal(electedSpec({ ...held, holderIdentity: "b" }, won, at(0)), undefined);
  const expired = { ...held, renewTime: at(-16), acquireTime: at(-60), preferredHolder: "c" };
  assert.deepEqual(electedSpec(expired, won, at(0)), { ...fresh, leaseTransitions: 3 });
  const none = { tag: "elect", strategy: "example.com/mine", holder: undefined } as const;
  assert.deepEqual(electedSpec(undefined, none, at(0)), { leaseDurationSeconds: 5, renewTime: at(0), strategy: "example.com/mine" });
});
