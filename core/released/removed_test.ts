import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../names.ts";
import { kernelGates } from "./gates.ts";
import { compareReleases, serverRelease } from "../releases.ts";
import { removedGate, removedVersion } from "./removed.ts";
import { pluralOf } from "../define/plural.ts";
import { removedApis } from "../removed-apis.ts";
import { removedGates } from "./removed-facts.ts";

test("removedVersion() has the release and the replacement of group versions and of resources", () => {
  const text = (key: string) => removedVersion(key, defaultNames);
  assert.equal(
    text("coordination.k8s.io/v1beta1"),
    '"coordination.k8s.io/v1beta1" in --runtime-config was removed in 1.22: use coordination.k8s.io/v1',
  );
  assert.equal(
    text("storage.k8s.io/v1beta1/csidrivers"),
    '"storage.k8s.io/v1beta1/csidrivers" in --runtime-config was removed in 1.22: use storage.k8s.io/v1',
  );
  assert.equal(
    text("extensions/v1beta1"),
    '"extensions/v1beta1" in --runtime-config was removed in 1.22: use networking.k8s.io/v1 or apps/v1 or pod security admission',
  );
  for (const key of ["coordination.k8s.io/v1", "coordination.k8s.io/v1beta1/cats", "coordination.{domain}/v1beta1", ""]) {
    assert.equal(text(key), undefined);
  }
});

test("removedVersion() spells groups with the domain of the server", () => {
  const names = { ...defaultNames, domain: "example.org" };
  assert.match(removedVersion("storage.example.org/v1beta1", names)!, /removed in 1\.27: use storage\.example\.org\/v1$/);
  assert.equal(removedVersion("storage.k8s.io/v1beta1", names), undefined);
  assert.match(removedVersion("batch/v1beta1", names)!, /removed in 1\.25: use batch\/v1$/);
});

test("removedGate() has the release, and whether the feature is always enabled", () => {
  assert.equal(
    removedGate("CSIMigration"),
    'feature gate "CSIMigration" was removed in 1.27: its feature is always enabled; remove it from the setting',
  );
  assert.equal(
    removedGate("ServiceTopology"),
    'feature gate "ServiceTopology" was removed in 1.22: it has no effect any more; remove it from the setting',
  );
  for (const name of ["WatchList", "constructor", "", "csimigration"]) assert.equal(removedGate(name), undefined);
});

test("the facts are consistent: one row per gate and per resource, none after the emulated release, none of an existing feature", () => {
  const gates = removedGates.flatMap(([, , names]) => names.split(" "));
  const resources = removedApis.flatMap(({ groupVersion, kinds }) => kinds.map((kind) => `${groupVersion}/${pluralOf(kind)}`));
  for (const all of [gates, resources]) assert.deepEqual(all.filter((each, index) => all.indexOf(each) !== index), []);
  for (const release of [...removedGates.map(([release]) => release), ...removedApis.map(({ removed }) => removed)]) {
    assert.ok(compareReleases(release, serverRelease) <= 0, release);
  }
  assert.deepEqual(gates.filter((gate) => Object.hasOwn(kernelGates, gate)), []);
  // Newest first, as the lookup of a group version requires.
  for (const [index, { removed }] of removedApis.entries()) {
    if (index > 0) assert.ok(compareReleases(removedApis[index - 1]!.removed, removed) >= 0, `row ${index}`);
  }
});
