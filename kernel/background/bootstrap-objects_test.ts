import assert from "node:assert/strict";
import { test } from "node:test";
import { forbiddenError, internalError, notFoundError } from "../../core/status-error.ts";
import { fakeApi } from "../../core/test-context.ts";
import { createBootstrapObjects } from "./bootstrap-objects.ts";

const thing = { groupVersion: "example.com/v1", resource: "things", object: { metadata: { name: "first" } } };
const absent = notFoundError({ group: "example.com", name: "things" }, "first");

test("createBootstrapObjects() accepts a rejection of an object that exists, such as by a webhook that cannot be called", async () => {
  const asked: string[] = [];
  for (const error of [internalError("failed calling webhook"), forbiddenError({ group: "", name: "things" }, "first", "a policy")]) {
    const api = fakeApi({
      create: () => Promise.reject(error),
      get(groupVersion, resource, namespace, name) {
        asked.push(`${groupVersion} ${resource} ${namespace} ${name}`);
        return Promise.resolve({ kind: "Thing", apiVersion: groupVersion, ...thing.object });
      },
    });
    await createBootstrapObjects([thing], api);
  }
  assert.deepEqual(asked, Array(2).fill("example.com/v1 things  first"));
});

test("createBootstrapObjects() rejects with the error of an object that cannot be created", async () => {
  const error = internalError("failed calling webhook");
  const api = fakeApi({ create: () => Promise.reject(error), get: () => Promise.reject(absent) });
  await assert.rejects(createBootstrapObjects([thing], api), error);
  const broken = fakeApi({ create: () => Promise.reject(error), get: () => Promise.reject(new Error("the store is down")) });
  await assert.rejects(createBootstrapObjects([thing], broken), error);
});
