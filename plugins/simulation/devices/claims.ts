/** ResourceClaims of pods: made from templates, reserved, and released after use (upstream: pkg/controller/resourceclaim). */
import { objectKey } from "../../../plugin.ts";
import { hasEnded } from "../workloads/pod-state.ts";
import { followAll } from "../workloads/owner-keys.ts";
import { controllerOf } from "../world/store.ts";
import type { Reconciler } from "../world/reconciler.ts";
import type { DeviceStores, Pod, World } from "../world/world.ts";
import {
  claimNameOf,
  isReservedFor,
  isUsableBy,
  type PodClaim,
  podClaimAnnotation,
  protection,
  reservationFor,
  type ResourceClaim,
} from "./pod-claims.ts";

/** Bytes of a generated name without the hyphen and the five random characters, as upstream. */
const baseLengthMax = 57;

/** Makes the claims of pods from templates, and reserves claims for pods that no scheduler has bound. */
export const podClaimReconciler: Reconciler = {
  name: "resourceclaim-pod",
  follow(world, add) {
    const { devices } = world;
    if (devices === undefined) return;
    const look = (pod: Pod) => {
      if ((pod.spec.resourceClaims ?? []).length > 0) add(objectKey(pod));
    };
    for (const pod of world.pods.all()) look(pod);
    world.pods.listen((next) => {
      if (next !== undefined) look(next);
    });
    devices.templates.listen((next) => {
      if (next !== undefined) { for (const pod of world.pods.in(next.metadata.namespace ?? "")) look(pod); }
    });
    devices.claims.listen((next, before) => {
      const { metadata: { namespace = "" } } = (next ?? before)!;
      const isChanged = next === undefined || (before?.status.allocation === undefined) !== (next.status.allocation === undefined);
      if (isChanged) { for (const pod of world.pods.in(namespace)) look(pod); }
    });
  },
  async reconcile(world, key) {
    const pod = world.pods.at(key), { devices } = world;
    if (pod === undefined || devices === undefined || pod.metadata.deletionTimestamp !== undefined || hasEnded(pod.status)) return;
    const made: { name: string; resourceClaimName: string }[] = [];
    for (const reference of pod.spec.resourceClaims ?? []) {
      const claim = await claimFor(world, devices, pod, reference);
      if (claim !== undefined) made.push({ name: reference.name, resourceClaimName: claim.metadata.name ?? "" });
    }
    if (made.length > 0) {
      const names = new Set(made.map(({ name }) => name));
      const kept = (pod.status.resourceClaimStatuses ?? []).filter(({ name }) => !names.has(name));
      await world.pods.updateStatus({ ...pod, status: { ...pod.status, resourceClaimStatuses: [...kept, ...made] } });
    } else if ((pod.spec.nodeName ?? "") !== "") await reserveAll(devices, pod);
  },
};

/** The claim that is made for a reference of the pod, or that was made before and is not in the status yet. Undefined if nothing is missing. */
async function claimFor(world: World, devices: DeviceStores, pod: Pod, reference: PodClaim): Promise<ResourceClaim | undefined> {
  const { metadata: { namespace = "", uid } } = pod, { name, resourceClaimTemplateName } = reference, known = claimNameOf(pod, reference);
  if (resourceClaimTemplateName === undefined || resourceClaimTemplateName === null || known === "") return undefined;
  const found = known === undefined ? undefined : devices.claims.get(namespace, known);
  if (found !== undefined && isUsableBy(found, pod, reference)) return undefined;
  for (const claim of devices.claims.controlledBy(uid ?? "")) {
    if (claim.metadata.annotations?.[podClaimAnnotation] === name) return claim;
  }
  const template = devices.templates.get(namespace, resourceClaimTemplateName);
  const fail = (why: string) => {
    const note = `PodResourceClaim ${name}: ${why}`;
    world.context.events.record(pod, { type: "Warning", reason: "FailedResourceClaimCreation", action: "Creating", note });
    return undefined;
  };
  if (template === undefined) {
    return fail(`resource claim template "${resourceClaimTemplateName}": resourceclaimtemplate "${resourceClaimTemplateName}" not found`);
  }
  return await make(devices, pod, name, template);
}

async function make(
  { claims }: DeviceStores,
  { metadata }: Pod,
  name: string,
  { spec: template }: NonNullable<ReturnType<DeviceStores["templates"]["at"]>>,
): Promise<ResourceClaim> {
  const { name: podName = "", namespace = "", uid = "" } = metadata, { labels, annotations = {} } = template.metadata ?? {};
  const owner = { apiVersion: "v1", kind: "Pod", name: podName, uid, controller: true };
  return await claims.create(namespace, {
    metadata: {
      generateName: baseOf(podName, name),
      ownerReferences: [owner],
      annotations: { ...annotations, [podClaimAnnotation]: name },
      ...(labels === undefined ? {} : { labels }),
    },
    spec: template.spec,
    status: {},
  });
}

/** The beginning of the name of a claim: both names, shortened in proportion if they are too long together. */
function baseOf(pod: string, claim: string): string {
  const whole = `${pod}-${claim}-`;
  if (whole.length <= baseLengthMax) return whole;
  const part = Math.floor(pod.length * baseLengthMax / whole.length);
  const short = `${pod.slice(0, part)}-`;
  return short + claim.slice(0, Math.floor(claim.length * baseLengthMax / whole.length));
}

/** Reserves what is allocated for a pod that has a node. The scheduler has done so for the pods that it has bound. */
async function reserveAll({ claims }: DeviceStores, pod: Pod): Promise<void> {
  for (const reference of pod.spec.resourceClaims ?? []) {
    const claim = claims.get(pod.metadata.namespace ?? "", claimNameOf(pod, reference) ?? "");
    if (claim?.status.allocation === undefined || isReservedFor(claim, pod) || !isUsableBy(claim, pod, reference)) continue;
    const reservedFor = [...claim.status.reservedFor ?? [], reservationFor(pod)];
    await claims.updateStatus({ ...claim, status: { ...claim.status, reservedFor } });
  }
}

/** Removes reservations of pods that are gone, and then the allocation; deletes the claims of pods that have ended. */
export const claimUseReconciler: Reconciler = {
  name: "resourceclaim",
  follow(world, add) {
    const { devices } = world;
    if (devices === undefined) return;
    followAll(devices.claims, add);
    world.pods.listen((next, before) => {
      const pod = (next ?? before)!, { spec, metadata: { namespace = "" } } = pod;
      if ((spec.resourceClaims ?? []).length === 0 || (next !== undefined && !isDone(next))) return;
      for (const reference of spec.resourceClaims ?? []) {
        const name = claimNameOf(pod, reference) ?? "";
        if (name !== "") add(objectKey({ metadata: { namespace, name } }));
      }
    });
  },
  async reconcile(world, key) {
    const { devices } = world, claim = devices?.claims.at(key);
    if (devices === undefined || claim === undefined) return;
    const { reservedFor = [] } = claim.status;
    const remaining = reservedFor.filter((each) => {
      if ((each.apiGroup ?? "") !== "" || each.resource !== "pods") return true;
      const pod = world.pods.get(claim.metadata.namespace ?? "", each.name);
      return pod !== undefined && pod.metadata.uid === each.uid && !isDone(pod);
    });
    await release(devices, claim, remaining);
    const owner = claim.metadata.ownerReferences?.find(({ controller, kind, apiVersion }) =>
      controller && kind === "Pod" && apiVersion === "v1"
    );
    const pod = owner === undefined ? undefined : world.pods.get(claim.metadata.namespace ?? "", owner.name);
    const isUnused = remaining.length === 0 && pod !== undefined && (pod.metadata.uid !== controllerOf(claim) || isDone(pod));
    if (isUnused && claim.metadata.deletionTimestamp === undefined) await devices.claims.delete(claim);
  },
};

/** Writes the reservations that are left, if there are fewer than before. Frees the devices of a claim without reservations, if this cluster has allocated them. */
async function release(
  { claims }: DeviceStores,
  claim: ResourceClaim,
  reservedFor: ResourceClaim["status"]["reservedFor"] & object,
): Promise<void> {
  const { finalizers = [], deletionTimestamp } = claim.metadata,
    isOurs = finalizers.includes(protection),
    isUnused = reservedFor.length === 0;
  const isLess = reservedFor.length < (claim.status.reservedFor ?? []).length;
  if (!isLess && !(isOurs && isUnused && deletionTimestamp !== undefined)) return;
  const { allocation, reservedFor: _before, ...rest } = claim.status, isFreed = isOurs && isUnused;
  const status = { ...rest, ...(isUnused ? {} : { reservedFor }), ...(isFreed || allocation === undefined ? {} : { allocation }) };
  const isKnown = !isLess && allocation === undefined;
  const next = isKnown ? claim : await claims.updateStatus({ ...claim, status });
  if (!isFreed || next.status.allocation !== undefined) return;
  await claims.update({ ...next, metadata: { ...next.metadata, finalizers: finalizers.filter((each) => each !== protection) } });
}

/** Whether the pod will use its claims no more. */
function isDone({ status, metadata, spec }: Pod): boolean {
  return hasEnded(status) || (metadata.deletionTimestamp !== undefined && (spec.nodeName ?? "") === "");
}
