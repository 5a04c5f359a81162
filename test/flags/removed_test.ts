// Features that a release of kube-apiserver removed have the same error by flag, by configuration file, and at reload.
// In Deno's suite only: what a setting changes does not depend on the runtime.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pluralOf } from "../../core/define/define.ts";
import { defaultNames, spell } from "../../core/names.ts";
import { compareReleases, serverRelease } from "../../core/releases.ts";
import { removedGate, removedVersion } from "../../core/released/removed.ts";
import { plugins } from "../../plugins/mod.ts";
import { inFolder, served } from "./served.ts";

const removed = [
  [
    "runtime-config",
    "scheduling.k8s.io/v1beta1=true",
    /"scheduling\.k8s\.io\/v1beta1" in --runtime-config was removed in 1\.22: use scheduling\.k8s\.io\/v1$/m,
  ],
  ["runtime-config", "scheduling.k8s.io/v1beta1=false", /"scheduling\.k8s\.io\/v1beta1" in --runtime-config was removed in 1\.22: use/],
  ["runtime-config", "storage.k8s.io/v1beta1/csistoragecapacities=true", /was removed in 1\.27: use storage\.k8s\.io\/v1$/m],
  ["runtime-config", "rbac.authorization.k8s.io/v1beta1=true", /was removed in 1\.22: use rbac\.authorization\.k8s\.io\/v1$/m],
  ["runtime-config", "policy/v1beta1/podsecuritypolicies=true", /was removed in 1\.25: use pod security admission$/m],
  [
    "feature-gates",
    "CSIMigration=true",
    /feature gate "CSIMigration" was removed in 1\.27: its feature is always enabled; remove it from the setting$/m,
  ],
  [
    "feature-gates",
    "DynamicKubeletConfig=false",
    /feature gate "DynamicKubeletConfig" was removed in 1\.26: it has no effect any more/,
  ],
] as const;

for (const [setting, value, text] of removed) {
  test(`--${setting}=${value} is rejected with the release that removed it, by flag, file and reload`, () =>
    inFolder(async (folder) => {
      await assert.rejects(served([`--${setting}=${value}`], () => Promise.resolve()), text);
      const file = join(folder, "thole.yaml");
      const [key, on] = value.split("=");
      const yaml = `${setting}: {${key}: ${on}}\n`;
      await writeFile(file, yaml);
      await assert.rejects(served([`--config=${file}`], () => Promise.resolve()), text);
      await writeFile(file, "feature-gates: {}\n");
      await served([`--config=${file}`], async ({ running, logged, client }) => {
        await writeFile(file, yaml);
        await running.reload();
        const line = logged.find((each) => each.includes("the changed configuration is rejected"));
        assert.match(line?.replaceAll('\\"', '"').replaceAll(/"\]?\}?$/gm, "") ?? "", new RegExp(text.source.replace(/\$$/, "")));
        assert.equal((await client.ask("/livez")).status, 200);
      });
    }));
}

test("features that kube-apiserver never had are unknown, with a suggestion", async () => {
  const start = (arg: string) => served([arg], () => Promise.resolve());
  await assert.rejects(start("--runtime-config=storage.k8s.io/v2=true"), /unknown group version "storage\.k8s\.io\/v2"/);
  await assert.rejects(start("--feature-gates=WatchLists=true"), /unknown feature gate "WatchLists": did you mean "WatchList"\?/);
});

test("no served gate or version is among the removed ones", () => {
  const declared = plugins.flatMap(({ featureGates = {} }) => Object.keys(featureGates));
  assert.deepEqual(declared.flatMap((gate) => removedGate(gate) ?? []), []);
  const versions = plugins.flatMap(({ resources = [] }) => resources).flatMap((resource) =>
    Object.entries(resource.served)
      .filter(([, { removed }]) => removed === undefined || compareReleases(removed, serverRelease) >= 0)
      .map(([groupVersion]) => `${spell(defaultNames, groupVersion)}/${resource.plural ?? pluralOf(resource.kind)}`)
  );
  assert.deepEqual(versions.flatMap((key) => removedVersion(key, defaultNames) ?? []), []);
});
