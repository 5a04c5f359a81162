// In Deno's suite only: sets and maps do not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DefinedVersions } from "./defined-versions.ts";

const definition = (name: string, ...versions: readonly string[]) => ({
  kind: "CustomResourceDefinition",
  apiVersion: "apiextensions.k8s.io/v1",
  metadata: { name },
  spec: { group: "example.com", versions: versions.map((each) => ({ name: each.replace("-", ""), served: !each.startsWith("-") })) },
});

test("DefinedVersions has a group version while one definition serves it", () => {
  const defined = new DefinedVersions();
  const changed = (definitionOf: ReturnType<typeof definition>, isGone = false) =>
    [...defined.change({ definition: definitionOf, isGone })].sort();
  assert.deepEqual(changed(definition("things", "v1", "v2", "-v3")), ["v1.example.com", "v2.example.com"]);
  assert.deepEqual(defined.get("v1.example.com"), { group: "example.com", version: "v1" });
  assert.equal(defined.get("v3.example.com"), undefined);
  assert.deepEqual(changed(definition("others", "v1")), ["v1.example.com"]);
  assert.deepEqual(changed(definition("things", "-v1", "v2")), ["v1.example.com", "v2.example.com"]);
  assert.deepEqual([...defined.names()].sort(), ["v1.example.com", "v2.example.com"], "others still serves v1");
  assert.deepEqual(changed(definition("others", "v1"), true), ["v1.example.com"]);
  assert.deepEqual(defined.names(), ["v2.example.com"]);
  assert.deepEqual(changed(definition("things"), true), ["v2.example.com"]);
  assert.deepEqual(defined.names(), []);
});
