// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runtimeClassAdmission } from "./runtime-class-admission.ts";

const found = {
  metadata: { name: "fast" },
  handler: "h",
  overhead: { podFixed: { cpu: "250m" } },
  scheduling: { nodeSelector: { disk: "ssd" }, tolerations: [{ key: "a", operator: "Exists" }] },
};
const context: any = {
  subresource: "",
  request: { bounded: (work: () => unknown) => work() },
  read: { get: (...[, , , name]: string[]) => Promise.resolve(name === "fast" ? found : undefined) },
}; // `any`: only what the step uses
const make = (spec: object): any => ({ kind: "Pod", apiVersion: "v1", metadata: { name: "p" }, spec }); // `any`: a part of a pod
const extended = async (spec: object) => (await runtimeClassAdmission.mutate!(make(spec), undefined, context)).spec;

test("a new pod gets overhead, node labels and tolerations of its class, and may not contradict it", async () => {
  const runtimeClassName = "fast", { overhead: { podFixed: overhead }, scheduling } = found;
  assert.deepEqual(await extended({ runtimeClassName, nodeSelector: { a: "b" } }), {
    runtimeClassName,
    overhead,
    nodeSelector: { a: "b", disk: "ssd" },
    tolerations: scheduling.tolerations,
  });
  assert.deepEqual(await extended({}), {});
  await assert.rejects(extended({ runtimeClassName: "none" }), /pod rejected: RuntimeClass "none" not found/);
  await assert.rejects(extended({ runtimeClassName, overhead: { cpu: "1" } }), /Overhead doesn't match/);
  await assert.rejects(extended({ runtimeClassName, nodeSelector: { disk: "hdd" } }), /conflict: runtimeClass\.scheduling/);
  const refused = (spec: object) => runtimeClassAdmission.refuse!(make(spec), undefined, context);
  assert.match(await refused({ overhead: { cpu: "1" } }) ?? "", /without corresponding/);
  assert.equal(await refused({ runtimeClassName, overhead: { cpu: "0.25" } }), undefined);
});
