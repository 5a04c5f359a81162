/** The pods and claims of a stateful set: their names, and what they are made of. */
import { StatusError } from "../../../../plugin.ts";
import type { Pod, PodTemplate, World } from "../../world/world.ts";
import { controllerReference, podOfTemplate } from "../controlled-pods.ts";
import { revisionLabel } from "../revisions.ts";
import type { StatefulSet } from "./types.ts";

/** The wanted number of pods. */
export const replicasOf = ({ spec }: StatefulSet): number => spec.replicas ?? 1;
/** The number of the first pod. */
export const startOf = ({ spec }: StatefulSet): number => spec.ordinals?.start ?? 0;
/** The revision of a pod. */
export const revisionOf = ({ metadata }: Pod): string => metadata.labels?.[revisionLabel] ?? "";

/** The number of a pod of the stateful set; undefined if its name is not of the set. */
export function ordinalOf({ metadata }: StatefulSet, pod: Pod): number | undefined {
  const prefix = `${metadata.name}-`, name = pod.metadata.name ?? "", rest = name.slice(prefix.length);
  return name.startsWith(prefix) && /^\d{1,10}$/.test(rest) ? Number(rest) : undefined;
}

const claimName = (template: { readonly metadata?: { readonly name?: string } }, { metadata }: StatefulSet, ordinal: number): string =>
  `${template.metadata?.name}-${metadata.name}-${ordinal}`;

/** Creates a pod with its claims. */
export async function createMember(
  world: World,
  set: StatefulSet,
  ordinal: number,
  template: PodTemplate,
  revision: string,
): Promise<void> {
  const { metadata: { name: setName = "", namespace = "" }, spec } = set, name = `${setName}-${ordinal}`;
  for (const claim of spec.volumeClaimTemplates ?? []) await createClaim(world, set, claimName(claim, set, ordinal), claim);
  const labels = {
    [revisionLabel]: revision,
    "statefulset.kubernetes.io/pod-name": name,
    "apps.kubernetes.io/pod-index": `${ordinal}`,
  };
  const pod = podOfTemplate(template, set, { name, labels });
  const claimed = new Map(
    (spec.volumeClaimTemplates ?? []).map((claim) => [
      claim.metadata?.name ?? "",
      { name: claim.metadata?.name ?? "", persistentVolumeClaim: { claimName: claimName(claim, set, ordinal), readOnly: false } },
    ]),
  );
  const others = (template.spec.volumes ?? []).filter((volume) => !claimed.has(volume.name));
  const volumes = [...claimed.values(), ...others];
  const member = {
    ...pod,
    spec: {
      ...pod.spec,
      hostname: name,
      ...(spec.serviceName === "" ? {} : { subdomain: spec.serviceName }),
      ...(volumes.length === 0 ? {} : { volumes }),
    },
  } as Pod;
  try {
    await world.pods.create(namespace, member);
    const note = `create Pod ${name} in StatefulSet ${setName} successful`;
    world.context.events.record(set, { type: "Normal", reason: "SuccessfulCreate", action: "CreatingPod", note });
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason === "AlreadyExists") throw error;
    const note = `create Pod ${name} in StatefulSet ${setName} failed error: ${error.message}`;
    world.context.events.record(set, { type: "Warning", reason: "FailedCreate", action: "CreatingPod", note });
    throw error;
  }
}

async function createClaim(
  world: World,
  set: StatefulSet,
  name: string,
  template: NonNullable<StatefulSet["spec"]["volumeClaimTemplates"]>[number],
): Promise<void> {
  const { namespace = "" } = set.metadata;
  if (world.persistentVolumeClaims.get(namespace, name) !== undefined) return;
  const { name: _name, ...metadata } = template.metadata ?? {}, labels = { ...metadata.labels, ...set.spec.selector?.matchLabels };
  const owner = controllerReference(set), isOwned = set.spec.persistentVolumeClaimRetentionPolicy?.whenDeleted === "Delete";
  await world.persistentVolumeClaims.create(namespace, {
    metadata: { ...metadata, name, namespace, labels, ...(isOwned ? { ownerReferences: [owner] } : {}) },
    spec: template.spec,
    status: {},
  } as never);
}

/** Deletes a pod. With `whenScaled: Delete` its claims go with it. */
export async function removeMember(world: World, set: StatefulSet, pod: Pod, isCondemned: boolean): Promise<void> {
  const { name = "", namespace = "" } = set.metadata, ordinal = ordinalOf(set, pod);
  if (isCondemned && set.spec.persistentVolumeClaimRetentionPolicy?.whenScaled === "Delete" && ordinal !== undefined) {
    for (const template of set.spec.volumeClaimTemplates ?? []) {
      const claim = world.persistentVolumeClaims.get(namespace, claimName(template, set, ordinal));
      if (claim !== undefined) await world.persistentVolumeClaims.delete(claim);
    }
  }
  await world.pods.delete(pod);
  const note = `delete Pod ${pod.metadata.name} in StatefulSet ${name} successful`;
  world.context.events.record(set, { type: "Normal", reason: "SuccessfulDelete", action: "DeletingPod", note });
}
