/** `npm run bench`: the cost of requests, beside a kube-apiserver or another checkout, of memory and of floods. `--help` prints the usage. */
import process from "node:process";
import { parseArgs } from "node:util";
import { reasonOf } from "../../core/reason-of.ts";
import { kubeApiserverMissing } from "../../test/access/kube-apiserver.ts";
import { etcdAvailable } from "../../test/etcd.ts";
import { compareCheckouts } from "./against.ts";
import { differenceLine } from "./against-rows.ts";
import type { Runtime } from "./children.ts";
import { densityMissing, measureDensities } from "./density.ts";
import type { DensitySize } from "./density-load.ts";
import { measureFairness } from "./fairness.ts";
import { measureMany } from "./fan-out-many.ts";
import { measurePlain } from "./fan-out-plain.ts";
import { measureSlow } from "./fan-out-slow.ts";
import { measureWorkers } from "./fan-out-workers.ts";
import { measureFirst } from "./first-requests.ts";
import { floodHead, floodLine, floodNames, measureFlood } from "./floods.ts";
import { keepDensity, keepMemory, keepPeer, keepResult } from "./kept.ts";
import { measure, type Result } from "./measure.ts";
import type { StoreName } from "./measured.ts";
import { measureMemory } from "./memory.ts";
import { measureMemoryOfKinds } from "./memory-of-kinds.ts";
import { comparePeer } from "./peer.ts";
import { nameWidth, peerLine } from "./peer-rows.ts";
import { measureProfiles } from "./profile.ts";
import { headLine, measuredLine, short, startLines } from "./report.ts";
import { measureProxied } from "./proxied.ts";
import { peerScenarios, type Scenario, scenarios } from "./scenarios.ts";

/** What the program does; its flags are in the usage. */
const usage =
  `npm run bench [-- --only TEXT ...] [--store sqlite|etcd] [--runtime deno|node] [--protocol h2|http1] [--smoke] [--seconds N] [--kube] [--json FILE]

The cost of requests. CPU per request and ratios are comparable; requests per second and latencies depend on the machine. Takes five to seven minutes per store.
--seconds is the duration of each load (2); readers of much data have four times as long, or until they have read all.
--kube also creates the definitions on a kube-apiserver on PATH.
--json keeps each row in the file when it is measured, in place of the row of the same name, store and runtime.

npm run bench -- --only hostile
  Requests that cost more than their bytes suggest, twelve minutes or more. A run without --only leaves them out.
npm run bench -- --only 1,000,000
  Pages of a million objects, by label and beside writes, ten minutes. A run without --only leaves them out.
npm run bench -- --peer [--rounds N]
  The same requests to this server and to a kube-apiserver on PATH, in alternating rounds over HTTP/2.
npm run bench -- --against main [--only TEXT ...] [--store etcd] [--runtime node] [--rounds N]
  This checkout beside a commit, branch, tag or other folder: CPU of the same requests, events and starts, and idle memory, in alternating rounds of
  five sittings, twenty minutes. Exits with 1 if a row is dearer by more than 5 percent. On a machine without other work.
npm run bench -- --proxied [--rounds N]
  A GET that is passed on to a registered server, beside a kube-apiserver on PATH with the same one, two minutes.
npm run bench -- --density --stages FOLDER [--kube] [--store sqlite] [--runtime node] [--nodes N] [--deployments N] [--replicas N] [--kwok N,N]
  A cluster without machines: kube-controller-manager, kube-scheduler and kwok of PATH beside this server, with the folder kustomize/stage of kwok's
  module. Two minutes; --kube also measures a kube-apiserver before and after it, eight minutes. --kwok has nodes and pods of kwok's own benchmark, a
  tenth of it; 0,0 leaves it out.
npm run bench -- --memory [--kinds]
  Memory of an idle server against the number of objects, and the time until it is ready, five minutes for each store. With --kinds that for each stored
  byte of ConfigMaps, Pods and custom resources, on the embedded store.
npm run bench -- --floods [--only TEXT] [--runtime node]
  Floods of frames of HTTP/2 and websockets over 1 and 8 connections, three minutes.
npm run bench -- --fan-out [--only many|slow|workers|plain] [--seconds N] [--rounds N]
  5,000 watches at 200 writes a second with one worker and with two; writes beside 10,000 slow watches; two workers beside one; events with TLS and
  without it. On etcd, with Go, ten minutes.
npm run bench -- --first [--only TEXT ...] [--rounds N]
  The first requests of a verb beside the 100,000th, of the package on sqlite, ten minutes.
npm run bench -- --fairness [--kube] [--objects N] [--rounds N] [--seconds N]
  A leader election beside a client that lists 100,000 objects in a loop and one that creates over 64 connections, with and without priority and
  fairness: ten minutes for each store. --kube measures a kube-apiserver on PATH in place of this server.
npm run bench -- --profile FOLDER
  CPU profiles of this server under the loads, with a table of the functions. With --peer under those of a comparison.`;

/** Duration of each load, and share of objects and events. */
const whole = Object.freeze({ seconds: 2, share: 1 });
const smoke = Object.freeze({ seconds: 0.05, share: 0.01 });
/** Rounds of a comparison, and the seconds of each. */
const peerRounds = 5, peerSeconds = 2;
/** Sittings of a comparison with another checkout, and the rounds of each. */
const againstSittings = 5, againstRounds = 2;
/** What it measures without --only: one scenario of each kind. */
const againstNames: ReadonlySet<string> = new Set([
  ...["get", "list of 10,000, gzip", "create", "update", "merge patch", "apply, 1 kB"],
  ...["watch, 100 watchers", "pod: create", "pod: status patch"],
]);
/** Seconds of writes of a measurement of the fan-out. */
const fanOutSeconds = 5;
/** The same of a measurement of fairness, and its listed objects. */
const fairRounds = 3, fairSeconds = 8, fairObjects = 100_000;
/** Requests of a verb before the last ones that are measured. */
const manyRequests = 100_000;
/** Each hostile request has a server of its own and takes 14 s: a smoke run sends one, a whole one none that is not named. */
const smokeHostile: ReadonlySet<string> = new Set(["merge patch, many keys"]);

/** The same for the first requests after a start. */
const smokeCold: ReadonlySet<string> = new Set(["get", "watch, 100 watchers"]);

const options = {
  only: { type: "string", multiple: true, default: [""] as string[] },
  store: { type: "string" },
  protocol: { type: "string" },
  runtime: { type: "string", default: "Deno" in globalThis ? "deno" : "node" },
  peer: { type: "boolean", default: false },
  against: { type: "string" },
  memory: { type: "boolean", default: false },
  kinds: { type: "boolean", default: false },
  floods: { type: "boolean", default: false },
  proxied: { type: "boolean", default: false },
  fairness: { type: "boolean", default: false },
  "fan-out": { type: "boolean", default: false },
  first: { type: "boolean", default: false },
  objects: { type: "string", default: String(fairObjects) },
  density: { type: "boolean", default: false },
  stages: { type: "string" },
  nodes: { type: "string", default: "100" },
  deployments: { type: "string", default: "30" },
  replicas: { type: "string", default: "100" },
  kwok: { type: "string", default: "500,1000" },
  kube: { type: "boolean", default: false },
  profile: { type: "string" },
  rounds: { type: "string" },
  smoke: { type: "boolean", default: false },
  seconds: { type: "string" },
  json: { type: "string" },
  help: { type: "boolean", short: "h", default: false },
} as const;
type Flags = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

function isChosen(name: string, { only }: Flags): boolean {
  return only.some((text) => name.includes(text));
}

function coldOf(scenario: Scenario, { smoke }: Flags): Scenario {
  return smoke && !smokeCold.has(scenario.name) ? { ...scenario, cold: false } : scenario;
}

function storesOf({ store }: Flags): readonly StoreName[] {
  const both: readonly StoreName[] = etcdAvailable() === undefined ? ["sqlite"] : ["sqlite", "etcd"];
  return both.filter((name) => store === undefined || store === name);
}

/** The scenarios of a run. Hostile requests do not depend on the store: those of the first one count. */
function chosenOf(values: Flags, isFirstStore: boolean): readonly Scenario[] {
  return scenarios.filter(({ name, measure, isLong }) =>
    isChosen(name, values) && !(isLong === true && values.only.includes("")) &&
    (measure.tag !== "hostile" || isFirstStore && (values.smoke ? smokeHostile.has(measure.request.name) : !values.only.includes("")))
  ).map((scenario) => coldOf(scenario, values));
}

async function measureAlone(values: Flags, runtime: Runtime): Promise<boolean> {
  const missing = values.kube && kubeApiserverMissing();
  if (missing !== false) throw new Error(`Cannot compare definitions: ${missing}`);
  const protocols = (["h2", "http1"] as const).filter((each) => values.protocol === undefined || values.protocol === each);
  const results: Result[] = [];
  const stores = storesOf(values);
  for (const [index, store] of stores.entries()) {
    console.log(`\n${store} on ${runtime}\n${headLine()}`);
    const size = { ...values.smoke ? smoke : whole, ...values.seconds === undefined ? {} : { seconds: Number(values.seconds) } };
    const result = await measure({
      ...{ store, runtime, protocols, kube: values.kube && index === stores.length - 1, scenarios: chosenOf(values, index === 0), ...size },
      tell: (measured, soFar) => {
        console.log(measuredLine(measured));
        if (values.json !== undefined) keepResult(values.json, soFar);
      },
    });
    console.log(startLines(result));
    results.push(result);
  }
  return results.flatMap(({ measured }) => measured).every(({ failed, missing = 0, doubled = 0 }) => failed + missing + doubled === 0);
}

async function measurePeer(values: Flags, runtime: Runtime): Promise<boolean> {
  const missing = kubeApiserverMissing();
  if (missing !== false) throw new Error(`Cannot compare: ${missing}`);
  console.log(`\nThis server on ${runtime} / a kube-apiserver, both on etcd, HTTP/2: medians of alternating rounds`);
  const size = values.smoke ? { ...smoke, rounds: 1 } : { share: 1, seconds: peerSeconds, rounds: Number(values.rounds ?? peerRounds) };
  const result = await comparePeer({
    ...{ runtime, ...size, ...values.seconds === undefined ? {} : { seconds: Number(values.seconds) } },
    scenarios: peerScenarios.filter(({ name }) => isChosen(name, values)).map((scenario) => coldOf(scenario, values)),
    tell: (row, soFar) => {
      console.log(peerLine(row));
      if (values.json !== undefined) keepPeer(values.json, soFar);
    },
  });
  for (const { name, cold } of result.rows) {
    if (cold !== undefined) {
      console.log(`${name.padEnd(nameWidth)} the first ${cold.requests} after a start: CPU ms ${cold.cpuMs.toPrecision(3)}`);
    }
  }
  console.log(`HTTP/2 was sent by ${result.http2}; all of it took ${result.seconds.toFixed(0)} s`);
  if (values.json !== undefined) keepPeer(values.json, result);
  return result.rows.every(({ failed }) => failed === 0);
}

/** Resolves with false if a row is dearer than in the other checkout, or requests failed. */
async function against(values: Flags, runtime: Runtime, other: string): Promise<boolean> {
  const size = values.smoke
    ? { ...smoke, rounds: 1, sittings: 1 }
    : { share: 1, seconds: peerSeconds, rounds: Number(values.rounds ?? againstRounds), sittings: againstSittings };
  const store = values.store === "etcd" ? "etcd" : "sqlite";
  const differences = await compareCheckouts({
    ...{ runtime, store, against: other, ...size, ...values.seconds === undefined ? {} : { seconds: Number(values.seconds) } },
    scenarios: peerScenarios.filter(({ name }) => isChosen(name, values) && (againstNames.has(name) || !values.only.includes(""))),
    withStarts: isChosen("start", values),
    begin: (told, http2) =>
      console.log(`\nThis checkout / ${told}, ${store} on ${runtime}, HTTP/2 by ${http2}: medians of alternating rounds`),
    tell: (difference) => console.log(differenceLine(difference)),
  });
  const dearer = differences.filter(({ verdict }) => verdict === "dearer");
  if (dearer.length > 0) console.log(`\nDearer than in ${other}: ${dearer.map(({ name }) => name).join("; ")}`);
  // A smoke run is too short to judge.
  return differences.every(({ failed }) => failed === 0) && (values.smoke || dearer.length === 0);
}

async function memory(values: Flags, runtime: Runtime): Promise<boolean> {
  for (const store of storesOf(values)) {
    console.log(`\n${store} on ${runtime}: memory of an idle server`);
    const result = await measureMemory({
      ...{ store, runtime, share: values.smoke ? smoke.share : whole.share },
      tell: ({ objects, mebibytes, readyMs }) =>
        console.log(`${objects.toLocaleString("en")} objects: ${short(mebibytes)} MiB, ready after ${short(readyMs / 1000)} s`),
    });
    if (values.json !== undefined) keepMemory(values.json, result);
  }
  return true;
}

async function memoryOfKinds(values: Flags, runtime: Runtime): Promise<boolean> {
  console.log(`\nsqlite on ${runtime}: memory for each stored byte`);
  await measureMemoryOfKinds(runtime, values.smoke ? smoke.share : whole.share, ({ name, objects, storedBytes, times, cpuUs }) => {
    const each = `${objects.toLocaleString("en")} of ${storedBytes.toLocaleString("en")} bytes`;
    console.log(`${name}, ${each}: ${times.toFixed(2)} times as stored, ${short(cpuUs)} us of CPU of a start for each`);
  });
  return true;
}

async function floods(values: Flags, runtime: Runtime): Promise<boolean> {
  console.log(`\nfloods of HTTP/2 on ${runtime}\n\n${floodHead}`);
  const seconds = values.smoke ? smoke.seconds : Number(values.seconds ?? whole.seconds);
  for (const name of floodNames.filter((each) => isChosen(each, values))) {
    for (const connections of [1, 8]) console.log(floodLine(await measureFlood({ name, connections, seconds, runtime })));
  }
  return true;
}

async function proxied(values: Flags, runtime: Runtime): Promise<boolean> {
  const missing = kubeApiserverMissing();
  if (missing !== false) throw new Error(`Cannot compare: ${missing}`);
  console.log(`\nThis server on ${runtime} / a kube-apiserver, both in front of the same server, HTTP/2: medians of alternating rounds`);
  const size = values.smoke ? { ...smoke, rounds: 1 } : { share: 1, seconds: peerSeconds, rounds: Number(values.rounds ?? peerRounds) };
  let failures = 0;
  await measureProxied({
    ...{ runtime, ...size, ...values.seconds === undefined ? {} : { seconds: Number(values.seconds) } },
    tell(row) {
      failures += row.failed;
      const { ours, theirs } = row.rates!; // Of loads.
      console.log(
        `${peerLine(row)}; a second ${short(ours.perSecond)} / ${short(theirs.perSecond)}: ${
          short(ours.perSecond / theirs.perSecond)
        } times`,
      );
    },
  });
  return failures === 0;
}

async function fairness(values: Flags, runtime: Runtime): Promise<boolean> {
  const missing = values.kube && kubeApiserverMissing();
  if (missing !== false) throw new Error(`Cannot measure a kube-apiserver: ${missing}`);
  const size = values.smoke
    ? { objects: fairObjects * smoke.share, seconds: smoke.seconds * 10, rounds: 1 }
    : { objects: Number(values.objects), seconds: Number(values.seconds ?? fairSeconds), rounds: Number(values.rounds ?? fairRounds) };
  let isWhole = true;
  for (const store of values.kube ? ["etcd"] as const : storesOf(values)) {
    console.log(
      `\nA leader election beside greedy clients: ${values.kube ? "a kube-apiserver" : `this server on ${runtime}`}, ${store}, ms\n`,
    );
    isWhole = await measureFairness({ store, runtime, kube: values.kube, ...size, tell: console.log }) && isWhole;
  }
  return isWhole;
}

function densitySizeOf({ nodes, deployments, replicas, kwok, smoke }: Flags): DensitySize {
  if (smoke) return { nodes: 2, deployments: 2, replicas: 3, benchNodes: 4, benchPods: 4 };
  const [benchNodes = 0, benchPods = 0] = kwok.split(",").map(Number);
  return { nodes: Number(nodes), deployments: Number(deployments), replicas: Number(replicas), benchNodes, benchPods };
}

/** Programs that are missing are named, and are no failure. */
async function density(values: Flags, runtime: Runtime): Promise<boolean> {
  const { stages, kube, json } = values, store = values.store === "sqlite" ? "sqlite" : "etcd";
  const missing = densityMissing(stages, store);
  if (missing !== false || stages === undefined) {
    console.log(`Skipped: ${missing}`);
    return true;
  }
  const peerMissing = kube && kubeApiserverMissing();
  if (peerMissing !== false) console.log(`Without a kube-apiserver: ${peerMissing}`);
  const rows = await measureDensities({
    ...{ runtime, store, stages, size: densitySizeOf(values), withPeer: kube && peerMissing === false },
    tell: console.log,
  });
  for (const row of rows) console.log(peerLine(row));
  if (json !== undefined && rows.length > 0) keepDensity(json, { runtime, store, rows });
  return true;
}

async function fanOut(values: Flags, runtime: Runtime): Promise<boolean> {
  const size = values.smoke
    ? { share: smoke.share, seconds: smoke.seconds, rounds: 1 }
    : { share: 1, seconds: Number(values.seconds ?? fanOutSeconds), rounds: Number(values.rounds ?? peerRounds) };
  let isWhole = true;
  for (const [name, measureIt] of Object.entries({ many: measureMany, slow: measureSlow, workers: measureWorkers, plain: measurePlain })) {
    if (!isChosen(name, values)) continue;
    console.log(`\nFan-out on ${runtime}: ${name}\n`);
    isWhole = await measureIt({ runtime, ...size, tell: console.log }) && isWhole;
  }
  return isWhole;
}

function first(values: Flags, runtime: Runtime): Promise<boolean> {
  console.log(`\nThe first requests of a verb on ${runtime}\n`);
  const size = values.smoke
    ? { rounds: 1, many: manyRequests * smoke.share }
    : { rounds: Number(values.rounds ?? peerRounds), many: manyRequests };
  return measureFirst({ runtime, ...size, isChosen: (name) => isChosen(name, values), tell: console.log });
}

async function profile(values: Flags, runtime: Runtime, to: string): Promise<boolean> {
  const size = { ...values.smoke ? smoke : whole, ...values.seconds === undefined ? {} : { seconds: Number(values.seconds) } };
  const chosen = (values.peer ? peerScenarios : scenarios).filter(({ name }) => isChosen(name, values));
  await measureProfiles({ store: values.store === "etcd" ? "etcd" : "sqlite", runtime, scenarios: chosen, ...size, to, tell: console.log });
  return true;
}

/** The flags; undefined for a mistake, which is printed. */
function flagsOf(): Flags | undefined {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    console.error(`bench: ${reasonOf(error)}\n\n${usage}`);
    return undefined;
  }
}

function measuring(values: Flags): Promise<boolean> {
  const runtime: Runtime = values.runtime === "node" ? "node" : "deno";
  if (values.profile !== undefined) return profile(values, runtime, values.profile);
  if (values.peer) return measurePeer(values, runtime);
  if (values.against !== undefined) return against(values, runtime, values.against);
  if (values.proxied) return proxied(values, runtime);
  if (values.density) return density(values, runtime);
  if (values.fairness) return fairness(values, runtime);
  if (values.floods) return floods(values, runtime);
  if (values["fan-out"]) return fanOut(values, runtime);
  if (values.first) return first(values, runtime);
  if (values.memory) return values.kinds ? memoryOfKinds(values, runtime) : memory(values, runtime);
  return measureAlone(values, runtime);
}

const values = flagsOf();
if (values?.help === true) console.log(usage);
else process.exitCode = values !== undefined && await measuring(values) ? 0 : 1;
