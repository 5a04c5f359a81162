/**
 * The state of a migration in the definition of a custom resource: the condition StorageMigrating, and `status.storedVersions` without
 * the versions that objects have been migrated from (upstream: the migration runner of storageversionmigrator).
 */
import { type Api, type ApiObject, StatusError } from "../../plugin.ts";
import { type Names, spell, timestampOf } from "../../toolbox.ts";

const written = "apiextensions.{domain}/v1", plural = "customresourcedefinitions";
const fieldManager = "migration-runner-controller";
const attemptsMax = 5;

/** Names the resource of a migration. */
interface GroupResource {
  readonly group: string;
  readonly resource: string;
}
interface Definition extends ApiObject {
  readonly spec: { readonly versions: readonly { readonly name: string; readonly storage: boolean }[] };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly observedGeneration?: number | bigint }[] | null };
}
type StatusOf = (definition: Definition) => object;

/** Whether the resource has a definition. */
export async function hasDefinition(api: Api, names: Names, of: GroupResource): Promise<boolean> {
  return await definitionOf(api, names, of) !== undefined;
}

/** Adds the condition that the migration is running. Resolves with false if the resource has no definition. */
export function markMigrating(api: Api, names: Names, of: GroupResource, now: number, migration: string): Promise<boolean> {
  return applyStatus(api, names, of, (definition) => ({
    conditions: [condition(definition, now, "True", "MigrationRunning", `Migration ${migration} is running`)],
  }));
}

/** Ends the condition. After success the storage version is the only stored one, unless the definition has changed during the migration. */
export function finishMigrating(api: Api, names: Names, of: GroupResource, now: number, succeeded: boolean): Promise<boolean> {
  return applyStatus(api, names, of, (definition) => {
    if (!succeeded) return { conditions: [condition(definition, now, "False", "MigrationFailed", "The migration has failed")] };
    const marked = definition.status?.conditions?.find(({ type }) => type === "StorageMigrating");
    const unchanged = marked !== undefined && String(marked.observedGeneration ?? 0) === String(definition.metadata.generation ?? 0);
    const result = unchanged
      ? "and the stored versions have been updated"
      : "but the stored versions have not been updated due to a generation mismatch";
    return {
      conditions: [condition(definition, now, "False", "MigrationSucceeded", `The migration has succeeded ${result}`)],
      ...(unchanged ? { storedVersions: definition.spec.versions.filter(({ storage }) => storage).map(({ name }) => name) } : {}),
    };
  });
}

function condition({ metadata }: Definition, now: number, status: string, reason: string, message: string): object {
  return {
    type: "StorageMigrating",
    status,
    lastTransitionTime: timestampOf(now),
    reason,
    message,
    observedGeneration: metadata.generation ?? 0,
  };
}

/** The definition of a resource; undefined if it has none, or if definitions are not served. */
async function definitionOf(api: Api, names: Names, { group, resource }: GroupResource): Promise<Definition | undefined> {
  const groupVersion = spell(names, written);
  if (!api.collections("get").some((each) => each.resource === plural && each.groupVersion === groupVersion)) return undefined;
  try {
    return await api.get(groupVersion, plural, "", `${resource}.${group}`) as Definition; // of the resource
  } catch (error) {
    if (error instanceof StatusError && error.reason === "NotFound") return undefined;
    throw error;
  }
}

/** Applies a status to the definition that it was made for: a concurrent change rejects it, and it is made again. */
async function applyStatus(api: Api, names: Names, of: GroupResource, make: StatusOf): Promise<boolean> {
  for (let attempt = 1;; attempt++) {
    const definition = await definitionOf(api, names, of);
    if (definition === undefined) return false;
    const { name = "", resourceVersion } = definition.metadata;
    const object = { metadata: { name, resourceVersion }, status: make(definition) };
    try {
      await api.apply(spell(names, written), plural, "", name, object, { subresource: "status", fieldManager, force: true });
      return true;
    } catch (error) {
      // If the definition was deleted meanwhile, the next attempt finds none.
      const isChanged = error instanceof StatusError && (error.reason === "Conflict" || error.reason === "NotFound");
      if (!isChanged || attempt >= attemptsMax) throw error;
    }
  }
}
