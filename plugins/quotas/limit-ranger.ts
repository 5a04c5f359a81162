/** Bounds what pods, containers and claims request by the limit ranges of their namespace, and fills in the defaults of containers. */
import type { Admission, ApiObject, RequestHookContext } from "../../plugin.ts";
import { amountOf, compareQuantities, spell } from "../../toolbox.ts";
import type { Container } from "../shared/pod/container.ts";
import type { PodSpec } from "../shared/pod/pod-spec.ts";
import type { PersistentVolumeClaimSpec } from "../shared/volumes/mod.ts";
import { amountIn, type Amounts } from "./amounts.ts";
import type { LimitRange, LimitRangeItem } from "./limit-range-schema.ts";
import { amountsOfSpec } from "./pod-resources.ts";

type Claim = ApiObject & { readonly spec: PersistentVolumeClaimSpec };
type Pod = ApiObject & { readonly spec: PodSpec };

export const limitRanger: Admission = {
  name: "LimitRanger",
  resources: "all",
  async mutate(next, prior, context) {
    if (!concerns(prior, context, "pods")) return next;
    let pod: Pod = next; // the object is of this resource
    for (const range of await rangesOf(next, context)) pod = withDefaults(pod, range, spell(context.names, "{platform}.io/limit-ranger"));
    return pod;
  },
  async refuse(next, prior, context) {
    const isPod = concerns(prior, context, "pods");
    if (!isPod && !concerns(prior, context, "persistentvolumeclaims")) return undefined;
    const wholeCounts = context.gates("PodLevelResources");
    for (const { spec: { limits = [] } } of await rangesOf(next, context)) {
      const errors = limits.flatMap((limit) => isPod ? violationsOfPod(next, limit, wholeCounts) : violationsOfClaim(next, limit));
      const distinct = [...new Set(errors)];
      if (distinct.length > 0) return distinct.length === 1 ? distinct[0] : `[${distinct.join(", ")}]`;
    }
    return undefined;
  },
};

/** Whether limit ranges bound the write. A pod is bounded at its creation and when it is resized, a claim whenever it is written. */
function concerns(prior: ApiObject | undefined, { resource: { group, plural }, subresource }: RequestHookContext, of: string): boolean {
  if (group !== "" || plural !== of || (prior?.metadata.deletionTimestamp ?? null) !== null) return false;
  if (of === "pods" && prior !== undefined) return subresource === "resize";
  return subresource === "";
}

async function rangesOf(object: ApiObject, { server }: RequestHookContext): Promise<readonly LimitRange[]> {
  return await server.recent("v1", "limitranges", object.metadata.namespace ?? "") as readonly LimitRange[]; // the type of the resource
}

/** The pod with the default requests and limits of its containers. An annotation says which were set. */
function withDefaults(pod: Pod, { spec: { limits = [] } }: LimitRange, annotation: string): Pod {
  const ofContainers = limits.filter(({ type }) => type === "Container");
  const defaults = {
    requests: Object.assign({}, ...ofContainers.map(({ defaultRequest }) => defaultRequest)) as Amounts,
    limits: Object.assign({}, ...ofContainers.map((each) => each.default)) as Amounts,
  };
  const texts: string[] = [];
  const complete = (what: string) => (container: Container): Container => {
    const { resources } = container, set = { ...resources };
    for (const key of ["requests", "limits"] as const) {
      const own: Amounts = resources[key] ?? {}, added = Object.keys(defaults[key]).filter((name) => !Object.hasOwn(own, name)).sort();
      if (added.length === 0) continue;
      Object.assign(set, { [key]: { ...own, ...Object.fromEntries(added.map((name) => [name, defaults[key][name]])) } });
      texts.push(`${added.join(", ")} ${key.slice(0, -1)} for ${what} ${container.name}`);
    }
    return { ...container, resources: set };
  };
  const containers = (pod.spec.containers ?? []).map(complete("container"));
  const initContainers = (pod.spec.initContainers ?? []).map(complete("init container"));
  if (texts.length === 0) return pod;
  const annotations = { ...pod.metadata.annotations, [annotation]: `LimitRanger plugin set: ${texts.join("; ")}` };
  return {
    ...pod,
    metadata: { ...pod.metadata, annotations },
    spec: { ...pod.spec, containers, ...(initContainers.length === 0 ? {} : { initContainers }) },
  };
}

const sorted = (bounds: Amounts | undefined): readonly (readonly [name: string, amount: string])[] =>
  Object.entries(bounds ?? {}).sort(([a], [b]) => a < b ? -1 : 1);

/** What is bounded: the requests and, but for claims, the limits. */
interface Bounded {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

function violationsOfClaim({ spec: { resources } }: Claim, { type, min, max }: LimitRangeItem): readonly string[] {
  if (type !== "PersistentVolumeClaim") return [];
  const claim: Bounded = { requests: resources.requests ?? {}, limits: {} };
  return [...sorted(min).flatMap(below(claim, type)), ...sorted(max).flatMap(aboveRequest(claim, type))];
}

function violationsOfPod({ spec }: Pod, limit: LimitRangeItem, wholeCounts: boolean): readonly string[] {
  if (limit.type === "Container") {
    return [...spec.containers ?? [], ...spec.initContainers ?? []].flatMap(({ resources: { requests = {}, limits = {} } }) =>
      violationsOf({ requests, limits }, limit)
    );
  }
  if (limit.type !== "Pod") return [];
  const of = (what: "requests" | "limits") => amountsOfSpec(spec, what, wholeCounts, (name) => name === "cpu" || name === "memory");
  return violationsOf({ requests: of("requests"), limits: of("limits") }, limit);
}

function violationsOf(bounded: Bounded, { type, min, max, maxLimitRequestRatio }: LimitRangeItem): readonly string[] {
  return [
    ...sorted(min).flatMap(below(bounded, type)),
    ...sorted(max).flatMap(above(bounded, type)),
    ...sorted(maxLimitRequestRatio).flatMap(beyondRatio(bounded, type)),
  ];
}

type Check = (bound: readonly [name: string, amount: string]) => readonly string[];

function below({ requests, limits }: Bounded, type: string): Check {
  return ([name, enforced]) => {
    const usage = `minimum ${name} usage per ${type} is ${enforced}`, request = amountIn(requests, name), limit = amountIn(limits, name);
    if (request === undefined) return [`${usage}.  No request is specified`];
    if (compareQuantities(request, enforced) < 0) return [`${usage}, but request is ${request}`];
    return limit !== undefined && compareQuantities(limit, enforced) < 0 ? [`${usage}, but limit is ${limit}`] : [];
  };
}

function aboveRequest({ requests }: Bounded, type: string): Check {
  return ([name, enforced]) => {
    const usage = `maximum ${name} usage per ${type} is ${enforced}`, request = amountIn(requests, name);
    if (request === undefined) return [`${usage}.  No request is specified`];
    return compareQuantities(request, enforced) > 0 ? [`${usage}, but request is ${request}`] : [];
  };
}

function above({ requests, limits }: Bounded, type: string): Check {
  return ([name, enforced]) => {
    const usage = `maximum ${name} usage per ${type} is ${enforced}`, request = amountIn(requests, name), limit = amountIn(limits, name);
    if (limit === undefined) return [`${usage}.  No limit is specified`];
    if (compareQuantities(limit, enforced) > 0) return [`${usage}, but limit is ${limit}`];
    return request !== undefined && compareQuantities(request, enforced) > 0 ? [`${usage}, but request is ${request}`] : [];
  };
}

function beyondRatio({ requests, limits }: Bounded, type: string): Check {
  return ([name, enforced]) => {
    const usage = `${name} max limit to request ratio per ${type} is ${enforced}`;
    const request = numberOf(amountIn(requests, name)), limit = numberOf(amountIn(limits, name));
    if (request === 0) return [`${usage}, but no request is specified or request is 0`];
    if (limit === 0) return [`${usage}, but no limit is specified or limit is 0`];
    const ratio = limit / request;
    return ratio > numberOf(enforced) ? [`${usage}, but provided ratio is ${ratio.toFixed(6)}`] : [];
  };
}

/** The amount as a number, as upstream divides them; 0 if it is absent. */
function numberOf(amount: string | undefined): number {
  if (amount === undefined) return 0;
  const { negative, digits, exponent } = amountOf(amount);
  return digits === "" ? 0 : Number(`${negative ? "-" : ""}${digits}e${exponent}`);
}
