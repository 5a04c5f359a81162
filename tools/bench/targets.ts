/** The targets of each scenario, and whether they are met. */
import type { Runtime } from "./children.ts";
import type { Goal, Measured } from "./measured.ts";
import { nameWith } from "./scenarios.ts";

/** Milliseconds of CPU of kube-apiserver 1.36 on etcd for one request or delivered event on two cores, and our share of it. */
const upstream: Readonly<Record<string, { readonly cpuMs: number; readonly share: number }>> = Object.freeze({
  "get": { cpuMs: 0.35, share: 1 / 3 },
  "page of 500": { cpuMs: 8.8, share: 1 / 4 },
  "list of 10,000": { cpuMs: 121, share: 1 / 4 },
  "create": { cpuMs: 0.74, share: 1 / 2 },
  "update": { cpuMs: 1.22, share: 1 / 2 },
  "update, 1 kB": { cpuMs: 1.22, share: 1 / 2 },
  "merge patch": { cpuMs: 1.30, share: 1 / 2 },
  "merge patch, 1 kB": { cpuMs: 1.30, share: 1 / 2 },
  "apply, 1 kB": { cpuMs: 2.05, share: 1 / 2 },
  // Events of 1 kB per second of CPU: 28,000 and 42,000; at least twice as many.
  "watch, 100 watchers": { cpuMs: 1000 / 28_000, share: 1 / 2 },
  "watch, 1,000 watchers": { cpuMs: 1000 / 42_000, share: 1 / 2 },
});
/**
 * How many times the CPU, memory or time of this server a kube-apiserver beside it is wanted to use, at least. Starts are judged by the first one of
 * the package, which is what users install.
 */
export const wantedRatios: Readonly<Record<string, number>> = Object.freeze({
  "ready, package": 15,
  "idle memory, package": 3,
  "get": 3,
  "page of 500, gzip": 10,
  "list of 10,000": 6,
  "list of 10,000, gzip": 20,
  "create": 5,
  "update": 5,
  "merge patch": 5,
  "apply, 1 kB": 7,
  "watch, 100 watchers": 3,
  "watch, 500 watchers": 3,
  "watch, 1,000 watchers": 3,
  "pod: create": 4,
  "pod: status patch": 4,
  "pod: watch, 200 watchers": 4,
  "pod: list of 5,000": 20,
  "pod: list of 5,000, gzip": 20,
  "density: time": 1,
  "density: CPU": 2,
  "density: memory": 2,
});

/** Multiples of the floor of a read, of the data of slow readers, and of an update of the same object. */
const readFloorsMax = 3, dataMax = 3, updatesMax = 2;
/** Multiples of a bare HTTPS handler that does the same puts: what it does itself is dearer on Deno. */
export const writeHandlersMax: Readonly<Record<Runtime, number>> = Object.freeze({ deno: 1.3, node: 1.6 });
const reads: ReadonlySet<string> = new Set(["get", "page of 500", "list of 1,000", "list of 10,000"]);
/** Writes that are compared with a bare handler. */
export const writesBesideHandler: ReadonlySet<string> = new Set(["create", "update", "merge patch"]);
/** Maximum milliseconds that a hostile request may delay another client, and its maximum memory as a multiple of its body. */
const stallMsMax = 100, bodyTimesMax = 4;
/** Maximum additional CPU of a GET by a user with roles, compared with a member of system:masters. */
const authorizationMicrosecondsMax = 10;
/** Maximum additional CPU of a create by one policy of three rules. */
const policyMicrosecondsMax = 50;
/** Maximum additional CPU of a create by policies that do not match: the noise of this measurement. */
const otherPoliciesMicrosecondsMax = 10;
/** A definition is served after this many milliseconds, at most, and takes at most this many mebibytes. */
const servedMsMax = 1_000, mebibytesEachMax = 1;
/** The last of many definitions is served as fast as the tenth. */
const tenthsMax = 1;
/** Seconds until a server with many definitions is ready. */
const definitionsReadySecondsMax = 2;
/** Seconds from the start of the process to ready. */
const readySecondsMax = 0.6;
/** Resident memory of an idle server. */
const idleMiBMax = 100;

function goal(what: string, value: number | undefined, atMost: number): readonly Goal[] {
  return value === undefined || !Number.isFinite(value) ? [] : [{ what, value, atMost, met: value <= atMost }];
}

const isServing = /^definitions: (\d+th|deletion|2 servers)$/;

/** The targets of a scenario; empty if it is only reported. `before`: earlier measurements of the same run. */
export function goalsOf(
  { name: named, protocol, cpuMs, floor, handler, dataTimes, stallMs, turnCpuMs, bodyTimes, mebibytesEach, p50 }: Omit<Measured, "goals">,
  before: readonly Measured[],
  runtime: Runtime,
): readonly Goal[] {
  // The targets of both protocols are the same.
  const name = protocol === "http1" ? named.replace(nameWith("", protocol), "") : named;
  const theirs = upstream[name];
  const ofFloor = floor === undefined ? undefined : cpuMs / floor.cpuMs;
  const update = before.find((each) => each.name === "update, 1 kB");
  const master = name.startsWith("authorization, ") ? before.find((each) => each.name === "authorization, master") : undefined;
  const ungoverned = name.startsWith("policies, ") ? before.find((each) => each.name === "policies, none") : undefined;
  const policiesMax = name === "policies, matching" ? policyMicrosecondsMax : otherPoliciesMicrosecondsMax;
  const tenth = name === "definitions: 1000th" ? before.find((each) => each.name === "definitions: 10th") : undefined;
  return [
    ...(isServing.test(name) ? goal("ms", p50, servedMsMax) : []),
    ...goal("x the tenth", tenth && p50 / tenth.p50, tenthsMax),
    ...goal("MiB each", mebibytesEach, mebibytesEachMax),
    ...(name === "definitions: start" ? goal("s to ready", p50 / 1000, definitionsReadySecondsMax) : []),
    ...goal("us of authorization", master && (cpuMs - master.cpuMs) * 1000, authorizationMicrosecondsMax),
    ...goal("us of policies", ungoverned && (cpuMs - ungoverned.cpuMs) * 1000, policiesMax),
    ...(theirs === undefined ? [] : goal("CPU ms", cpuMs, theirs.cpuMs * theirs.share)),
    ...(reads.has(name) ? goal("x floor", ofFloor, readFloorsMax) : []),
    ...(writesBesideHandler.has(name) ? goal("x handler", handler && cpuMs / handler.cpuMs, writeHandlersMax[runtime]) : []),
    ...(name === "apply, 1 kB" ? goal("x update", update && cpuMs / update.cpuMs, updatesMax) : []),
    ...(name === "16 slow readers" ? goal("x data", dataTimes, dataMax) : []),
    ...goal("ms stall", stallMs, stallMsMax),
    ...goal("CPU ms turn", turnCpuMs, stallMsMax),
    ...goal("x body", bodyTimes, bodyTimesMax),
  ];
}

export function startGoals(readyMs: number, idleMiB: number): readonly Goal[] {
  return [...goal("s to ready", readyMs / 1000, readySecondsMax), ...goal("MiB idle", idleMiB, idleMiBMax)];
}
