// Feature gates of the program: their stages and messages.
// In Deno's suite only: what a setting changes does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gateTable, kernelGateDependencies, kernelGates, ownGates, stageAt } from "../../core/released/gates.ts";
import { inertLadders } from "../../core/released/inert-gates.ts";
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

const declarations = [kernelGates, ...plugins.map(({ featureGates = {} }) => featureGates)].flatMap((table) => Object.entries(table));
/** Each gate once: families share a gate as one value. */
const declaredGates = [...new Map(declarations)];

/** Gates of the reference that begin in 1.35 by their stages, and that no release 1.35 knows. */
const notYet = ["ImageVolumeWithDigest"];
/** Gates of 1.36 that can be switched on here already. */
const early = ["ShardedListAndWatch"];

test("every gate of the reference is known here, with kube-apiserver's stages and locks up to the emulated release", () => {
  const { gates } = readFacts<Reference>("feature-gates.json");
  const until = <T>(rungs: readonly T[], release: (rung: T) => string) =>
    rungs.filter((rung) => compareReleases(release(rung), serverRelease) <= 0);
  const ours = Object.fromEntries(
    declaredGates.map(([name, ladder]) => [
      name,
      until(ladder, ({ since }) => since).map(({ since, stage, default: on, locked = false }) => [since, stage, on, locked]),
    ]),
  );
  const theirs = gates.filter(({ name }) => !notYet.includes(name)).map(({ name, ladder }) => {
    const rungs = until(ladder, ({ version }) => version);
    return [name, rungs.map((rung) => [rung.version, rung.stage, rung.default, rung.lockToDefault])] as const;
  }).filter(([, rungs]) => rungs.length > 0);
  for (const [name, rungs] of theirs) assert.deepEqual(ours[name], rungs, name);
  assert.ok(theirs.length > 85, `${theirs.length} gates compared`);
  for (const name of gates.map(({ name }) => name).filter((name) => !theirs.some(([known]) => known === name))) {
    assert.deepEqual(ours[name], early.includes(name) ? [["1.35", "Alpha", false, false]] : undefined, name);
  }
});

test("each gate is declared once, or shared as one value: a gate that has an effect is not in the table of those without", () => {
  const known = new Map(declaredGates);
  assert.deepEqual(declarations.filter(([name, ladder]) => known.get(name) !== ladder), []);
  assert.deepEqual(Object.keys(ownGates).filter((name) => Object.hasOwn(inertLadders, name)), []);
});

test("a server starts with every gate at its default, and a locked one that is changed is refused with upstream's message", async () => {
  const now = declaredGates.flatMap(([name, ladder]) => {
    const rung = stageAt(ladder, serverRelease);
    return rung === undefined ? [] : [{ name, ...rung }];
  });
  const flag = (gates: typeof now, spell: (on: boolean) => boolean) =>
    `--feature-gates=${gates.map(({ name, default: on }) => `${name}=${spell(on)}`).join(",")}`;
  await served([flag(now, (on) => on)], async ({ client }) => {
    const shown = (await client.ask("/metrics")).text.matchAll(/^kubernetes_feature_enabled\{name="(\w+)",stage="\w*"\} (\d)$/gm);
    const states = Object.fromEntries([...shown].map(([, name, value]) => [name, value === "1"]));
    assert.deepEqual(states, Object.fromEntries(now.map(({ name, default: on }) => [name, on])));
  });
  const locked = now.filter((gate) => gate.locked);
  await assert.rejects(served([flag(locked, (on) => !on)], () => Promise.resolve()), ({ message }: Error) => {
    for (const { name, default: on } of locked) {
      const refusal = `cannot set feature gate ${name} to ${!on}, feature is locked to ${on}`;
      assert.ok(message.split("\n").includes(refusal), refusal);
    }
    return true;
  });
});

test("each unlocked gate can be set to the other value, together with those that it needs or that need it", () => {
  const tables = [kernelGateDependencies, ...plugins.map(({ gateDependencies = {} }) => gateDependencies)];
  const dependencies: Readonly<Record<string, readonly string[]>> = Object.assign({}, ...tables);
  const rules = { ladders: Object.fromEntries(declaredGates), dependencies };
  const set = (wanted: Map<string, boolean>, name: string, on: boolean): void => {
    wanted.set(name, on);
    const others = on ? dependencies[name] ?? [] : Object.keys(dependencies).filter((each) => dependencies[each]!.includes(name));
    for (const other of others) if (stageAt(rules.ladders[other]!, serverRelease)?.locked !== true) set(wanted, other, on);
  };
  let flipped = 0;
  for (const [name, ladder] of declaredGates) {
    const rung = stageAt(ladder, serverRelease), wanted = new Map<string, boolean>(), mistakes: string[] = [];
    if (rung === undefined || rung.locked) continue;
    set(wanted, name, !rung.default);
    const { states } = gateTable(rules, wanted, mistakes);
    assert.deepEqual([mistakes, states.find((each) => each.name === name)?.on], [[], !rung.default], name);
    flipped++;
  }
  assert.ok(flipped > 80, `${flipped} gates`);
});

test("a gate without effect warns when it is set to another value than its default", () =>
  served(["--feature-gates=APIServingWithRoutine=true,ContextualLogging=true"], ({ logged }) => {
    const lines = logged.filter((line) => line.includes("has no effect in this server"));
    assert.equal(lines.length, 1, lines.join("\n"));
    assert.match(lines[0]!, /feature gate APIServingWithRoutine=true has no effect in this server/);
    return Promise.resolve();
  }));

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
