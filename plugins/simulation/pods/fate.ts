/** What the annotations of a pod say about the fate of its containers. */
import { parseDuration, Unreadable } from "../../../toolbox.ts";
import type { Pod } from "../world/world.ts";
import { sleepMs } from "./command.ts";

/** The prefix of the annotations. */
export const fatePrefix = "simulation.thole.dev/";

/** The fate of one container. */
export interface Fate {
  /** How long the container is created, in milliseconds. */
  readonly startAfterMs: number;
  /** How long a running container is not ready; Infinity for ever. */
  readonly readyAfterMs: number;
  /** How long it runs before it ends by itself; Infinity for ever. */
  readonly runForMs: number;
  readonly exitCode: number;
  /** The reason of its end. Default: by the exit code. */
  readonly reason: string | undefined;
  /** Why it is never started, such as `ImagePullBackOff`; undefined if it is. */
  readonly waiting: string | undefined;
  /** How long it takes to stop, at most the grace period of the pod. */
  readonly stopAfterMs: number;
}

/** The shortest time that a container runs, in milliseconds, so that it is seen to run. */
const shortestRunMs = 1;

/** Annotations of pods that a tool runs once and waits for, unless they are restarted for ever: hooks and tests of Helm, and hooks of Argo CD. */
const hookAnnotations = ["helm.sh/hook", "argocd.argoproj.io/hook"];

/** The word of a duration that never ends. */
const never = "never";

/**
 * Returns the fate of a container: `NAME.CONTAINER` of the annotations counts before `NAME`. Texts that cannot be read count as absent. Without an
 * annotation a container is ready at once and runs for ever. An init container, and one whose pod belongs to a Job or is a hook, ends at once, or as soon as it
 * has slept.
 */
export function fateOf(pod: Pod, container: string): Fate {
  const { annotations = {} } = pod.metadata;
  const text = (name: string) => annotations[`${fatePrefix}${name}.${container}`] ?? annotations[`${fatePrefix}${name}`];
  const exitCode = exitCodeOf(text("exit-code"));
  const runForMs = durationMs(
    text("run-for"),
    exitCode !== undefined ? 0 : isRunOnce(pod) || isStep(pod, container) ? sleepOf(pod, container) : Infinity,
  );
  return {
    startAfterMs: durationMs(text("start-after"), 0),
    readyAfterMs: durationMs(text("ready-after"), 0),
    runForMs: Math.max(shortestRunMs, runForMs),
    exitCode: exitCode ?? 0,
    reason: text("exit-reason"),
    waiting: text("waiting"),
    stopAfterMs: durationMs(text("stop-after"), 0),
  };
}

/** Milliseconds for which a container of a pod sleeps; 0 for one that does something else. */
function sleepOf({ spec: { containers, initContainers = [] } }: Pod, name: string): number {
  const found = [...containers, ...initContainers].find((each) => each.name === name);
  return found === undefined ? 0 : sleepMs(found) ?? 0;
}

/** Whether the containers after it wait for its end. */
function isStep({ spec: { initContainers = [] } }: Pod, name: string): boolean {
  return initContainers.some((each) => each.name === name && each.restartPolicy !== "Always");
}

function isRunOnce({ metadata: { annotations = {}, ownerReferences = [] }, spec: { restartPolicy } }: Pod): boolean {
  if (ownerReferences.some(({ kind }) => kind === "Job")) return true;
  return restartPolicy !== "Always" && hookAnnotations.some((name) => annotations[name] !== undefined);
}

/** The message with which the kubelet evicts the pod; undefined if it does not. */
export function evictionOf({ metadata: { annotations = {} } }: Pod): string | undefined {
  return annotations[`${fatePrefix}evict`];
}

function exitCodeOf(text: string | undefined): number | undefined {
  const code = Number(text ?? "");
  return text === undefined || text === "" || !Number.isInteger(code) || code < 0 || code > 255 ? undefined : code;
}

/** Milliseconds of a text such as `1m30s`; Infinity for `never`. */
function durationMs(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (text === never) return Infinity;
  const nanos = parseDuration(text);
  return nanos instanceof Unreadable || nanos < 0n ? otherwise : Number(nanos) / 1e6;
}
