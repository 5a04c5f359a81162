// In Deno's suite only: the runtime does not matter.
// Which policies and webhooks see a write through any version and subresource: as a kube-apiserver.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { openTestServer } from "../../testing.ts";
import { record, type Recorded, warningsOf } from "./cases.ts";
import { ask } from "../requests.ts";

const settings = {
  "feature-gates": { MutatingAdmissionPolicy: true },
  "runtime-config": { "admissionregistration.k8s.io/v1beta1": true },
};

test("rules of one version see the writes of the others, with subresources, as a kube-apiserver's do", async () => {
  const recorded: Recorded = JSON.parse(await readFile(new URL("recorded.json", import.meta.url), "utf8")); // our file
  await using server = await openTestServer({ settings });
  const { seen, mutated } = await record(async (method, path, body, type = "application/json") => {
    const { status: code, headers, body: answer } = await ask(server, method, path, body, type);
    return { code, warnings: warningsOf(headers), body: answer };
  });
  assert.deepEqual(seen, recorded.seen);
  for (const [name, requests] of Object.entries(mutated)) {
    const hook = name.replace(/^[a-z]+/, "hook"), isOfScale = (request: string) => request.endsWith(" scale");
    // A difference: mutating policies change the Scale of custom resources too, as webhooks do.
    const ofScale = Object.keys(seen).filter((request) => isOfScale(request) && seen[request]!.changed.includes(hook));
    assert.ok(ofScale.length > 0 && !recorded.mutated[name]!.some(isOfScale));
    assert.deepEqual(requests.toSorted(), [...recorded.mutated[name]!, ...ofScale].toSorted(), name);
  }
});
