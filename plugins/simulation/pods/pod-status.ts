/** The status of a pod on its node: its containers, phase and conditions, as a kubelet reports them. */
import { sameValue } from "../../../toolbox.ts";
import { timeOf } from "../world/last-change.ts";
import { timestampOf } from "../world/time.ts";
import type { Pod } from "../world/world.ts";
import { type Container, type ContainerStatus, crashLoop, endedBy, type Life, lifeOf } from "./container-life.ts";
import { evictionOf, fateOf } from "./fate.ts";

/** What the kubelet knows of a pod beside its object: since when its containers are in their states, in milliseconds, by name. */
export type Since = Map<string, number>;

/** The node of a pod, as far as its status shows it. */
export interface Host {
  readonly hostIP: string;
  readonly podIP: string;
}

/** A status, and when it changes by itself, in milliseconds since 1970 (Infinity: never). */
export interface Outcome {
  readonly status: Pod["status"];
  readonly until: number;
}

/** Returns the status that the pod has now. `since` is brought up to date. */
export function podStatus(pod: Pod, host: Host, since: Since, now: number): Outcome {
  const { spec, status } = pod, evicted = evictionOf(pod), startTime = status.startTime ?? timestampOf(now);
  const deadline = spec.activeDeadlineSeconds === undefined ? Infinity : Date.parse(startTime) + Number(spec.activeDeadlineSeconds) * 1_000;
  if (evicted !== undefined) return { status: stopped(pod, { reason: "Evicted", message: evicted, now }), until: Infinity };
  if (deadline <= now) {
    const message = "Pod was active on the node longer than the specified deadline";
    return { status: stopped(pod, { reason: "DeadlineExceeded", message, now }), until: Infinity };
  }
  const { init, main, until } = containersOf(pod, since, now), phase = phaseOf(pod, init, main);
  const isOver = phase === "Succeeded" || phase === "Failed";
  const initStatuses = isOver
    ? init.map((each) => each.state.running === undefined ? each : { ...each, ...endedBy(each, { exitCode: 0, at: now }) })
    : init;
  return {
    status: {
      ...status,
      ...addressesOf(pod, host),
      phase,
      startTime,
      observedGeneration: pod.metadata.generation,
      conditions: conditionsOf(pod, { phase, init: initStatuses, main, now }),
      ...(init.length === 0 ? {} : { initContainerStatuses: initStatuses }),
      containerStatuses: main,
    } as Pod["status"],
    until: isOver ? Infinity : Math.min(until, deadline),
  };
}

function addressesOf({ spec, status }: Pod, { hostIP, podIP }: Host): Partial<Pod["status"]> {
  const own = (status.podIP ?? "") !== "" ? status.podIP! : spec.hostNetwork === true ? hostIP : podIP;
  return { hostIP, hostIPs: [{ ip: hostIP }], podIP: own, podIPs: [{ ip: own }] };
}

interface Containers {
  readonly init: readonly ContainerStatus[];
  readonly main: readonly ContainerStatus[];
  readonly until: number;
}

const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === "Always";

function containersOf(pod: Pod, since: Since, now: number): Containers {
  const { spec, status } = pod, policy = spec.restartPolicy ?? "Always", { initContainers = [], containers } = spec;
  let until = Infinity;
  const live = (container: Container, known: ContainerStatus | undefined, mayStart: boolean, restart: "Always" | "OnFailure" | "Never") => {
    const { name } = container, from = since.get(name) ?? Math.min(now, known === undefined ? now : stateBegan(pod, known) ?? now);
    const life: Life = lifeOf(container, known && { status: known, since: from }, { pod, fate: fateOf(pod, name), mayStart, restart, now });
    since.set(name, life.since);
    until = Math.min(until, life.until);
    return life.status;
  };
  let mayStart = true;
  const init = initContainers.map((container) => {
    const known = status.initContainerStatuses?.find(({ name }) => name === container.name);
    const restart = isSidecar(container) ? "Always" : policy === "Never" ? "Never" : "OnFailure";
    const now = live(container, known, mayStart, restart);
    mayStart &&= isSidecar(container) ? now.started === true : now.state.terminated?.exitCode === 0;
    // Only an init container that has succeeded is ready.
    return isSidecar(container) ? now : { ...now, ready: now.state.terminated?.exitCode === 0 };
  });
  const main = containers.map((container) =>
    live(
      container,
      status.containerStatuses?.find(({ name }) => name === container.name),
      mayStart,
      container.restartPolicy as "Never" ?? policy,
    )
  );
  return { init, main, until };
}

/** When a container came into the state that its status shows, as far as the status says it: a kubelet that begins anew continues from there. */
function stateBegan({ spec, status }: Pod, { state, lastState }: ContainerStatus): number | undefined {
  const { running, terminated, waiting } = state;
  const time = running?.startedAt ?? terminated?.finishedAt ??
    (waiting?.reason === crashLoop ? lastState?.terminated?.finishedAt : undefined);
  if (typeof time === "string") return timeOf(time);
  if (waiting?.reason !== "ContainerCreating" || (spec.initContainers ?? []).length > 0) return undefined;
  return timeOf(status.startTime);
}

function phaseOf(
  { spec }: Pod,
  init: readonly ContainerStatus[],
  main: readonly ContainerStatus[],
): "Pending" | "Running" | "Succeeded" | "Failed" {
  const { restartPolicy = "Always", initContainers = [] } = spec;
  const codeOf = ({ state }: ContainerStatus) => state.terminated?.exitCode;
  const open = init.filter((each, i) => isSidecar(initContainers[i]!) ? each.started !== true : codeOf(each) !== 0);
  if (restartPolicy === "Never" && open.some((each) => (codeOf(each) ?? 0) !== 0)) return "Failed";
  if (open.length > 0 && !main.some(({ state, lastState }) => state.running ?? state.terminated ?? lastState?.terminated)) return "Pending";
  if (main.some(({ state, lastState }) => state.waiting !== undefined && lastState?.terminated === undefined)) return "Pending";
  if (main.some(({ state }) => state.running !== undefined) || restartPolicy === "Always") return "Running";
  if (main.every((each) => codeOf(each) === 0)) return "Succeeded";
  return restartPolicy === "Never" && main.every((each) => codeOf(each) !== undefined) ? "Failed" : "Running";
}

interface Seen {
  readonly phase: string;
  readonly init: readonly ContainerStatus[];
  readonly main: readonly ContainerStatus[];
  readonly now: number;
}
interface Verdict {
  readonly status: "True" | "False";
  readonly reason?: string;
  readonly message?: string;
}

/** The conditions that a kubelet keeps, before those of others. */
function conditionsOf(pod: Pod, { phase, init, main, now }: Seen): Pod["status"]["conditions"] {
  const { spec, metadata, status } = pod, known = status.conditions ?? [];
  const isOver = phase === "Succeeded" || phase === "Failed", over = phase === "Succeeded" ? "PodCompleted" : "PodFailed";
  const unready = main.filter(({ ready }) => !ready).map(({ name }) => name);
  const incomplete = init.filter((each, i) => !(isSidecar(spec.initContainers![i]!) ? each.started : each.ready)).map(({ name }) => name);
  const containersReady: Verdict = isOver
    ? { status: "False", reason: over }
    : unready.length === 0 && incomplete.length === 0
    ? { status: "True" }
    : { status: "False", reason: "ContainersNotReady", message: `containers with unready status: [${unready.join(" ")}]` };
  const gates = (spec.readinessGates ?? []).filter(({ conditionType }) =>
    !known.some(({ type, status }) => type === conditionType && status === "True")
  );
  const verdicts: Readonly<Record<string, Verdict>> = {
    PodReadyToStartContainers: { status: isOver ? "False" : "True" },
    Initialized: incomplete.length === 0 || phase === "Succeeded"
      ? { status: "True", ...(phase === "Succeeded" ? { reason: over } : {}) }
      : { status: "False", reason: "ContainersNotInitialized", message: `containers with incomplete status: [${incomplete.join(" ")}]` },
    Ready: containersReady.status === "False" || gates.length === 0
      ? containersReady
      : { status: "False", reason: "ReadinessGatesNotReady" },
    ContainersReady: containersReady,
  };
  const own = Object.entries(verdicts).map(([type, verdict]) => {
    const before = known.find((each) => each.type === type);
    const lastTransitionTime = before?.status === verdict.status ? before.lastTransitionTime : timestampOf(now);
    return { type, ...verdict, observedGeneration: metadata.generation, lastProbeTime: null, lastTransitionTime };
  });
  return [...own, ...known.filter(({ type }) => verdicts[type] === undefined)] as Pod["status"]["conditions"];
}

/** The status of a pod whose containers the kubelet has stopped. */
export function stopped(
  pod: Pod,
  { reason, message, now }: { readonly reason?: string; readonly message?: string; readonly now: number },
): Pod["status"] {
  const { status } = pod;
  const end = (each: ContainerStatus): ContainerStatus =>
    each.state.terminated === undefined
      ? { ...each, ...endedBy(each, { exitCode: each.state.running === undefined ? 137 : 143, at: now }) }
      : each;
  const init = (status.initContainerStatuses ?? []).map(end), main = (status.containerStatuses ?? []).map(end);
  const phase = main.length > 0 && main.every(({ state }) => state.terminated?.exitCode === 0) && reason === undefined
    ? "Succeeded"
    : "Failed";
  return {
    ...status,
    phase,
    observedGeneration: pod.metadata.generation,
    ...(reason === undefined ? {} : { reason, message }),
    conditions: conditionsOf(pod, { phase, init, main, now }),
    ...(init.length === 0 ? {} : { initContainerStatuses: init }),
    ...(main.length === 0 ? {} : { containerStatuses: main }),
  } as Pod["status"];
}

/** Whether a status differs from the one that is stored. */
export function isChanged(pod: Pod, status: Pod["status"]): boolean {
  return !sameValue(pod.status, status);
}
