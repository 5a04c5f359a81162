/** Makes paths, queries and documents of requests. */
import type { ApiPatch, ApiWriteOptions } from "../api.ts";
import { type Names, spell } from "../names.ts";
import type { GroupVersion } from "../versions.ts";

/** Parameters of a query. */
export type Query = Readonly<Record<string, string>>;

/** Returns the path of a collection, of an object, or of its subresource. */
export function pathOf(names: Names, version: GroupVersion, resource: string, namespace: string, name = "", subresource = ""): string {
  const parts = [
    versionPath(names, version),
    ...(namespace === "" ? [] : ["namespaces", encodeURIComponent(namespace)]),
    resource,
    ...[name, subresource].filter((part) => part !== "").map(encodeURIComponent),
  ];
  return parts.join("/");
}

/** Returns the path of a group version. */
export function versionPath(names: Names, version: GroupVersion): string {
  const spelled = spell(names, version);
  return spelled.includes("/") ? `/apis/${spelled}` : `/api/${spelled}`;
}

/** Returns a query with its question mark; "" if there are no parameters. */
export function queryText(query: Query = {}): string {
  const text = new URLSearchParams(query).toString();
  return text === "" ? "" : `?${text}`;
}

/** Returns the query of a write. It names the manager, because the server would otherwise use the user agent up to the first slash. */
export function writeQuery(manager: string, options: ApiWriteOptions, more: Query = {}): string {
  const { dryRun = false, fieldValidation, fieldManager = manager } = options;
  return queryText({
    fieldManager,
    ...(dryRun ? { dryRun: "All" } : {}),
    ...(fieldValidation === undefined ? {} : { fieldValidation }),
    ...more,
  });
}

/** Returns the media type and the body of a patch. */
export function patchDocument(patch: ApiPatch): { readonly contentType: string; readonly body: unknown } {
  if ("json" in patch) return { contentType: "application/json-patch+json", body: patch.json };
  if ("merge" in patch) return { contentType: "application/merge-patch+json", body: patch.merge };
  return { contentType: "application/strategic-merge-patch+json", body: patch.strategic };
}

/** Returns the media type of the metadata of an object, or of a list. */
export function metadataType({ domain }: Names, isList: boolean): string {
  return `application/json;as=PartialObjectMetadata${isList ? "List" : ""};g=meta.${domain};v=v1`;
}
