// Each of the four ways of one rule accepts and rejects the same objects.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../real-server.ts";
import { create, openWay, type Way } from "./ways.ts";

const rejections: Readonly<Record<Exclude<Way, "none">, readonly [code: number, message: string]>> = {
  tree: [422, 'Gadget.example.com "six" is invalid: spec.replicas: Invalid value: 6: at most 5 replicas are allowed'],
  policy: [
    422,
    "gadgets.example.com \"six\" is forbidden: ValidatingAdmissionPolicy 'five' with binding 'five' denied request: at most 5 replicas are allowed",
  ],
  step: [403, 'gadgets.example.com "six" is forbidden: at most 5 replicas are allowed'],
  webhook: [400, 'admission webhook "hook.example.com" denied the request: at most 5 replicas are allowed'],
};

for (const [way, rejection] of Object.entries(rejections) as [keyof typeof rejections, readonly [number, string]][]) {
  test(`a rule in the form "${way}" rejects what it forbids`, async () => {
    await using server = await openWay(way);
    assert.equal((await create(server, "five", 5)).status, 201);
    await until(async () => {
      const { code, message } = await (await create(server, "six", 6)).json();
      assert.deepEqual([code, message], rejection);
    });
  });
}
