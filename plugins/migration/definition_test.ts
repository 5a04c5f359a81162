import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../core/names.ts";
import { StatusError } from "../../core/status-error.ts";
import { fakeApi } from "../../testing/fakes.ts";
import { finishMigrating, markMigrating } from "./definition.ts";

const groupVersion = "apiextensions.k8s.io/v1", resource = "customresourcedefinitions";
const of = { group: "example.com", resource: "things" };
const running = { type: "StorageMigrating", status: "True", reason: "MigrationRunning", message: "", observedGeneration: 2 };

/** An API with one definition, which conflicts with the first `conflicts` writes. `any`: tests build partial objects. */
function apiWith(generation: number, { conflicts = 0, served = true } = {}) {
  const applied: any[] = [];
  let refused = 0;
  const definition: any = {
    metadata: { name: "things.example.com", resourceVersion: "7", generation },
    spec: { versions: [{ name: "v1", storage: false }, { name: "v2", storage: true }] },
    status: { conditions: [running], storedVersions: ["v1", "v2"] },
  };
  const api = fakeApi({
    collections: () => served ? [{ groupVersion, resource, kind: "CustomResourceDefinition", namespaced: false }] : [],
    get: (_version, _resource, _namespace, name) =>
      name === "things.example.com" ? Promise.resolve(definition) : Promise.reject(new StatusError("NotFound", "none")),
    apply: (_version, _resource, _namespace, _name, object: any, options) => {
      if (refused++ < conflicts) return Promise.reject(new StatusError("Conflict", "changed"));
      const { lastTransitionTime, ...condition } = object.status.conditions[0];
      assert.match(lastTransitionTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      applied.push({ metadata: object.metadata, status: { ...object.status, conditions: [condition] }, options });
      return Promise.resolve(object);
    },
  });
  return { api, applied };
}
const options = { subresource: "status", fieldManager: "migration-runner-controller", force: true };

test("markMigrating() adds a condition with the generation of the definition it was made for", async () => {
  const { api, applied } = apiWith(2);
  assert.equal(await markMigrating(api, defaultNames, of, 0, "one"), true);
  assert.deepEqual(applied, [{
    metadata: { name: "things.example.com", resourceVersion: "7" },
    status: { conditions: [{ ...running, message: "Migration one is running" }] },
    options,
  }]);
});

test("finishMigrating() leaves the storage version as the only stored one if the definition has not changed", async () => {
  const { api, applied } = apiWith(2);
  await finishMigrating(api, defaultNames, of, 0, true);
  const message = "The migration has succeeded and the stored versions have been updated";
  assert.deepEqual(applied[0].status, {
    conditions: [{ ...running, status: "False", reason: "MigrationSucceeded", message }],
    storedVersions: ["v2"],
  });
});

test("finishMigrating() keeps the stored versions if the definition has changed or the migration has failed", async () => {
  const changed = apiWith(3), failed = apiWith(2);
  await finishMigrating(changed.api, defaultNames, of, 0, true);
  await finishMigrating(failed.api, defaultNames, of, 0, false);
  assert.deepEqual([changed, failed].map(({ applied }) => applied[0].status.conditions[0].message), [
    "The migration has succeeded but the stored versions have not been updated due to a generation mismatch",
    "The migration has failed",
  ]);
  assert.deepEqual([changed, failed].map(({ applied }) => "storedVersions" in applied[0].status), [false, false]);
});

test("a conflict is retried a bounded number of times", async () => {
  const once = apiWith(2, { conflicts: 1 });
  await markMigrating(once.api, defaultNames, of, 0, "one");
  assert.equal(once.applied.length, 1);
  await assert.rejects(markMigrating(apiWith(2, { conflicts: 99 }).api, defaultNames, of, 0, "one"), /changed/);
});

test("a resource without a definition is left alone", async () => {
  const other = { group: "apps", resource: "deployments" };
  assert.equal(await markMigrating(apiWith(2).api, defaultNames, other, 0, "one"), false);
  assert.equal(await markMigrating(apiWith(2, { served: false }).api, defaultNames, of, 0, "one"), false);
});
