/** Objects that exist after start. */
import type { Api, Plugin } from "../core/plugin.ts";
import { StatusError } from "../core/status-error.ts";

/** Creates every seed that is absent, in order; another replica may be doing the same. */
export async function plantSeeds(plugins: readonly Plugin[], api: Api): Promise<void> {
  for (const seed of plugins.flatMap((plugin) => plugin.seeds ?? [])) {
    try {
      await api.create(seed.groupVersion, seed.resource, seed.namespace ?? "", seed.object);
    } catch (error) {
      if (!(error instanceof StatusError) || error.reason !== "AlreadyExists") throw error;
    }
  }
}
