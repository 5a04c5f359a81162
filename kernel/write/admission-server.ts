/**
 * `RequestHookContext.server`: reads and writes that admission steps start and that may continue after the request, and state that steps
 * keep.
 */
import { spell } from "../../core/names.ts";
import type { AdmissionServer, NamedCollection, WebhookCall, WebhookOutcome } from "../../core/access.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { notFoundError } from "../../core/status-error.ts";
import type { JsonObject } from "../../core/json.ts";
import { plainJson } from "../../core/tree/plain-json.ts";
import { splitGroupVersion } from "../../core/versions.ts";
import type { Catalog, Endpoint } from "../catalog/catalog.ts";
import { keyOf } from "../objects/objects.ts";
import { type CollectionReader, DerivedValues } from "./derived-values.ts";
import { collectionOf } from "../reads/reads.ts";
import type { ListOptions } from "../request/options.ts";
import type { Backend, RequestContext } from "../request-context.ts";
import { admissionCallMs } from "../../core/access.ts";

/** The key under which the server keeps the values that are made from collections. */
const derivedValues = Object.freeze({});

/** The options of a list without selectors. */
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

/** Reads collections for `DerivedValues`. */
const collectionReader: CollectionReader = {
  endpointOf: (catalog, { groupVersion, resource }) => servedEndpoint(catalog, groupVersion, resource),
  list: async ({ reads }, catalog, collection) => (await reads.list(collection, ofAnyAge, catalog.names, admissionDeadline())).items,
};

/** Returns the value that the server keeps for the key. `make` makes it at the first call. */
function keptBy<T>({ kept }: Backend, key: object, make: () => T): T {
  if (!kept.has(key)) kept.set(key, make());
  return kept.get(key) as T; // the owner of the key has made it
}

export function admissionServer(call: RequestContext): AdmissionServer {
  return new ServerOfCall(call);
}

class ServerOfCall implements AdmissionServer {
  readonly clock: AdmissionServer["clock"];
  readonly #call: RequestContext;

  constructor(call: RequestContext) {
    this.#call = call;
    this.clock = call.backend.clock;
  }
  recent(groupVersion: string, resource: string, namespace: string): readonly ApiObject[] | Promise<readonly ApiObject[]> {
    const { backend } = this.#call, endpoint = this.#endpoint(groupVersion, resource);
    if (endpoint === undefined) return [];
    const known = backend.reads.inMemory(collectionOf(backend.prefix, endpoint, namespace, ""));
    if (known === undefined) return this.#list(endpoint, namespace, ofAnyAge);
    return known.length === 0 ? [] : known.map(({ kept }) => endpoint.fromStored(kept));
  }
  derived<T>(
    key: object,
    collections: readonly NamedCollection[],
    make: (lists: readonly (readonly ApiObject[])[]) => T,
  ): T | Promise<T> {
    const { backend, catalog } = this.#call;
    return keptBy(backend, derivedValues, () => new DerivedValues(backend, collectionReader)).of(key, catalog, collections, make);
  }
  async recentObject(groupVersion: string, resource: string, namespace: string, name: string): Promise<ApiObject | undefined> {
    const { backend, deadline } = this.#call, endpoint = this.#endpoint(groupVersion, resource);
    if (endpoint === undefined) return undefined;
    const key = keyOf(backend.prefix, endpoint.stored, namespace, name);
    const { item } = await backend.reads.live(endpoint.stored, key, deadline);
    return item === undefined ? undefined : endpoint.fromStored(item.kept);
  }
  resourceOfKind(groupVersion: string, kind: string): { readonly resource: string; readonly namespaced: boolean } | undefined {
    const { catalog } = this.#call, { group, version } = splitGroupVersion(spell(catalog.names, groupVersion));
    const endpoint = catalog.version(group, version)?.endpoints.find((each) => each.kind === kind && each.stored.under !== "");
    return endpoint === undefined ? undefined : { resource: endpoint.plural, namespaced: endpoint.namespaced };
  }
  json(groupVersion: string, resource: string, object: ApiObject): JsonObject {
    const endpoint = this.#endpoint(groupVersion, resource)!; // the object was read from this endpoint
    return plainJson(endpoint.encode(object)) as JsonObject; // this is the text of an object
  }
  async newest(groupVersion: string, resource: string, namespace: string): Promise<readonly ApiObject[]> {
    const endpoint = this.#endpoint(groupVersion, resource);
    return endpoint === undefined ? [] : await this.#list(endpoint, namespace, everything);
  }
  async updateStatus(groupVersion: string, resource: string, object: ApiObject): Promise<ApiObject> {
    const endpoint = this.#endpoint(groupVersion, resource), { name = "" } = object.metadata;
    if (endpoint === undefined) throw notFoundError({ group: splitGroupVersion(groupVersion).group, name: resource }, name);
    return await this.#call.writeStatus(this.#call, endpoint, object, admissionDeadline());
  }
  async callWebhook(webhookCall: WebhookCall): Promise<WebhookOutcome> {
    const { backend, deadline } = this.#call;
    if (backend.callWebhook === undefined) {
      return { tag: "failed", message: "the server calls no webhooks", code: 503, isRequestOver: false };
    }
    return await backend.callWebhook(webhookCall, deadline.signal);
  }
  stateOf<S>(key: object, make: () => S): S {
    return keptBy(this.#call.backend, key, make);
  }
  failed(name: string, error: unknown): void {
    this.#call.report(error, name);
  }

  #endpoint(groupVersion: string, resource: string): Endpoint | undefined {
    return servedEndpoint(this.#call.catalog, groupVersion, resource);
  }
  async #list(endpoint: Endpoint, namespace: string, options: ListOptions): Promise<readonly ApiObject[]> {
    const { backend, catalog } = this.#call, collection = collectionOf(backend.prefix, endpoint, namespace, "");
    const { items } = await backend.reads.list(collection, options, catalog.names, admissionDeadline());
    return [...items].map(({ object }) => endpoint.fromStored(object));
  }
}

function admissionDeadline(): AbortSignal {
  return AbortSignal.timeout(admissionCallMs);
}
