/** The table of pods. Ready, Status and Restarts follow from the states of the containers, as upstream's printer computes them. */
import { ageColumn, type Column, nameColumn, type RowCondition } from "../../plugin.ts";
import { Age } from "../../toolbox.ts";
import type { Pod } from "./pod-schema.ts";
import type { ContainerStatus } from "./status-schema.ts";

interface Summary {
  readonly ready: number;
  readonly total: number;
  readonly status: string;
  readonly restarts: number;
  /** The last end of a container that was started again, in milliseconds since 1970; 0 if there is none. */
  readonly restarted: number;
}

export const columns: readonly Column<Pod>[] = [
  nameColumn,
  {
    name: "Ready",
    type: "string",
    description: "The number of containers that are ready, and of all containers.",
    cell: (pod) => {
      const { ready, total } = summaryOf(pod);
      return `${ready}/${total}`;
    },
  },
  {
    name: "Status",
    type: "string",
    description: "The phase of the pod, or the reason why it is not running.",
    cell: (pod) => summaryOf(pod).status,
  },
  {
    name: "Restarts",
    type: "string",
    description: "The number of restarts of the containers, and the time since the last one.",
    cell: (pod) => {
      const { restarts, restarted } = summaryOf(pod);
      return restarts === 0 || restarted === 0 ? String(restarts) : new Age(restarted, { before: `${restarts} (`, after: " ago)" });
    },
  },
  ageColumn,
  wide("IP", "The first address of the pod.", ({ status: { podIPs = [] } }) => podIPs[0]?.ip),
  wide("Node", "The node of the pod.", ({ spec: { nodeName } }) => nodeName),
  wide(
    "Nominated Node",
    "The node on which others are evicted to make room for the pod.",
    ({ status: { nominatedNodeName } }) => nominatedNodeName,
  ),
  wide("Readiness Gates", "The number of readiness gates that are true, and of all.", readinessOf),
];

/** A row says whether its pod has ended. */
export function rowConditions({ status: { phase } }: Pod): readonly RowCondition[] {
  const completed = (reason: string, message: string) => [{ type: "Completed" as const, status: "True" as const, reason, message }];
  if (phase === "Succeeded") return completed(phase, "The pod has completed successfully.");
  return phase === "Failed" ? completed(phase, "The pod failed.") : [];
}

function wide(name: string, description: string, textOf: (pod: Pod) => string | undefined): Column<Pod> {
  return { name, type: "string", description, priority: 1, cell: (pod) => textOf(pod) || "<none>" };
}

function readinessOf({ spec: { readinessGates = [] }, status: { conditions = [] } }: Pod): string | undefined {
  if (readinessGates.length === 0) return undefined;
  const isTrue = (type: string) => conditions.find((each) => each.type === type)?.status === "True";
  return `${readinessGates.filter(({ conditionType }) => isTrue(conditionType)).length}/${readinessGates.length}`;
}

function summaryOf(pod: Pod): Summary {
  const { spec, status } = pod, { conditions = [], phase = "", reason = "" } = status;
  const isGated = conditions.some((each) => each.type === "PodScheduled" && each.reason === "SchedulingGated");
  const first = isGated ? "SchedulingGated" : reason || phase;
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  const total = (spec.containers ?? []).length + sidecars.length;
  const initializing = initialize(pod, new Set(sidecars.map(({ name }) => name)), first);
  const isInitialized = conditions.some((each) => each.type === "Initialized" && each.status === "True");
  const found = initializing.isDone || isInitialized ? run(pod, initializing) : initializing;
  return { ...found, total, status: statusOfDeletion(pod) ?? found.status };
}

/** What a pod that is being deleted shows in place of the state of its containers; undefined for one that has ended, and for any other. */
function statusOfDeletion({ metadata, status: { reason, phase } }: Pod): string | undefined {
  if ((metadata.deletionTimestamp ?? undefined) === undefined) return undefined;
  if (reason === "NodeLost") return "Unknown";
  return phase === "Succeeded" || phase === "Failed" ? undefined : "Terminating";
}

type Counted = Omit<Summary, "total">;
interface Initializing extends Counted {
  readonly isDone: boolean;
  /** Restarts of sidecars alone, which count once the pod has been initialized. */
  readonly sidecars: Pick<Summary, "restarts" | "restarted">;
}

const endOf = ({ lastState }: ContainerStatus) => {
  const { finishedAt } = lastState?.terminated ?? {};
  return typeof finishedAt === "string" ? Date.parse(finishedAt) : 0;
};

/** Goes through the init containers up to the first that has not ended well. */
function initialize({ spec, status }: Pod, sidecars: ReadonlySet<string>, first: string): Initializing {
  let ready = 0, restarts = 0, restarted = 0, ofSidecars = 0, sidecarRestarted = 0;
  for (const [i, container] of (status.initContainerStatuses ?? []).entries()) {
    const { name, state: { terminated, waiting } = {}, restartCount } = container, isSidecar = sidecars.has(name);
    restarts += restartCount;
    restarted = Math.max(restarted, endOf(container));
    if (isSidecar) {
      ofSidecars += restartCount;
      sidecarRestarted = Math.max(sidecarRestarted, endOf(container));
    }
    if (terminated?.exitCode === 0) continue;
    if (isSidecar && container.started === true) {
      if (container.ready) ready++;
      continue;
    }
    const text = terminated !== undefined
      ? endText(terminated)
      : (waiting?.reason ?? "") !== "" && waiting?.reason !== "PodInitializing"
      ? waiting!.reason!
      : `${i}/${(spec.initContainers ?? []).length}`;
    const own = { restarts: ofSidecars, restarted: sidecarRestarted };
    return { ready, restarts, restarted, status: `Init:${text}`, isDone: false, sidecars: own };
  }
  return { ready, restarts, restarted, status: first, isDone: true, sidecars: { restarts: ofSidecars, restarted: sidecarRestarted } };
}

function endText(
  { reason = "", signal = 0, exitCode }: { readonly reason?: string; readonly signal?: number; readonly exitCode: number },
): string {
  return reason !== "" ? reason : signal !== 0 ? `Signal:${signal}` : `ExitCode:${exitCode}`;
}

/** Goes through the containers from the last to the first. */
function run({ status }: Pod, { ready: readyBefore, status: before, sidecars }: Initializing): Counted {
  let ready = readyBefore, { restarts, restarted } = sidecars, text = before, failure = "", isRunning = false;
  for (const container of (status.containerStatuses ?? []).toReversed()) {
    const { state: { waiting, terminated, running } = {} } = container;
    restarts += container.restartCount;
    restarted = Math.max(restarted, endOf(container));
    if ((waiting?.reason ?? "") !== "") text = waiting!.reason!;
    else if (terminated !== undefined) {
      text = endText(terminated);
      if (terminated.exitCode !== 0) failure = text;
    } else if (container.ready && running !== undefined) {
      isRunning = true;
      ready++;
    }
  }
  const isReady = (status.conditions ?? []).some(({ type, status }) => type === "Ready" && status === "True");
  if (text === "Completed") text = isRunning && isReady ? "Running" : failure !== "" ? failure : isRunning ? "NotReady" : text;
  return { ready, restarts, restarted, status: text };
}
