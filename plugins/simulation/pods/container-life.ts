/**
 * The life of one container:
 *
 *     waiting ──> running ──> terminated          for good, or
 *                   ^             │
 *                   └─ back-off <─┘               restarted: at once after the first end, then after 10 s, 20 s, up to 5 minutes
 */
import { timestampOf } from "../world/time.ts";
import type { Pod } from "../world/world.ts";
import type { Fate } from "./fate.ts";

/** The status of a container. */
export type ContainerStatus = NonNullable<Pod["status"]["containerStatuses"]>[number];
/** A container of a pod. */
export type Container = Pod["spec"]["containers"][number];

/** What a step of a container needs to know. */
export interface Situation {
  readonly pod: Pod;
  readonly fate: Fate;
  /** Whether the container may start now: those before it have ended, or have started. */
  readonly mayStart: boolean;
  /** When it is restarted after its end. */
  readonly restart: "Always" | "OnFailure" | "Never";
  readonly now: number;
}

/** A container in a state, since a time in milliseconds, and when the state ends by itself (Infinity: never). */
export interface Life {
  readonly status: ContainerStatus;
  readonly since: number;
  readonly until: number;
}

/** The first pause before a restart, and the longest one, in milliseconds. */
const backOffMs = 10_000, backOffMsMax = 300_000;
/** Steps that one container takes at once. A container that ends at once pauses after its second end. */
const stepsMax = 8;

/** Returns the state that the container is in now. `known`: the last state, if there is one. */
export function lifeOf(container: Container, known: Omit<Life, "until"> | undefined, situation: Situation): Life {
  let life = withEnd(container, known ?? { status: created(container), since: situation.now }, situation);
  for (let steps = 0; steps < stepsMax && life.until <= situation.now; steps++) {
    life = withEnd(container, next(container, life, situation), situation);
  }
  return life;
}

function created({ name, image = "" }: Container): ContainerStatus {
  return {
    name,
    image,
    imageID: "",
    ready: false,
    started: false,
    restartCount: 0,
    state: { waiting: { reason: "PodInitializing" } },
    lastState: {},
  };
}

/** The reason for which a container waits between its end and its next start. */
export const crashLoop = "CrashLoopBackOff";

/** Completes a state: why it waits, whether it is ready, and when it ends. */
function withEnd(container: Container, { status, since }: Omit<Life, "until">, situation: Situation): Life {
  const { fate, mayStart, now } = situation, { running, terminated, waiting } = status.state;
  if (running !== undefined) {
    const readyAt = since + fate.readyAfterMs, endsAt = since + fate.runForMs, ready = readyAt <= now;
    return {
      status: { ...status, ...resourcesOf(container), started: true, ready },
      since,
      until: ready ? endsAt : Math.min(readyAt, endsAt),
    };
  }
  if (terminated !== undefined) return { status, since, until: isRestarted(terminated.exitCode, situation) ? since : Infinity };
  if (waiting?.reason === crashLoop) return { status, since, until: since + backOffOf(status) };
  if (!mayStart) return { status: { ...status, state: { waiting: { reason: "PodInitializing" } } }, since: now, until: Infinity };
  if (fate.waiting !== undefined) {
    const state = { waiting: { reason: fate.waiting, message: messageOf(fate.waiting, container) } };
    return { status: { ...status, state }, since: now, until: Infinity };
  }
  // The time of creation begins when the container may be created.
  const from = waiting?.reason === "ContainerCreating" ? since : now;
  return { status: { ...status, state: { waiting: { reason: "ContainerCreating" } } }, since: from, until: from + fate.startAfterMs };
}

/** The state after one that has ended. */
function next(container: Container, { status, since, until }: Life, { pod, fate }: Situation): Omit<Life, "until"> {
  const { running, terminated } = status.state, { uid = "", name = "", namespace = "" } = pod.metadata;
  if (running !== undefined) {
    if (until < since + fate.runForMs) return { status, since }; // It became ready.
    return { status: { ...status, ...endedBy(status, { exitCode: fate.exitCode, reason: fate.reason, at: until }) }, since: until };
  }
  if (terminated !== undefined) {
    if (status.restartCount === 0) return { status: started(container, status, uid, until, { terminated }), since: until };
    const seconds = backOffOf(status) / 1_000;
    const message = `back-off ${goSeconds(seconds)} restarting failed container=${container.name} pod=${name}_${namespace}(${uid})`;
    return { status: { ...status, state: { waiting: { reason: crashLoop, message } }, lastState: { terminated } }, since: until };
  }
  return { status: started(container, status, uid, until, status.lastState), since: until };
}

function started(
  { name, image = "" }: Container,
  status: ContainerStatus,
  uid: string,
  at: number,
  lastState: ContainerStatus["lastState"],
): ContainerStatus {
  const restartCount = status.restartCount + (lastState?.terminated === undefined ? 0 : 1);
  return {
    ...status,
    image,
    imageID: `simulated://${image}`,
    containerID: `simulated://${uid}/${name}/${restartCount}`,
    restartCount,
    lastState,
    state: { running: { startedAt: timestampOf(at) } },
  };
}

/** The members of the status of a container that has ended. */
export function endedBy(
  { state: { running }, containerID }: ContainerStatus,
  { exitCode, reason, at }: { readonly exitCode: number; readonly reason?: string | undefined; readonly at: number },
): Pick<ContainerStatus, "state" | "ready" | "started"> {
  const finishedAt = timestampOf(at);
  const terminated = {
    exitCode,
    reason: reason ?? (exitCode === 0 ? "Completed" : "Error"),
    startedAt: running?.startedAt ?? finishedAt,
    finishedAt,
    ...(containerID === undefined ? {} : { containerID }),
  };
  return { state: { terminated }, ready: false, started: false };
}

const isRestarted = (exitCode: number, { restart }: Situation): boolean =>
  restart === "Always" || (restart === "OnFailure" && exitCode !== 0);

function backOffOf({ restartCount }: ContainerStatus): number {
  return Math.min(backOffMsMax, backOffMs * 2 ** Math.min(20, Math.max(0, restartCount - 1)));
}

/** Seconds as Go writes a duration: `10s`, `2m40s`. */
function goSeconds(seconds: number): string {
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}

function messageOf(reason: string, { image = "" }: Container): string {
  if (reason === "ImagePullBackOff") return `Back-off pulling image "${image}"`;
  if (reason === "ErrImagePull") return `failed to pull and unpack image "${image}": not found`;
  return `the annotation of the pod says ${reason}`;
}

/** What the node has given to the container: what it asks for. */
function resourcesOf({ resources }: Container): Partial<ContainerStatus> {
  if (resources?.requests === undefined && resources?.limits === undefined) return {};
  return { resources, ...(resources.requests === undefined ? {} : { allocatedResources: resources.requests }) };
}
