/** How quotas count pods, by the rules of upstream's evaluator. */
import type { ApiObject } from "../../plugin.ts";
import { qualifiedName, secondsOf, spell } from "../../toolbox.ts";
import { isHugePages } from "../shared/resource-names.ts";
import type { PodSpec } from "../shared/pod/pod-spec.ts";
import type { Amounts } from "./amounts.ts";
import { amountsOfPod, type CountedPod, hasWholeAmounts, type What } from "./pod-resources.ts";
import type { ScopeRequirement } from "./quota-schema.ts";
import type { Usage, UsageSettings } from "./counting.ts";

type Pod = ApiObject & CountedPod;

const countOfPods = "count/pods", requestsOf = "requests.";
const compute: readonly string[] = ["cpu", "memory", "ephemeral-storage"].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]);
const plain: ReadonlySet<string> = new Set([countOfPods, "pods", ...compute]);
/** What every container must have if a quota limits it. */
const required: readonly string[] = ["cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory"];

export function podUsage({ names, gates, seconds }: UsageSettings): Usage {
  const platform = spell(names, "{platform}.io/"), devices = spell(names, "deviceclass.resource.{platform}.io/");
  const isNative = (name: string) => !name.includes("/") || name.includes(platform);
  const isDevice = (name: string) =>
    name.startsWith(devices) ||
    (!isNative(name) && !name.startsWith(requestsOf) && qualifiedName(`${requestsOf}${name}`).length === 0);
  const isLimited = (name: string) =>
    plain.has(name) || isHugePages(name) || name.startsWith("requests.hugepages-") ||
    (name.startsWith(requestsOf) && (!isNative(name) || name.startsWith(`${requestsOf}${devices}`)));
  const amounts = (pod: CountedPod, what: What) => amountsOfPod(pod, what, gates("PodLevelResources"));
  const counted = (requests: Amounts, limits: Amounts): Amounts => ({
    pods: "1",
    ...Object.fromEntries(Object.entries(requests).flatMap(([name, amount]) => requestNames(name, isDevice).map((each) => [each, amount]))),
    ...Object.fromEntries(
      Object.entries(limits).filter(([name]) => compute.includes(name)).map(([name, amount]) => [`limits.${name}`, amount]),
    ),
  });
  return {
    matching: (given) => given.filter(isLimited),
    charges: (isCreate, subresource, next, prior) =>
      isCreate
        ? subresource === ""
        : subresource === "resize" || (subresource === "" && isTerminating(next as Pod) !== isTerminating(prior as Pod)),
    of(object) {
      const pod = object as Pod; // the object is of this resource; the same holds below
      if (hasEnded(pod, seconds())) return { [countOfPods]: "1" };
      return { [countOfPods]: "1", ...counted(amounts(pod, "requests"), amounts(pod, "limits")) };
    },
    isIn: (scope, object) => isInScope(scope, object as Pod, isBestEffort(object as Pod, gates("PodLevelResources"))),
    missing(object, limited) {
      const { spec } = object as Pod;
      if (gates("PodLevelResources") && hasWholeAmounts(spec)) return undefined;
      return missingText(spec, required.filter((name) => limited.includes(name)), counted);
    },
    isCount: false,
  };
}

/** The names under which a quota counts a request. */
function requestNames(name: string, isDevice: (name: string) => boolean): readonly string[] {
  if (["cpu", "memory", "ephemeral-storage"].includes(name) || isHugePages(name)) return [name, `${requestsOf}${name}`];
  return isDevice(name) ? [`${requestsOf}${name}`] : [];
}

/** A pod that has ended, or whose time to end is over, uses nothing but its place in the store. */
function hasEnded({ metadata, status }: Pod, now: number): boolean {
  if (status?.phase === "Succeeded" || status?.phase === "Failed") return true;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp == null || deletionGracePeriodSeconds === undefined) return false;
  return now > secondsOf(deletionTimestamp) + Number(deletionGracePeriodSeconds);
}

function isTerminating({ spec: { activeDeadlineSeconds } }: Pod): boolean {
  return activeDeadlineSeconds !== undefined && Number(activeDeadlineSeconds) >= 0;
}

/** Whether the pod asks for nothing. The quality of service in its status says so from its creation on. */
function isBestEffort({ spec, status }: Pod & { readonly status?: { readonly qosClass?: string } }, counts: boolean): boolean {
  const { qosClass = "" } = status ?? {};
  if (qosClass !== "") return qosClass === "BestEffort";
  const parts = counts && spec.resources !== undefined
    ? [spec.resources]
    : [...spec.containers ?? [], ...spec.initContainers ?? []].map(({ resources }) => resources);
  return parts.every(({ requests = {}, limits = {} }) =>
    ["cpu", "memory"].every((name) =>
      [requests, limits].every((each) => !Object.hasOwn(each, name) || Number.parseFloat(each[name]!) === 0)
    )
  );
}

function isInScope({ scopeName, operator, values = [] }: ScopeRequirement, pod: Pod, bestEffort: boolean): boolean {
  const { priorityClassName = "" } = pod.spec;
  switch (scopeName) {
    case "Terminating":
      return isTerminating(pod);
    case "NotTerminating":
      return !isTerminating(pod);
    case "BestEffort":
      return bestEffort;
    case "NotBestEffort":
      return !bestEffort;
    case "CrossNamespacePodAffinity":
      return looksAtOtherNamespaces(pod.spec);
    case "PriorityClass":
      if (operator === "In") return values.includes(priorityClassName) && priorityClassName !== "";
      if (operator === "NotIn") return priorityClassName === "" || !values.includes(priorityClassName);
      return (operator === "Exists") === (priorityClassName !== "");
    default:
      return false;
  }
}

function looksAtOtherNamespaces({ affinity: { podAffinity, podAntiAffinity } = {} }: PodSpec): boolean {
  return [podAffinity, podAntiAffinity].some((each) =>
    [
      ...each?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
      ...(each?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
    ].some(({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector !== undefined)
  );
}

/** What containers leave out although a quota limits it: `must specify limits.cpu for: a,b; memory for: b`. */
function missingText(
  { containers = [], initContainers = [] }: PodSpec,
  needed: readonly string[],
  counted: (requests: Amounts, limits: Amounts) => Amounts,
): string | undefined {
  const of = (resources: { readonly requests?: Amounts; readonly limits?: Amounts }) =>
    counted(resources.requests ?? {}, resources.limits ?? {});
  const all = [...containers ?? [], ...initContainers].map(({ name, resources }) => ({ name, has: of(resources) }));
  const texts = needed.flatMap((resource) => {
    const without = all.filter(({ has }) => !Object.hasOwn(has, resource)).map(({ name }) => name);
    return without.length === 0 ? [] : [`${resource} for: ${[...new Set(without)].sort().join(",")}`];
  });
  return texts.length === 0 ? undefined : `must specify ${texts.join("; ")}`;
}
