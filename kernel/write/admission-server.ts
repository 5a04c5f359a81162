/** `RequestHookContext.server`: reads and writes of admission steps that do not end with the request, and their state. */
import { limits } from "../../core/limits.ts";
import { spell } from "../../core/names.ts";
import type { AdmissionServer } from "../../core/access.ts";
import { notFoundError } from "../../core/status-error.ts";
import type { JsonObject } from "../../core/json.ts";
import { plainJson } from "../../core/tree/plain-json.ts";
import { splitGroupVersion } from "../../core/versions.ts";
import type { Catalog, Endpoint } from "../catalog/catalog.ts";
import { keyOf } from "../objects/objects.ts";
import { DerivedValues } from "./derived-values.ts";
import { collectionOf } from "../reads/reads.ts";
import type { ListOptions } from "../request/options.ts";
import type { Backend, RequestContext } from "../request-context.ts";

/** Values made of collections, by server. */
const derivedValues = new WeakMap<Backend, DerivedValues>();
/** The states of steps, by server. */
const states = new WeakMap<Backend, Map<object, unknown>>();

/** A list without selectors. */
export const everything: ListOptions = Object.freeze({
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
const ofAnyAge: ListOptions = Object.freeze({ ...everything, resourceVersion: "0" });

/** The endpoint of a resource in a group version, which may contain `{domain}`; undefined if it is not served. */
export function servedEndpoint(catalog: Catalog, groupVersion: string, resource: string): Endpoint | undefined {
  const { group, version } = splitGroupVersion(spell(catalog.names, groupVersion));
  return catalog.endpoint(group, version, resource);
}

export function admissionServer(call: RequestContext): AdmissionServer {
  const { backend, catalog, deadline: deadlineOfRequest } = call;
  const listOf = async (endpoint: Endpoint, namespace: string, options: ListOptions) => {
    const collection = collectionOf(backend.prefix, endpoint, namespace, "");
    const { items } = await backend.reads.list(collection, options, catalog.names, deadline());
    return [...items].map(({ object }) => endpoint.fromStored(object));
  };
  return {
    recent(groupVersion, resource, namespace) {
      const endpoint = servedEndpoint(catalog, groupVersion, resource);
      if (endpoint === undefined) return [];
      const known = backend.reads.inMemory(collectionOf(backend.prefix, endpoint, namespace, ""));
      if (known === undefined) return listOf(endpoint, namespace, ofAnyAge);
      return known.length === 0 ? [] : known.map(({ object }) => endpoint.fromStored(object));
    },
    derived(key, collections, make) {
      let values = derivedValues.get(backend);
      if (values === undefined) derivedValues.set(backend, values = new DerivedValues(backend));
      return values.of(key, catalog, collections, make, {
        endpointOf: ({ groupVersion, resource }) => servedEndpoint(catalog, groupVersion, resource),
        list: async (collection) => (await backend.reads.list(collection, ofAnyAge, catalog.names, deadline())).items,
      });
    },
    async recentObject(groupVersion, resource, namespace, name) {
      const endpoint = servedEndpoint(catalog, groupVersion, resource);
      if (endpoint === undefined) return undefined;
      const key = keyOf(backend.prefix, endpoint.stored, namespace, name);
      const { item } = await backend.reads.live(endpoint.stored, key, call.deadline);
      return item === undefined ? undefined : endpoint.fromStored(item.object);
    },
    resourceOfKind(groupVersion, kind) {
      const { group, version } = splitGroupVersion(spell(catalog.names, groupVersion));
      const endpoint = catalog.version(group, version)?.endpoints.find((each) => each.kind === kind && each.stored.under !== "");
      return endpoint === undefined ? undefined : { resource: endpoint.plural, namespaced: endpoint.namespaced };
    },
    json(groupVersion, resource, object) {
      const endpoint = servedEndpoint(catalog, groupVersion, resource)!; // the object was read from it
      return plainJson(endpoint.encode(object)) as JsonObject; // we have written an object
    },
    async newest(groupVersion, resource, namespace) {
      const endpoint = servedEndpoint(catalog, groupVersion, resource);
      return endpoint === undefined ? [] : await listOf(endpoint, namespace, everything);
    },
    async updateStatus(groupVersion, resource, object) {
      const endpoint = servedEndpoint(catalog, groupVersion, resource), { name = "" } = object.metadata;
      if (endpoint === undefined) throw notFoundError({ group: splitGroupVersion(groupVersion).group, name: resource }, name);
      return await call.writeStatus(call, endpoint, object, deadline());
    },
    async callWebhook(webhookCall) {
      if (backend.callWebhook === undefined) {
        return { tag: "failed", message: "the server calls no webhooks", code: 503, isRequestOver: false };
      }
      return await backend.callWebhook(webhookCall, deadlineOfRequest.signal);
    },
    stateOf<S>(key: object, make: () => S): S {
      const kept = states.get(backend) ?? new Map<object, unknown>();
      states.set(backend, kept);
      if (!kept.has(key)) kept.set(key, make());
      return kept.get(key) as S; // made by the same step
    },
  };
}

function deadline(): AbortSignal {
  return AbortSignal.timeout(limits.admissionCallMs);
}
