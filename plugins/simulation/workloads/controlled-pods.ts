/** The pods of a workload: those it controls, those it adopts and those it releases. */
import type { ApiObject } from "../../../plugin.ts";
import { selectsLabels } from "../../../toolbox.ts";
import type { Pod, PodTemplate, World } from "../world/world.ts";
import { isActive } from "./pod-state.ts";

/** A label selector, as workloads have it. */
export type Selector = Parameters<typeof selectsLabels>[0];

/** The reference to a controller, for what it owns. */
export function controllerReference({ apiVersion = "", kind = "", metadata }: ApiObject) {
  return { apiVersion, kind, name: metadata.name ?? "", uid: metadata.uid ?? "", controller: true, blockOwnerDeletion: true };
}

/**
 * Returns the pods that `owner` controls. Before, it adopts the pods without a controller that its selector selects, and releases its pods that the
 * selector does not select any more. An owner that is being deleted does neither.
 */
export async function controlledPods(world: World, owner: ApiObject, selector: Selector): Promise<readonly Pod[]> {
  const { uid = "", namespace = "", deletionTimestamp } = owner.metadata, kept: Pod[] = [];
  for (const pod of [...world.pods.controlledBy(uid)]) {
    if (selectsLabels(selector, pod.metadata.labels ?? {})) kept.push(pod);
    else if (deletionTimestamp === undefined && pod.metadata.deletionTimestamp === undefined) await release(world, pod, uid);
  }
  if (deletionTimestamp !== undefined) return kept;
  for (const pod of [...world.pods.uncontrolled(namespace)]) {
    if (!isActive(pod) || !selectsLabels(selector, pod.metadata.labels ?? {})) continue;
    const { uid: podUid } = pod.metadata;
    kept.push(await world.pods.patch(pod, { strategic: { metadata: { uid: podUid, ownerReferences: [controllerReference(owner)] } } }));
  }
  return kept;
}

async function release(world: World, pod: Pod, uid: string): Promise<void> {
  const { uid: podUid } = pod.metadata;
  await world.pods.patch(pod, { strategic: { metadata: { uid: podUid, ownerReferences: [{ $patch: "delete", uid }] } } });
}

/** The object of a new pod of a template. `metadata` has its name, and what it has besides the template's labels, annotations and finalizers. */
export function podOfTemplate(template: PodTemplate, owner: ApiObject, metadata: ApiObject["metadata"]) {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  return {
    metadata: {
      ...metadata,
      labels: { ...labels, ...metadata.labels },
      annotations: { ...annotations, ...metadata.annotations },
      ...(finalizers === undefined ? {} : { finalizers: [...finalizers] }),
      ownerReferences: [controllerReference(owner)],
    },
    spec: template.spec,
    status: {},
  } as unknown as Pod; // The server adds what every stored pod has.
}
