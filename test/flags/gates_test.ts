// Feature gates of the program: their stages and messages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { kernelGateDependencies, kernelGates } from "../../kernel/catalog/gates.ts";
import { compareReleases, serverRelease } from "../../core/releases.ts";
import { plugins } from "../../plugins/mod.ts";
import { readFacts } from "../reference/facts.ts";
import { served } from "./served.ts";

interface Rung {
  readonly version: string;
  readonly stage: string;
  readonly default: boolean;
  readonly lockToDefault: boolean;
}
interface Reference {
  readonly gates: readonly { readonly name: string; readonly ladder: readonly Rung[]; readonly dependsOn?: readonly string[] }[];
}

test("every gate in the reference has kube-apiserver's stages up to the emulated release", () => {
  const { gates } = readFacts<Reference>("feature-gates.json");
  const declared = [kernelGates, ...plugins.map(({ featureGates = {} }) => featureGates)].flatMap((table) => Object.entries(table));
  const until = <T>(rungs: readonly T[], release: (rung: T) => string) =>
    rungs.filter((rung) => compareReleases(release(rung), serverRelease) <= 0);
  let compared = 0;
  for (const [name, ladder] of declared) {
    const known = gates.find((gate) => gate.name === name);
    if (known === undefined) continue;
    compared++;
    const ours = until(ladder, ({ since }) => since).map(({ since, stage, default: on, locked = false }) => [since, stage, on, locked]);
    const theirs = until(known.ladder, ({ version }) => version).map((
      rung,
    ) => [rung.version, rung.stage, rung.default, rung.lockToDefault]);
    assert.deepEqual(ours, theirs, name);
  }
  assert.ok(compared > 15, `${compared} gates compared`);
});

test("our gates have upstream's dependencies, as far as both gates exist here", () => {
  const { gates } = readFacts<Reference>("feature-gates.json");
  const declared = new Set([kernelGates, ...plugins.map(({ featureGates = {} }) => featureGates)].flatMap((table) => Object.keys(table)));
  const tables = [kernelGateDependencies, ...plugins.map(({ gateDependencies = {} }) => gateDependencies)];
  const ours = new Map(tables.flatMap((table) => Object.entries(table)));
  for (const { name, dependsOn = [] } of gates.filter((gate) => declared.has(gate.name))) {
    assert.deepEqual(ours.get(name) ?? [], dependsOn.filter((each) => declared.has(each)), name);
  }
});

test("a gate without its dependency, and a locked gate that is changed, are start errors with upstream's messages", async () => {
  const start = (gates: string) => served([`--feature-gates=${gates}`], () => Promise.resolve());
  await assert.rejects(
    start("ClusterTrustBundleProjection=true"),
    /^ConfigError: ClusterTrustBundleProjection is enabled, but depends on features that are disabled: \[ClusterTrustBundle\]$/,
  );
  await start("ClusterTrustBundleProjection=true,ClusterTrustBundle=true");
  await start("AllBeta=true");
  await assert.rejects(
    start("ConsistentListFromCache=false"),
    /^ConfigError: cannot set feature gate ConsistentListFromCache to false, feature is locked to true$/,
  );
});

test("the takeover of declarative validation depends on the other gate", async () => {
  async function start(gates: string): Promise<string> {
    let shown = "";
    await served([`--feature-gates=${gates}`], async ({ client }) => {
      const { text } = await client.ask("/metrics");
      for (const name of ["DeclarativeValidation", "DeclarativeValidationTakeover"]) {
        shown += new RegExp(`^kubernetes_feature_enabled\\{name="${name}",stage="BETA"\\} (\\d)$`, "m").exec(text)?.[1];
      }
    });
    return shown;
  }
  assert.equal(await start("DeclarativeValidation=true"), "10");
  assert.equal(await start("DeclarativeValidationTakeover=true"), "11");
  assert.equal(await start("DeclarativeValidation=false"), "00");
  await assert.rejects(
    start("DeclarativeValidation=false,DeclarativeValidationTakeover=true"),
    /DeclarativeValidationTakeover is enabled, but depends on features that are disabled: \[DeclarativeValidation\]/,
  );
});

test("kubernetes_feature_enabled has every gate with its stage, with upstream's labels", () =>
  served(["--feature-gates=AllAlpha=true"], async ({ client }) => {
    const lines = (await client.ask("/metrics")).text.split("\n").filter((line) => line.startsWith("kubernetes_feature_enabled{"));
    for (
      const line of [
        'name="AllowUnsafeMalformedObjectDeletion",stage="ALPHA"} 1',
        'name="WatchList",stage="BETA"} 1',
        'name="ConsistentListFromCache",stage=""} 1',
        'name="WatchFromStorageWithoutResourceVersion",stage="DEPRECATED"} 0',
      ]
    ) assert.ok(lines.includes(`kubernetes_feature_enabled{${line}`), line);
  }));
