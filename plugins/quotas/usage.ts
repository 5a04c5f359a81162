/** Computes how much objects use of the resources that quotas limit, by the rules of upstream's evaluators. */
import type { ApiObject } from "../../plugin.ts";
import { amountOf, compareQuantities, quantityText, roundUp, spell } from "../../toolbox.ts";
import type { PersistentVolumeClaimSpec } from "../shared/volumes/mod.ts";
import type { Amounts } from "./amounts.ts";
import { countName, type Usage, type UsageSettings } from "./counting.ts";
import { deviceUsage, ofDevices } from "./device-usage.ts";
import { podUsage } from "./pod-usage.ts";
import type { ResourceQuotaSpec, ScopeRequirement } from "./quota-schema.ts";

/** Resources of the core group that also have an older name for their number than `count/...`: the plural alone. */
const aliases: readonly string[] = ["configmaps", "resourcequotas", "replicationcontrollers", "secrets"];
const ignored: Readonly<Record<string, readonly string[]>> = {
  "": ["bindings", "componentstatuses", "events"],
  "events.{domain}": ["events"],
  "authentication.{domain}": ["tokenreviews", "selfsubjectreviews"],
  "authorization.{domain}": ["subjectaccessreviews", "selfsubjectaccessreviews", "localsubjectaccessreviews", "selfsubjectrulesreviews"],
};

/** Returns how a resource is counted; undefined if quotas ignore it. */
export function usageOf(group: string, plural: string, settings: UsageSettings): Usage | undefined {
  const isIgnored = Object.entries(ignored).some(([each, plurals]) => spell(settings.names, each) === group && plurals.includes(plural));
  if (isIgnored) return undefined;
  if (group === "" && plural === "persistentvolumeclaims") return claimUsage(settings);
  if (group === "" && plural === "pods") return podUsage(settings);
  if (group === "" && plural === services) return serviceUsage;
  if (group === spell(settings.names, ofDevices) && plural === "resourceclaims") return deviceUsage(settings, podUsage(settings));
  const counted = [countName(group, plural), ...(group === "" && aliases.includes(plural) ? [plural] : [])];
  const one = Object.fromEntries(counted.map((name) => [name, "1"]));
  return {
    matching: (names) => names.filter((name) => counted.includes(name)),
    charges: (isCreate, subresource) => isCreate && subresource === "",
    of: () => one,
    isIn: () => false,
    isCount: true,
  };
}

interface Service extends ApiObject {
  readonly spec: {
    readonly type?: string;
    readonly ports?: readonly { readonly nodePort?: number }[];
    readonly allocateLoadBalancerNodePorts?: boolean;
  };
}

const services = "services", nodePorts = "services.nodeports", loadBalancers = "services.loadbalancers";

/** Services count by their number, their ports on nodes, and the load balancers that they ask for. */
const serviceUsage: Usage = {
  matching: (names) => names.filter((name) => [services, nodePorts, loadBalancers, countName("", services)].includes(name)),
  charges: (_isCreate, subresource) => subresource === "",
  of(object) {
    const { spec: { type, ports = [], allocateLoadBalancerNodePorts } } = object as Service; // the object is of this resource
    const isBalanced = type === "LoadBalancer", isOnNodes = type === "NodePort" || isBalanced;
    // Without allocation only the ports count that the client has asked for.
    const onNodes = isBalanced && allocateLoadBalancerNodePorts === false ? ports.filter(({ nodePort = 0 }) => nodePort !== 0) : ports;
    return {
      [services]: "1",
      [countName("", services)]: "1",
      [nodePorts]: isOnNodes ? `${onNodes.length}` : "0",
      [loadBalancers]: isBalanced ? "1" : "0",
    };
  },
  isIn: () => false,
  isCount: false,
};

interface Claim extends ApiObject {
  readonly spec: PersistentVolumeClaimSpec;
  readonly status?: {
    readonly allocatedResources?: Amounts;
    readonly currentVolumeAttributesClassName?: string;
    readonly modifyVolumeStatus?: { readonly targetVolumeAttributesClassName?: string };
  };
}

const claims = "persistentvolumeclaims", storage = "requests.storage";

function claimUsage({ names, gates }: UsageSettings): Usage {
  const byClass = spell(names, ".storageclass.storage.{domain}/"), annotation = spell(names, "volume.beta.{platform}.io/storage-class");
  const counts = [claims, countName("", claims)];
  const isMatching = (name: string) =>
    counts.includes(name) || name === storage || name.endsWith(byClass + claims) || name.endsWith(byClass + storage);
  return {
    matching: (given) => given.filter(isMatching),
    charges: (isCreate, subresource) => subresource === "" || (subresource === "status" && !isCreate),
    of(object) {
      const claim = object as Claim; // the object is of this resource
      const { annotations = {} } = claim.metadata;
      const className = (Object.hasOwn(annotations, annotation) ? annotations[annotation] : claim.spec.storageClassName) ?? "";
      const bytes = bytesOf(claim);
      return {
        ...Object.fromEntries(counts.map((name) => [name, "1"])),
        ...className === "" ? {} : { [className + byClass + claims]: "1" },
        ...bytes === undefined ? {} : { [storage]: bytes },
        ...className === "" || bytes === undefined ? {} : { [className + byClass + storage]: bytes },
      };
    },
    isIn: (scope, object) =>
      scope.scopeName === "VolumeAttributesClass" && gates("VolumeAttributesClass") && isInClass(scope, classesOf(object as Claim)),
    isCount: false,
  };
}

/** Returns the larger of the requested and the allocated storage, in whole bytes. */
function bytesOf({ spec, status }: Claim): string | undefined {
  const requested = spec.resources.requests?.["storage"], allocated = status?.allocatedResources?.["storage"];
  if (requested === undefined) return undefined;
  const larger = allocated !== undefined && compareQuantities(allocated, requested) > 0 ? allocated : requested;
  return quantityText(roundUp(amountOf(larger), 0));
}

/** Returns the attributes classes that a claim has, requests, or is being changed to. */
function classesOf({ spec, status }: Claim): readonly string[] {
  const all = [
    spec.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return all.flatMap((name) => (name ?? "") === "" ? [] : [name!]); // `!`: the name is not empty
}

function isInClass({ operator, values = [] }: ScopeRequirement, classes: readonly string[]): boolean {
  if (operator === "Exists") return classes.length > 0;
  if (operator === "In") return classes.some((name) => values.includes(name));
  if (operator === "NotIn") return classes.length === 0 || classes.some((name) => !values.includes(name));
  return classes.length === 0;
}

/** Returns the scopes of a quota as requirements. A quota may have them in two notations. */
export function scopesOf({ scopes = [], scopeSelector }: ResourceQuotaSpec): readonly ScopeRequirement[] {
  return [...scopes.map((scopeName) => ({ scopeName, operator: "Exists" as const })), ...scopeSelector?.matchExpressions ?? []];
}

/** Whether an object is in all scopes of a quota. */
export function isInScopes(usage: Usage, spec: ResourceQuotaSpec, object: ApiObject): boolean {
  return scopesOf(spec).every((scope) => usage.isIn(scope, object));
}
