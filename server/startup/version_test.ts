import assert from "node:assert/strict";
import { test } from "node:test";
import { buildInfo, ownVersion, versionText } from "./version.ts";

test("buildInfo() has the emulated release and the minimum compatible release", () => {
  const { major, minor, emulationMajor, emulationMinor, minCompatibilityMajor, minCompatibilityMinor, gitVersion } = buildInfo();
  assert.deepEqual([major, minor, emulationMajor, emulationMinor], ["1", "35", "1", "35"]);
  assert.deepEqual([minCompatibilityMajor, minCompatibilityMinor], ["1", "34"]);
  // Semantic versioning 2.0.0, as clients read it.
  assert.match(gitVersion, /^v1\.35\.0\+thole-\d+\.\d+\.\d+$/);
  assert.ok(versionText().startsWith(`Thole ${ownVersion} (Kubernetes ${gitVersion}) on `));
});
