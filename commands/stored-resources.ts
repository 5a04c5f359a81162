/** The configuration with the resources that appear while a server runs, such as custom resources, from the objects in a store. */
import type { Api } from "../core/api.ts";
import { spell } from "../core/names.ts";
import { typedApis } from "../core/typed-api.ts";
import { splitGroupVersion } from "../core/versions.ts";
import { isServed } from "../server/background/controllers.ts";
import { pagesOf } from "../kernel/cache/fill/pages.ts";
import type { Catalog } from "../kernel/catalog/catalog.ts";
import { type ActiveConfig, withAppeared } from "../server/config/active-config.ts";
import { decodeStored, keysOf } from "../kernel/objects/objects.ts";
import type { Store } from "../kernel/store/store.ts";

/** Reads the sources of all plugins once. Objects that cannot be decoded are left out. */
export async function withStoredResources(store: Pick<Store, "list">, prefix: string, active: ActiveConfig): Promise<ActiveConfig> {
  let next = active;
  for (const { name, resourceSource } of active.catalog.plugins) {
    if (resourceSource === undefined || !(resourceSource.needs ?? []).every((need) => isServed(active.catalog, need))) continue;
    const ending = new AbortController();
    const api = storedObjects(store, prefix, active.catalog);
    for await (const descriptions of resourceSource.follow({ names: active.catalog.names, api }, ending.signal)) {
      next = withAppeared(next, name, descriptions);
      ending.abort();
      break;
    }
  }
  return next;
}

/** Returns an API for a resource source, which can only watch: a watch has the stored objects, and no changes. */
function storedObjects(store: Pick<Store, "list">, prefix: string, { names, stored }: Catalog): Api {
  async function* watch(...[groupVersion, resource, , , signal, , synced]: Parameters<Api["watch"]>): ReturnType<Api["watch"]> {
    const { group } = splitGroupVersion(spell(names, groupVersion));
    const kind = stored.find((each) => each.group === group && each.plural === resource);
    if (kind === undefined || kind.apiVersion !== spell(names, groupVersion)) {
      throw new Error(`the store has no objects of ${resource} in ${groupVersion}`);
    }
    for await (const page of pagesOf(store, keysOf(prefix, kind, ""), undefined, signal)) {
      for (const { key, value } of page) {
        try {
          yield { type: "ADDED", object: decodeStored(kind, key, value) };
        } catch {
          // The check of the store reports it.
        }
      }
    }
    synced?.();
    await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true })).catch(() => {});
  }
  const missing = () => Promise.reject(new Error("there is no server: a source can only watch"));
  const api: Api = {
    of: typedApis(() => api),
    watch,
    get: missing,
    list: missing,
    create: missing,
    createEach: missing,
    update: missing,
    patch: missing,
    apply: missing,
    delete: missing,
    deleteCollection: missing,
    collections: () => [],
    async *followCollections() {},
  };
  return api;
}
