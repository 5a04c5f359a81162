/** Steps of plugins in every write: what they change before an object is prepared, and what they refuse after validation. */
import type { Admission, ApiObject, Reader } from "../../core/plugin.ts";
import { spell } from "../../core/names.ts";
import { badRequestError, forbiddenError } from "../../core/status-error.ts";
import { at, type Call } from "../call.ts";
import { type Endpoint, splitGroupVersion } from "../catalog.ts";
import { type Item, keyOf } from "../objects.ts";
import type { ListOptions } from "../options.ts";
import { collectionOf } from "../reads.ts";
import { readsOf } from "../reads-of.ts";

/** The object with what the steps make of it, in the order of plugins. */
export async function mutated(call: Call, object: ApiObject, prior: ApiObject | undefined): Promise<ApiObject> {
  let next = object;
  for (const { mutate } of stepsOf(call)) next = await mutate?.(next, prior, at(call), readerOf(call)) ?? next;
  return next;
}

/** 403 with the reason of the first step that refuses the write; then the steps do what they do outside of the object. */
export async function approve(call: Call, next: ApiObject, prior: ApiObject | undefined): Promise<void> {
  const steps = stepsOf(call);
  for (const { refuse } of steps) {
    const reason = await refuse?.(next, prior, at(call), readerOf(call));
    if (reason !== undefined) {
      throw forbiddenError({ group: call.endpoint.group, name: call.endpoint.plural }, next.metadata.name ?? "", reason);
    }
  }
  await takeEffect(call, steps, next, prior);
}

/** A dry run has no effects; 400 when a step does not say that it can do without. */
async function takeEffect(call: Call, steps: readonly Admission[], next: ApiObject, prior: ApiObject | undefined): Promise<void> {
  if (call.info.query.first("dryRun") === "") {
    for (const { effect } of steps) await effect?.(next, prior, at(call));
    return;
  }
  const unsafe = steps.find(({ effect, dryRun }) => effect !== undefined && dryRun === undefined);
  if (unsafe !== undefined) throw badRequestError(`admission step "${unsafe.name}" does not support dry run`);
}

function stepsOf({ catalog, endpoint }: Call): readonly Admission[] {
  return catalog.plugins.flatMap(({ admission = [] }) => admission.filter(({ resources }) => resources.includes(endpoint.resource)));
}

/** Objects as stored, of kinds that are served; a kind that is not has none. */
function readerOf({ catalog, backend, signal }: Call): Reader {
  const endpointOf = (groupVersion: string, resource: string): Endpoint | undefined => {
    const { group, version } = splitGroupVersion(spell(catalog.names, groupVersion));
    return catalog.endpoint(group, version, resource);
  };
  const objectOf = (endpoint: Endpoint, item: Item): ApiObject => endpoint.fromStored(item.object);
  return {
    async get(groupVersion, resource, namespace, name) {
      const endpoint = endpointOf(groupVersion, resource);
      if (endpoint === undefined) return undefined;
      const item = await readsOf(backend).get(endpoint.stored, keyOf(backend.prefix, endpoint.stored, namespace, name), "", signal);
      return item === undefined ? undefined : objectOf(endpoint, item);
    },
    async list(groupVersion, resource, namespace) {
      const endpoint = endpointOf(groupVersion, resource);
      if (endpoint === undefined) return [];
      const collection = collectionOf(backend.prefix, endpoint, namespace, "");
      const { items } = await readsOf(backend).list(collection, everything, catalog.names, signal);
      return [...items].map((item) => objectOf(endpoint, item));
    },
  };
}

const everything: ListOptions = Object.freeze({
  labels: [],
  fields: [],
  watch: false,
  allowWatchBookmarks: false,
  resourceVersion: "",
  resourceVersionMatch: "",
  sendInitialEvents: undefined,
  limit: 0,
  continue: "",
  timeoutSeconds: undefined,
});
