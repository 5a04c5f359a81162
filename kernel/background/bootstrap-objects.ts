/** Bootstrap objects: objects that exist after the start. */
import { spell } from "../../core/names.ts";
import type { Api } from "../../core/api.ts";
import type { Plugin } from "../../core/plugin.ts";
import { StatusError } from "../../core/status-error.ts";
import { splitGroupVersion } from "../../core/versions.ts";
import { type Catalog } from "../catalog/catalog.ts";

export type BootstrapObject = NonNullable<Plugin["bootstrapObjects"]>[number];

/** The bootstrap objects of served resources, in order. */
export function bootstrapObjectsOf({ plugins, names, endpoint }: Catalog): readonly BootstrapObject[] {
  return plugins.flatMap(({ bootstrapObjects = [] }) => bootstrapObjects).filter(({ groupVersion, resource }) => {
    const { group, version } = splitGroupVersion(spell(names, groupVersion));
    return endpoint(group, version, resource) !== undefined;
  });
}

/** Creates every absent bootstrap object, in order; another replica may do the same concurrently. */
export async function createBootstrapObjects(bootstrapObjects: readonly BootstrapObject[], api: Api): Promise<void> {
  for (const seed of bootstrapObjects) {
    try {
      await api.create(seed.groupVersion, seed.resource, seed.namespace ?? "", seed.object);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      if (error.reason !== "AlreadyExists" && !(await exists(seed, api))) throw error;
    }
  }
}

/**
 * Whether the object is there. Admission looks at a create before the store finds the name in use: a webhook that cannot be called must not
 * prevent the next start, without which it cannot be removed.
 */
async function exists({ groupVersion, resource, namespace = "", object }: BootstrapObject, api: Api): Promise<boolean> {
  const { name = "" } = (object as { readonly metadata: { readonly name?: string } }).metadata; // an object of the API
  try {
    await api.get(groupVersion, resource, namespace, name);
    return true;
  } catch {
    return false; // the error of the create is reported
  }
}
