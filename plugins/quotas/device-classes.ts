/**
 * What device classes and pods say about the claims of extended resources, behind the gate `DRAExtendedResource` (KEP-5004; upstream:
 * claimEvaluator.addExtendedResourceQuota and the ExtendedResourceCache).
 */
import type { ApiObject } from "../../plugin.ts";
import { secondsOf, spell } from "../../toolbox.ts";
import { amountIn, type Amounts, increase } from "./amounts.ts";
import type { Usage, UsageSettings } from "./counting.ts";

/** The gate of extended resources that device classes provide. */
export const extendedResourceGate = "DRAExtendedResource";

export const requestsOf = "requests.";

interface DeviceClass extends ApiObject {
  readonly spec: { readonly extendedResourceName?: string };
}
type Pod = ApiObject & { readonly status?: { readonly extendedResourceClaimStatus?: { readonly resourceClaimName?: string } } };

/** The device classes and pods of one moment, as claims need them. */
export interface DeviceClasses {
  /** Whether a device class provides this extended resource. */
  provides(resource: string): boolean;
  /** What a claim uses of extended resources, beside the devices of these classes, and without what its pod is charged already. */
  extendedUsage(claim: ApiObject, devices: ReadonlyMap<string, bigint>): Amounts;
}

/** Reads what the claims of a namespace need. `pods`: how pods are counted. */
export async function readDeviceClasses(
  [read, namespace, added]: Parameters<NonNullable<Usage["prepare"]>>,
  { names }: Pick<UsageSettings, "names">,
  pods: Usage,
): Promise<DeviceClasses> {
  const home = spell(names, "resource.{domain}/v1"), implicit = spell(names, "deviceclass.resource.{platform}.io/");
  const classes = [...await read(home, "deviceclasses", "")] as DeviceClass[]; // the type of the resource; the same holds below
  const explicitOf = new Map(classes.map(({ metadata, spec }) => [metadata.name ?? "", spec.extendedResourceName ?? ""]));
  const provided = new Set([...explicitOf.values()].filter((name) => name !== ""));
  const annotation = spell(names, "resource.{platform}.io/extended-resource-claim");
  const claims = (await read(home, "resourceclaims", namespace)).flatMap((claim) => podOf(claim, annotation) ?? []);
  const isOwned = claims.length > 0 || (added !== undefined && podOf(added, annotation) !== undefined);
  const podsByName = new Map<string, Pod>();
  const all = isOwned ? await read("v1", "pods", namespace) : [];
  for (const pod of all) podsByName.set(pod.metadata.name ?? "", pod as Pod);
  return {
    provides: (resource) => resource.startsWith(implicit) ? explicitOf.has(resource.slice(implicit.length)) : provided.has(resource),
    extendedUsage(claim, devices) {
      const owned = podOf(claim, annotation), pod = owned === undefined ? undefined : podOfClaim(owned, claims, podsByName);
      const charged = pod === undefined ? {} : pods.of(pod), usage: Record<string, string> = {};
      for (const [name, number] of devices) {
        if (name === "") continue;
        const explicit = explicitOf.get(name) ?? "";
        for (const resource of [`${implicit}${name}`, ...(explicit === "" ? [] : [explicit])]) {
          usage[`${requestsOf}${resource}`] = `${number}`;
        }
      }
      const left = Object.entries(usage).map(([name, amount]) => [name, increase(amount, amountIn(charged, name) ?? "0")] as const);
      return Object.fromEntries(left.filter(([, amount]) => amount !== "0"));
    },
  };
}

/** A claim that a scheduler made for the extended resources of a pod. */
interface OwnedClaim {
  readonly claim: ApiObject;
  readonly pod: string;
  readonly uid: string;
}

function podOf(claim: ApiObject, annotation: string): OwnedClaim | undefined {
  const { annotations = {}, ownerReferences = [] } = claim.metadata;
  if (!Object.hasOwn(annotations, annotation) || annotations[annotation] !== "true") return undefined;
  const owner = ownerReferences.find(({ controller }) => controller === true);
  return owner?.kind === "Pod" && owner.apiVersion === "v1" ? { claim, pod: owner.name ?? "", uid: owner.uid ?? "" } : undefined;
}

/** The pod of a claim, if the claim is the one of its extended resources: the one in the pod's status, else the oldest one. */
function podOfClaim({ claim, pod: name, uid }: OwnedClaim, all: readonly OwnedClaim[], pods: ReadonlyMap<string, Pod>): Pod | undefined {
  const pod = pods.get(name);
  if (pod === undefined || pod.metadata.uid !== uid) return undefined;
  const status = pod.status?.extendedResourceClaimStatus;
  if (status !== undefined) return status.resourceClaimName === claim.metadata.name ? pod : undefined;
  const madeAt = ({ metadata: { creationTimestamp } }: ApiObject) => creationTimestamp == null ? 0 : secondsOf(creationTimestamp);
  const isEarlier = (other: ApiObject) =>
    madeAt(other) < madeAt(claim) || (madeAt(other) === madeAt(claim) && (other.metadata.name ?? "") < (claim.metadata.name ?? ""));
  return all.some((other) => other.uid === uid && isEarlier(other.claim)) ? undefined : pod;
}
