/** Implements the methods of an API over a transport. */
import type { Clock } from "../async.ts";
import type { Api, ApiList, WatchScope } from "../api.ts";
import { applyMediaType } from "../codec/negotiate.ts";
import { spell } from "../names.ts";
import { type ObjectApi, typedApis } from "../typed-api.ts";
import type { GroupVersion } from "../versions.ts";
import { createEachBy } from "./create-each.ts";
import { type Change, follow } from "./follow.ts";
import { metadataType, patchDocument, pathOf, type Query, queryText, writeQuery } from "./paths.ts";
import type { ApiTransport } from "./transport.ts";

/** The methods of an API that work with objects. */
export type ClientApi = ObjectApi & Pick<Api, "of">;

/** Makes the API of the server that the transport reaches. `clock` measures the pauses after failed watches. */
export function objectApi(transport: ApiTransport, clock?: Clock): ClientApi {
  const { ask, fieldManager } = transport;
  const path = (version: GroupVersion, resource: string, namespace: string, name?: string, subresource?: string) =>
    pathOf(transport.names(), version, resource, namespace, name, subresource);
  const write = (options: Parameters<typeof writeQuery>[1], more?: Query) => writeQuery(fieldManager, options, more);
  /** If an object has a kind but no version, it gets the version of its path. */
  const versioned = (version: GroupVersion, object: unknown): unknown => {
    const { kind, apiVersion } = (object ?? {}) as { readonly kind?: unknown; readonly apiVersion?: unknown };
    return kind === undefined || apiVersion !== undefined ? object : { apiVersion: spell(transport.names(), version), ...object as object };
  };
  /** The type for an apply: that of the object if it has a kind, else the transport's. */
  const typeOf = async (version: GroupVersion, resource: string, kind: string | undefined) =>
    kind !== undefined ? { apiVersion: spell(transport.names(), version) } : await transport.typeOf(version, resource);
  const api: ClientApi = {
    of: typedApis(() => api),
    get: (version, resource, namespace, name, { subresource } = {}) =>
      ask({ method: "GET", url: path(version, resource, namespace, name, subresource) }),
    list: (version, resource, namespace, query) => listObjects(transport, { version, resource, namespace }, query),
    create: (version, resource, namespace, object, options = {}) => {
      const { subresource = "", name = "" } = options;
      const url = path(version, resource, namespace, subresource === "" ? "" : name, subresource) + write(options);
      return ask({ method: "POST", url, body: versioned(version, object) });
    },
    createEach: createEachBy(() => api.create),
    update: (version, resource, namespace, name, object, options = {}) => {
      const url = path(version, resource, namespace, name, options.subresource) + write(options);
      return ask({ method: "PUT", url, body: versioned(version, object) });
    },
    patch: (version, resource, namespace, name, patch, options = {}) => {
      const url = path(version, resource, namespace, name, options.subresource) + write(options);
      return ask({ method: "PATCH", url, ...patchDocument(patch) });
    },
    async apply(version, resource, namespace, name, object, options = {}) {
      const { subresource, force = true } = options;
      const url = path(version, resource, namespace, name, subresource) + write(options, force ? { force: "true" } : {});
      // `as`: the server rejects invalid metadata, as for any client.
      const { metadata = {}, kind, apiVersion } = object as {
        readonly metadata?: object;
        readonly kind?: string;
        readonly apiVersion?: string;
      };
      const type = kind !== undefined && apiVersion !== undefined ? {} : await typeOf(version, resource, kind);
      return await ask({
        method: "PATCH",
        url,
        body: { ...type, ...object, metadata: { name, ...metadata } },
        contentType: applyMediaType,
      });
    },
    delete: (version, resource, namespace, name, options) =>
      ask({ method: "DELETE", url: path(version, resource, namespace, name), ...(options === undefined ? {} : { body: options }) }),
    deleteCollection: (version, resource, namespace, query) =>
      ask({ method: "DELETE", url: path(version, resource, namespace) + queryText(query) }),
    watch: (version, resource, namespace, query, signal, watchScope, synced) =>
      watchObjects(transport, { version, resource, namespace }, query, { signal, watchScope, synced, clock }),
  };
  return api;
}

/** The objects of one resource, in one namespace or in all (an empty string). */
interface Collection {
  readonly version: GroupVersion;
  readonly resource: string;
  readonly namespace: string;
}

async function listObjects(
  transport: ApiTransport,
  { version, resource, namespace }: Collection,
  query: Query | undefined,
  { signal, watchScope = "everything" }: { readonly signal?: AbortSignal; readonly watchScope?: WatchScope } = {},
): Promise<ApiList> {
  const isWhole = watchScope === "everything";
  const found: ApiList & { readonly items: ApiList["items"] | null } = await transport.ask({
    method: "GET",
    url: pathOf(transport.names(), version, resource, namespace) + queryText(query),
    watchScope,
    ...(isWhole ? {} : { accept: metadataType(transport.names(), true) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const whole = { ...found, items: found.items ?? [] }; // an empty list of metadata is null
  return isWhole ? { ...whole, items: transport.itemsOf(whole, version, resource) } : whole;
}

interface WatchNeeds {
  readonly signal: AbortSignal;
  readonly watchScope: WatchScope | undefined;
  /** Called when the listed objects have been yielded. */
  readonly synced: (() => void) | undefined;
  readonly clock: Clock | undefined;
}

async function* watchObjects(
  transport: ApiTransport,
  collection: Collection,
  query: Query,
  { signal, watchScope = "everything", synced, clock }: WatchNeeds,
): AsyncGenerator<Change> {
  const { version, resource, namespace } = collection;
  const synchronized = transport.follows(version, resource);
  const accept = watchScope === "everything" ? {} : { accept: metadataType(transport.names(), false) };
  yield* follow(
    {
      list: (page) => listObjects(transport, collection, { ...query, ...page }, { signal, watchScope }),
      watch: (from) =>
        transport.watch({
          method: "GET",
          url: pathOf(transport.names(), version, resource, namespace) + queryText({ ...query, ...from }),
          watchScope,
          signal,
          ...accept,
        }),
      synchronized() {
        synchronized();
        synced?.();
      },
    },
    transport.following,
    signal,
    clock,
  );
}
