/** The typed client of one resource (`Api.of`) on an API of any resource. */
import { pluralOf } from "./define/plural.ts";
import type { Api, ApiPatch, ApiResource, TypedApi, TypedChange, TypedList } from "./api.ts";
import { informerOf } from "./informer.ts";
import type { ApiObject } from "./meta/object-meta.ts";
import type { StructNode, Typed } from "./schema.ts";

/** The methods of an API that a typed client uses. */
export type ObjectApi = Omit<Api, "of" | "collections" | "followCollections" | "unknownVersions">;

/** Returns the method `of` of an API, which `api` returns: the API contains this method itself. */
export function typedApis(api: () => ObjectApi): Api["of"] {
  return <T extends ApiObject>(resource: ApiResource<T>, schema?: Typed<T, StructNode>): TypedApi<T> => typedApi(api(), resource, schema);
}

/** The casts are safe: the server answers with objects of the schema of the version. */
function typedApi<T extends ApiObject>(api: ObjectApi, resource: ApiResource<T>, schema: Typed<T, StructNode> | undefined): TypedApi<T> {
  const { kind, plural = pluralOf(kind) } = resource, version = versionOf(resource, schema);
  const list = async (namespace: string, query?: Readonly<Record<string, string>>) =>
    await api.list(version, plural, namespace, query) as TypedList<T>;
  const client: TypedApi<T> = {
    list,
    get: async (namespace, name) => await api.get(version, plural, namespace, name) as T,
    async *pages(namespace, limit, query) {
      for (let next: Readonly<Record<string, string>> = {};;) {
        const page = await list(namespace, { ...query, ...next, limit: `${limit}` });
        yield page;
        const { continue: token = "" } = page.metadata;
        if (token === "") return;
        next = { continue: token };
      }
    },
    // With the kind: custom resources of a kube-apiserver must have it.
    create: async (namespace, object, options) => await api.create(version, plural, namespace, { kind, ...object }, options) as T,
    update: async (namespace, name, object, options) =>
      await api.update(version, plural, namespace, name, { kind, ...object }, options) as T,
    patch: async (namespace, name, patch, options) => await api.patch(version, plural, namespace, name, patch as ApiPatch, options) as T,
    apply: async (namespace, name, object, options) =>
      await api.apply(version, plural, namespace, name, { kind, ...object as object }, options) as T,
    delete: (namespace, name, options) => api.delete(version, plural, namespace, name, options),
    deleteCollection: (namespace, query) => api.deleteCollection(version, plural, namespace, query),
    watch: (namespace, query, signal, synced) =>
      api.watch(version, plural, namespace, query, signal, "everything", synced) as AsyncIterable<TypedChange<T>>,
    informer: (namespace, query = {}) => informerOf((signal, synced) => client.watch(namespace, query, signal, synced)),
  };
  return client;
}

/** Returns the version that has the schema; without one `storedAs`. */
function versionOf({ kind, storedAs, served }: ApiResource<ApiObject>, schema: Typed<unknown, StructNode> | undefined): string {
  if (schema === undefined || served[storedAs]?.schema === schema) return storedAs;
  const found = Object.keys(served).find((version) => served[version]?.schema === schema);
  if (found === undefined) {
    throw new Error(`Cannot make a client of ${kind}: none of its versions (${Object.keys(served).join(", ")}) has the schema`);
  }
  return found;
}
