/** Objects that exist after start. */
import { spell } from "../../core/names.ts";
import type { Api, Plugin } from "../../core/plugin.ts";
import { StatusError } from "../../core/status-error.ts";
import { type Catalog, splitGroupVersion } from "../catalog/catalog.ts";

export type Seed = NonNullable<Plugin["seeds"]>[number];

/** The seeds of resources that are served, in order. */
export function seedsOf({ plugins, names, endpoint }: Catalog): readonly Seed[] {
  return plugins.flatMap(({ seeds = [] }) => seeds).filter(({ groupVersion, resource }) => {
    const { group, version } = splitGroupVersion(spell(names, groupVersion));
    return endpoint(group, version, resource) !== undefined;
  });
}

/** Creates every seed that is absent, in order; another replica may be doing the same. */
export async function plantSeeds(seeds: readonly Seed[], api: Api): Promise<void> {
  for (const seed of seeds) {
    try {
      await api.create(seed.groupVersion, seed.resource, seed.namespace ?? "", seed.object);
    } catch (error) {
      if (!(error instanceof StatusError) || error.reason !== "AlreadyExists") throw error;
    }
  }
}
