// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../../core/field-error.ts";
import { hookContext } from "./test-context.ts";
import { runtimeClasses } from "./runtime-class.ts";
import { mergeTolerations } from "../shared/pod/tolerations.ts";

const context = hookContext();

test("of tolerations that include each other the wider one stays, of equal ones the first", () => {
  const exists = { key: "a", operator: "Exists", effect: "NoSchedule" } as const;
  const equal = { key: "a", operator: "Equal", value: "v", effect: "NoSchedule" } as const;
  assert.deepEqual(mergeTolerations([equal, exists]), [exists]);
  assert.deepEqual(mergeTolerations([exists, equal, { ...exists }]), [exists]);
  assert.deepEqual(mergeTolerations([equal, { operator: "Exists" }]), [{ operator: "Exists" }]);
  const short = { key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 } as const;
  const long = { ...short, tolerationSeconds: 6 };
  assert.deepEqual(mergeTolerations([short, long]), [long]);
  assert.deepEqual(mergeTolerations([exists, short]), [exists, short]);
});

test("each field of a RuntimeClass is checked", () => {
  const toleration = { key: "a", operator: "Exists", effect: "NoSchedule" };
  const cases: readonly (readonly [object, ...string[]])[] = [
    [{}],
    [{ overhead: { podFixed: { cpu: "250m", memory: "1Mi" } }, scheduling: { nodeSelector: { a: "b" }, tolerations: [toleration] } }],
    [{ overhead: {}, scheduling: {} }],
    [{ handler: "" }, "handler"],
    [{ handler: "Upper" }, "handler"],
    [{ handler: "a".repeat(63) }],
    [{ handler: "a".repeat(64) }, "handler"],
    [{ overhead: { podFixed: { cpu: "-1" } } }, "overhead.limits[cpu]"],
    [{ overhead: { podFixed: { disk: "1" } } }, "overhead.limits[disk]", "overhead.limits[disk]"],
    [{ overhead: { podFixed: { "a.io/b": "0.5" } } }, "overhead.limits[a.io/b]"],
    [{ scheduling: { nodeSelector: { "a b": "c" } } }, "scheduling.nodeSelector"],
    [{ scheduling: { tolerations: [{ ...toleration, value: "v" }] } }, "scheduling.tolerations[0].operator"],
    [{ scheduling: { tolerations: [toleration, { ...toleration, tolerationSeconds: 1, effect: "NoExecute" }] } }],
    [{ scheduling: { tolerations: [toleration, toleration] } }, "scheduling.tolerations[1]"],
  ];
  for (const [parts, ...fields] of cases) {
    const found = runtimeClasses.create!({ metadata: { name: "a" }, handler: "h", ...parts } as any, context); // `any`: also wrong objects
    assert.deepEqual(found.map(({ path }) => path), fields, JSON.stringify(parts));
  }
});

test("the handler of a RuntimeClass does not change", () => {
  const metadata = { name: "a", uid: "u", resourceVersion: "1", creationTimestamp: "2024-01-02T03:04:05Z" };
  const stored: any = { kind: "RuntimeClass", apiVersion: "node.k8s.io/v1", metadata, handler: "h" }; // `any`: its kind is that of any object
  assert.deepEqual(runtimeClasses.update!({ ...stored, overhead: { podFixed: { cpu: "1" } } }, stored, context), []);
  assert.deepEqual(runtimeClasses.update!({ ...stored, handler: "i" }, stored, context).map(fieldErrorText), [
    'handler: Invalid value: "i": field is immutable',
  ]);
});
