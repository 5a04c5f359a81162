/** The status of a simulated node. */
import { timestampOf } from "../world/time.ts";
import type { Node } from "../world/world.ts";
import { simulatedRuntime } from "../../shared/kubelet/simulated.ts";
import { nodeCondition, type Readiness, ready } from "./fate.ts";

/** What a node offers whose creator names nothing: enough for any test, as with kwok. */
const amounts = Object.freeze({ cpu: "1k", memory: "1Ti", "ephemeral-storage": "1Ti", pods: "16k" });

/** What a new status is made of. */
export interface NodeFacts {
  readonly now: number;
  /** The address of the node, if it has none. */
  readonly address: string;
  /** The version of the kubelet, such as `v1.35.0`. */
  readonly version: string;
  readonly readiness: Readiness;
}

const pressures = [
  ["MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"],
  ["DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"],
  ["PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"],
] as const;

/** The conditions of a healthy node, for templates of stages. */
export const healthyConditions = Object.freeze([
  { type: "Ready", ...ready },
  ...pressures.map(([type, reason, message]) => ({ type, status: "False", reason, message })),
]);

/** The status with all that a kubelet reports. What the node has already stays, except for the condition Ready. */
export function nodeStatus(node: Node, facts: NodeFacts): Node["status"] {
  const { status } = node, { address, version } = facts;
  const { capacity = amounts, allocatable = capacity, nodeInfo } = status, { name = "", labels = {} } = node.metadata;
  const kept = status.addresses ?? [];
  const added = [{ type: "InternalIP", address }, { type: "Hostname", address: name }]
    .filter(({ type }) => !kept.some((each) => each.type === type));
  return {
    ...status,
    capacity,
    allocatable,
    conditions: nodeConditions(node, facts),
    addresses: [...kept, ...added],
    nodeInfo: {
      ...nodeInfo,
      machineID: nodeInfo?.machineID || name,
      systemUUID: nodeInfo?.systemUUID || (node.metadata.uid ?? ""),
      bootID: nodeInfo?.bootID || (node.metadata.uid ?? ""),
      kernelVersion: nodeInfo?.kernelVersion || "simulated",
      osImage: nodeInfo?.osImage || "simulated",
      containerRuntimeVersion: nodeInfo?.containerRuntimeVersion || `${simulatedRuntime}1`,
      kubeletVersion: nodeInfo?.kubeletVersion || version,
      kubeProxyVersion: nodeInfo?.kubeProxyVersion ?? "",
      operatingSystem: nodeInfo?.operatingSystem || labels["kubernetes.io/os"] || "linux",
      architecture: nodeInfo?.architecture || labels["kubernetes.io/arch"] || "amd64",
    },
  } as Node["status"];
}

function nodeConditions(node: Node, { now, readiness }: NodeFacts): Node["status"]["conditions"] {
  const time = timestampOf(now), isGone = readiness.status === "Unknown";
  const wanted = [
    ...pressures.map(([type, reason, message]) => isGone ? { ...readiness, type } : { type, status: "False", reason, message }),
    { ...readiness, type: "Ready" },
  ];
  const others = (node.status.conditions ?? []).filter(({ type }) => !wanted.some((each) => each.type === type));
  return [
    ...others,
    ...wanted.map((each) => {
      const known = nodeCondition(node, each.type);
      return { ...each, lastHeartbeatTime: time, lastTransitionTime: known?.status === each.status ? known.lastTransitionTime : time };
    }),
  ];
}

/** Whether the status lacks anything, or Ready is not as it is to be. */
export function needsStatus(node: Node, { status, reason }: Readiness): boolean {
  const { capacity, addresses = [], nodeInfo } = node.status, now = nodeCondition(node, "Ready");
  if (capacity === undefined || addresses.length === 0 || !nodeInfo?.kubeletVersion) return true;
  return now?.status !== status || now.reason !== reason;
}
