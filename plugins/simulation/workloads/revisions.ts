/** The revisions of a template, which stateful sets and daemon sets keep as ControllerRevisions. */
import { type ApiObject, StatusError } from "../../../plugin.ts";
import { sameValue } from "../../../toolbox.ts";
import type { PodTemplate, World } from "../world/world.ts";
import { controllerReference } from "./controlled-pods.ts";
import { templateHash } from "./template-hash.ts";

/** A revision, as it is stored. */
export type Revision = NonNullable<ReturnType<World["controllerRevisions"]["at"]>>;

/** The label of pods and revisions that says of which revision they are. */
export const revisionLabel = "controller-revision-hash";

/** An owner of revisions. */
export interface Revised extends ApiObject {
  readonly spec: { readonly template: PodTemplate; readonly revisionHistoryLimit?: number | null };
}

const numberOf = ({ revision }: Revision): number => Number(revision);

/**
 * The state of the owner that a revision keeps. `$patch` makes it a strategic merge patch, as upstream's is. kubectl and others compare its text with the one
 * of upstream's controllers, in which the names of fields are sorted.
 */
function dataOf({ spec }: Revised) {
  return { spec: { template: inOrder({ ...spec.template, $patch: "replace" }) } };
}

/** The value with the names of all fields in the order of their characters. Its depth is that of a template. */
function inOrder<T>(value: T): T {
  if (Array.isArray(value)) return value.map(inOrder) as T; // the same elements
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, each]) => each !== undefined).sort(([a], [b]) => a < b ? -1 : 1);
  return Object.fromEntries(fields.map(([name, each]) => [name, inOrder(each)])) as T; // the same fields
}

/** The template of a revision. */
export function templateOf({ data }: Revision): PodTemplate {
  const { $patch: _patch, ...template } = (data as unknown as ReturnType<typeof dataOf>).spec.template;
  return template as PodTemplate;
}

/** Returns the revisions of an owner, the oldest first. */
export function revisionsOf(world: World, { metadata }: ApiObject): readonly Revision[] {
  return [...world.controllerRevisions.controlledBy(metadata.uid ?? "")].sort((a, b) => numberOf(a) - numberOf(b));
}

/**
 * Returns the revision of the present template. It is created if there is none, and made the newest if it is not. `collisions`: how many names of
 * revisions were in use.
 */
export async function presentRevision(world: World, owner: Revised, collisions: number): Promise<Revision> {
  const known = revisionsOf(world, owner), data = dataOf(owner), newest = known.at(-1);
  const equal = known.findLast((each) => sameValue(each.data, data));
  if (equal !== undefined && equal === newest) return equal;
  const revision = newest === undefined ? 1 : numberOf(newest) + 1;
  if (equal !== undefined) return await world.controllerRevisions.update({ ...equal, revision: BigInt(revision) } as Revision);
  return await created(world, owner, { data, revision, collisions });
}

/** Creates a revision. If its name is in use, another number of collisions makes another name. */
async function created(
  world: World,
  owner: Revised,
  { data, revision, collisions }: { readonly data: unknown; readonly revision: number; readonly collisions: number },
): Promise<Revision> {
  const { name = "", namespace = "" } = owner.metadata, hash = templateHash(owner.spec.template, collisions);
  const labels = { ...owner.spec.template.metadata?.labels, [revisionLabel]: hash };
  const object = {
    metadata: { name: `${name}-${hash}`, namespace, labels, ownerReferences: [controllerReference(owner)] },
    data,
    revision,
  };
  try {
    return await world.controllerRevisions.create(namespace, object as unknown as Revision);
  } catch (error) {
    if (!(error instanceof StatusError && error.reason === "AlreadyExists")) throw error;
    return await created(world, owner, { data, revision, collisions: collisions + 1 });
  }
}

/** Deletes the oldest revisions that no pod has, beyond the history that the owner keeps. */
export async function removeRevisions(world: World, owner: Revised, isUsed: (revision: Revision) => boolean): Promise<void> {
  const unused = revisionsOf(world, owner).filter((each) => !isUsed(each));
  const extra = unused.length - (owner.spec.revisionHistoryLimit ?? 10);
  for (const revision of unused.slice(0, Math.max(0, extra))) await world.controllerRevisions.delete(revision);
}
