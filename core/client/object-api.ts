/** Implements the methods of an API over a transport. */
import type { Clock } from "../async.ts";
import type { Api, ApiList, WatchScope } from "../api.ts";
import { applyMediaType } from "../codec/negotiate.ts";
import { spell } from "../names.ts";
import { type ObjectApi, typedApis } from "../typed-api.ts";
import type { GroupVersion } from "../versions.ts";
import { follow } from "./follow.ts";
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
  async function list(
    version: GroupVersion,
    resource: string,
    namespace: string,
    query: Query | undefined,
    { signal, watchScope = "everything" }: { readonly signal?: AbortSignal; readonly watchScope?: WatchScope } = {},
  ): Promise<ApiList> {
    const isWhole = watchScope === "everything";
    const found: ApiList & { readonly items: ApiList["items"] | null } = await ask({
      method: "GET",
      url: path(version, resource, namespace) + queryText(query),
      watchScope,
      ...(isWhole ? {} : { accept: metadataType(transport.names(), true) }),
      ...(signal === undefined ? {} : { signal }),
    });
    const whole = { ...found, items: found.items ?? [] }; // an empty list of metadata is null
    return isWhole ? { ...whole, items: transport.itemsOf(whole, version, resource) } : whole;
  }
  async function* watch(
    version: GroupVersion,
    resource: string,
    namespace: string,
    query: Query,
    signal: AbortSignal,
    watchScope: WatchScope,
    synced: (() => void) | undefined,
  ) {
    const synchronized = transport.follows(version, resource);
    const accept = watchScope === "everything" ? {} : { accept: metadataType(transport.names(), false) };
    yield* follow(
      {
        list: (page) => list(version, resource, namespace, { ...query, ...page }, { signal, watchScope }),
        watch: (from) =>
          transport.watch({
            method: "GET",
            url: path(version, resource, namespace) + queryText({ ...query, ...from }),
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
  const api: ClientApi = {
    of: typedApis(() => api),
    get: (version, resource, namespace, name, { subresource } = {}) =>
      ask({ method: "GET", url: path(version, resource, namespace, name, subresource) }),
    list,
    create: (version, resource, namespace, object, options = {}) => {
      const { subresource = "", name = "" } = options;
      const url = path(version, resource, namespace, subresource === "" ? "" : name, subresource) + write(options);
      return ask({ method: "POST", url, body: versioned(version, object) });
    },
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
    watch: (version, resource, namespace, query, signal, watchScope = "everything", synced) =>
      watch(version, resource, namespace, query, signal, watchScope, synced),
  };
  /** Returns the type for an apply: that of the object if it has a kind, else the transport's. */
  async function typeOf(version: GroupVersion, resource: string, kind: string | undefined) {
    if (kind !== undefined) return { apiVersion: spell(transport.names(), version) };
    return await transport.typeOf(version, resource);
  }
  return api;
}
