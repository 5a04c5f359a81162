/** The replica sets of a deployment: which is of the present template, and what they say about their revision. */
import { StatusError } from "../../../../plugin.ts";
import { sameValue } from "../../../../toolbox.ts";
import type { World } from "../../world/world.ts";
import { controllerReference } from "../controlled-pods.ts";
import { templateHash } from "../template-hash.ts";
import { newSizeOf, oldestFirst, replicasOf, surgeOf } from "./sizes.ts";
import type { Deployment, ReplicaSet } from "./types.ts";

const prefix = "deployment.kubernetes.io/";
const revisionAnnotation = `${prefix}revision`, historyAnnotation = `${prefix}revision-history`;
const hashLabel = "pod-template-hash";
/** Annotations of a deployment that its replica sets do not get. */
const ownAnnotations: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  "deprecated.deployment.rollback.to",
  ...["revision", "revision-history", "desired-replicas", "max-replicas"].map((name) => `${prefix}${name}`),
]);

/** The revision of a deployment or replica set, a whole number of 64 bits; 0 without one. */
export function revisionOf({ metadata }: Deployment | ReplicaSet): bigint {
  const written = metadata.annotations?.[revisionAnnotation] ?? "";
  return /^\d{1,19}$/.test(written) ? BigInt.asIntN(64, BigInt(written)) : 0n;
}

/** The highest revision of replica sets; 0 if none has one. */
function newestOf(sets: readonly ReplicaSet[]): bigint {
  return sets.map(revisionOf).reduce((newest, each) => each > newest ? each : newest, 0n);
}

/** Whether a replica set is of this template. */
function isOfTemplate(set: ReplicaSet, { template }: Deployment["spec"]): boolean {
  const { [hashLabel]: _hash, ...labels } = set.spec.template.metadata?.labels ?? {};
  const { [hashLabel]: _own, ...wanted } = template.metadata?.labels ?? {};
  const { metadata: _metadata, ...rest } = set.spec.template, { metadata: _wanted, ...restWanted } = template;
  return sameValue(labels, wanted) && sameValue(rest, restWanted) &&
    sameValue(set.spec.template.metadata?.annotations ?? {}, template.metadata?.annotations ?? {});
}

/** The replica set of the present template; the oldest, if there are several. */
export function presentSet({ spec }: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined {
  return oldestFirst(sets).find((set) => isOfTemplate(set, spec));
}

/** The annotations that say how large the deployment is. */
export function sizeAnnotations(deployment: Deployment): Readonly<Record<string, string>> {
  const replicas = replicasOf(deployment);
  return { [`${prefix}desired-replicas`]: `${replicas}`, [`${prefix}max-replicas`]: `${replicas + surgeOf(deployment)}` };
}

/** Whether a replica set was last scaled for another size of the deployment. */
export function isOfOtherSize(deployment: Deployment, set: ReplicaSet): boolean {
  const known = set.metadata.annotations?.[`${prefix}desired-replicas`];
  return known !== undefined && known !== `${replicasOf(deployment)}`;
}

function inheritedAnnotations({ metadata }: Deployment): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([name]) => !ownAnnotations.has(name)));
}

/** Writes the revision of a present replica set, and what it takes over from the deployment. */
export async function updatedSet(world: World, deployment: Deployment, set: ReplicaSet, old: readonly ReplicaSet[]): Promise<ReplicaSet> {
  const before = revisionOf(set), next = newestOf(old) + 1n, { annotations = {} } = set.metadata;
  const isNewer = next > before, { minReadySeconds } = deployment.spec;
  const history = annotations[historyAnnotation];
  const wanted = {
    ...annotations,
    ...inheritedAnnotations(deployment),
    ...(isNewer ? { [revisionAnnotation]: `${next}` } : {}),
    ...(isNewer && before > 0n ? { [historyAnnotation]: history === undefined ? `${before}` : `${history},${before}` } : {}),
  };
  if (sameValue(wanted, annotations) && (set.spec.minReadySeconds ?? 0) === (minReadySeconds ?? 0)) return set;
  return await world.replicaSets.update({
    ...set,
    metadata: { ...set.metadata, annotations: wanted },
    spec: { ...set.spec, minReadySeconds: minReadySeconds ?? 0 },
  } as ReplicaSet);
}

/** Writes the revision of the present replica set into the deployment. */
export async function withRevision(world: World, deployment: Deployment, revision: bigint): Promise<Deployment> {
  if (revisionOf(deployment) === revision) return deployment;
  const annotations = { ...deployment.metadata.annotations, [revisionAnnotation]: `${revision}` };
  return await world.deployments.update({ ...deployment, metadata: { ...deployment.metadata, annotations } });
}

/** Creates the replica set of the present template, with its first pods. Undefined if its name is in use: the deployment then counts a collision. */
export async function createdSet(world: World, deployment: Deployment, old: readonly ReplicaSet[]): Promise<ReplicaSet | undefined> {
  const { metadata: { name = "", namespace = "" }, spec, status } = deployment;
  const hash = templateHash(spec.template, status.collisionCount ?? 0), labels = { ...spec.template.metadata?.labels, [hashLabel]: hash };
  const revision = newestOf(old) + 1n, replicas = newSizeOf(deployment, old, 0);
  const set = {
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels,
      annotations: { ...inheritedAnnotations(deployment), ...sizeAnnotations(deployment), [revisionAnnotation]: `${revision}` },
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas,
      ...(spec.minReadySeconds === undefined ? {} : { minReadySeconds: spec.minReadySeconds }),
      selector: { ...spec.selector, matchLabels: { ...spec.selector?.matchLabels, [hashLabel]: hash } },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
    status: {},
  } as unknown as ReplicaSet; // The server adds what every stored set has.
  try {
    const made = await world.replicaSets.create(namespace, set);
    const note = `Scaled up replica set ${made.metadata.name} from 0 to ${replicas}`;
    if (replicas > 0) {
      world.context.events.record(deployment, {
        type: "Normal",
        reason: "ScalingReplicaSet",
        action: "ScalingReplicaSet",
        note,
        related: made,
      });
    }
    return made;
  } catch (error) {
    if (!(error instanceof StatusError && error.reason === "AlreadyExists")) throw error;
    const collisionCount = (status.collisionCount ?? 0) + 1;
    await world.deployments.updateStatus({ ...deployment, status: { ...status, collisionCount } });
    return undefined;
  }
}

/** Scales a replica set, and records it. */
export async function scaleSet(world: World, deployment: Deployment, set: ReplicaSet, to: number): Promise<ReplicaSet> {
  const from = replicasOf(set), annotations = { ...set.metadata.annotations, ...sizeAnnotations(deployment) };
  if (from === to && sameValue(annotations, set.metadata.annotations ?? {})) return set;
  const next = await world.replicaSets.update({ ...set, metadata: { ...set.metadata, annotations }, spec: { ...set.spec, replicas: to } });
  if (from !== to) {
    const note = `Scaled ${to > from ? "up" : "down"} replica set ${set.metadata.name} from ${from} to ${to}`;
    world.context.events.record(deployment, {
      type: "Normal",
      reason: "ScalingReplicaSet",
      action: "ScalingReplicaSet",
      note,
      related: set,
    });
  }
  return next;
}

/** Deletes old replica sets without pods beyond the history that the deployment keeps. */
export async function removeHistory(world: World, { spec }: Deployment, old: readonly ReplicaSet[]): Promise<void> {
  const kept = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined).toSorted((a, b) =>
    Number(revisionOf(a) - revisionOf(b))
  );
  const extra = kept.length - (spec.revisionHistoryLimit ?? 10);
  for (const set of kept.slice(0, Math.max(0, extra))) {
    const isObserved = Number(set.metadata.generation ?? 0) <= Number(set.status.observedGeneration ?? 0);
    if (replicasOf(set) === 0 && (set.status.replicas ?? 0) === 0 && isObserved) await world.replicaSets.delete(set);
  }
}
