// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../../core/field-error.ts";
import { leaseCandidates } from "./lease-candidate.ts";

const valid = { leaseName: "l", binaryVersion: "1.35.0", emulationVersion: "1.34.0", strategy: "OldestEmulationVersion" };
const metadata = { name: "one", namespace: "demo" };
const candidate = (change: object): any => ({ metadata, spec: { ...valid, ...change } }); // `any`: also wrong candidates
const created = (change: object) => leaseCandidates.create!(candidate(change), {} as any).map(fieldErrorText); // `any`: no rule uses it

test("each field of a LeaseCandidate is checked", () => {
  const must = "spec.emulationVersion: Required value: must be specified when `strategy` is 'OldestEmulationVersion'";
  const cases: readonly (readonly [object, ...string[]])[] = [
    [{}],
    [{ emulationVersion: undefined, strategy: "example.com/mine" }],
    [{ binaryVersion: "1.34.0" }],
    [
      { binaryVersion: "1.34.0-rc.1" },
      'spec.binaryVersion: Invalid value: "1.34.0-rc.1": must be greater than or equal to `emulationVersion`',
    ],
    [{ leaseName: "" }, "spec.leaseName: Required value"],
    [{ binaryVersion: "" }, "spec.binaryVersion: Required value"],
    [
      { binaryVersion: "v1.35.0", strategy: "example.com/mine" },
      'spec.binaryVersion: Invalid value: "v1.35.0": must be a valid semantic version',
      'spec.binaryVersion: Invalid value: "v1.35.0": must be greater than or equal to `emulationVersion`',
    ],
    [{ emulationVersion: "1.34" }, 'spec.emulationVersion: Invalid value: "1.34": must be a valid semantic version', must],
    [{ emulationVersion: "" }, must],
    [{ strategy: "" }, "spec.strategy: Required value"],
    [{ strategy: "Mine" }, 'spec.strategy.strategy: Unsupported value: "Mine": supported values: "OldestEmulationVersion"'],
    [{ strategy: "/mine" }, 'spec.strategy.strategy: Invalid value: "/mine": prefix part must be non-empty'],
  ];
  for (const [change, ...errors] of cases) assert.deepEqual(created(change), errors, JSON.stringify(change));
});

test("a LeaseCandidate keeps its lease, and its name may be any key", () => {
  const errors = leaseCandidates.update!(candidate({ leaseName: "m" }), candidate({}), {} as any).map(fieldErrorText); // `any`: no rule uses it
  assert.deepEqual(errors, ['spec.leaseName: Invalid value: "m": field is immutable']);
  assert.deepEqual(leaseCandidates.strategy?.nameRule?.("Node_1.b", false), []);
  assert.equal(leaseCandidates.strategy?.nameRule?.("a/b", false).length, 1);
});
