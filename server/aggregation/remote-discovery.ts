/** Reads the discovery documents of other servers, which may be nonsense: what is not as it should be is an error. */
import type { APIGroupDiscoveryList } from "../../core/meta/discovery.ts";
import { bound } from "../../core/bound.ts";
import type { Json } from "../../core/json.ts";
import { plainJson } from "../../core/tree/plain-json.ts";

/** UTF-16 units of a discovery document of another server, or of its index of OpenAPI documents: it is read in one turn of the event loop. */
const remoteDiscoveryLengthMax = bound(4 * 1024 * 1024);
/** Nested lists and objects in it. */
const remoteDiscoveryDepthMax = bound(64);
/** Nested lists and objects in an OpenAPI document of another server: schemas are nested deeper. */
const remoteSpecDepthMax = bound(512);

/** Reads such a document. Throws an Error for one that is too long or nested too deep: it would take seconds. */
export function documentIn(text: string): Json {
  if (text.length > remoteDiscoveryLengthMax) throw new Error(`the document is longer than ${remoteDiscoveryLengthMax}`);
  return shallowIn(text, remoteDiscoveryDepthMax);
}

/** Reads an OpenAPI document. Throws an Error for one that is nested too deep. */
export function specIn(text: string): Json {
  return shallowIn(text, remoteSpecDepthMax);
}

function shallowIn(text: string, depthMax: number): Json {
  if (!isShallow(text, depthMax)) throw new Error(`the document has more than ${depthMax} nested parts`);
  return plainJson(text);
}

function isShallow(text: string, depthMax: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      // A text: to its quote, with characters after backslashes left out.
      for (at++; at < text.length && text.charCodeAt(at) !== 0x22; at++) if (text.charCodeAt(at) === 0x5c) at++;
    } else if (code === 0x5b || code === 0x7b) {
      if (++depth > depthMax) return false;
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
  return true;
}

type Group = NonNullable<APIGroupDiscoveryList["items"]>[number];
/** A resource, as aggregated discovery shows it. */
export type RemoteResource = NonNullable<NonNullable<Group["versions"]>[number]["resources"]>[number];
type Kind = { readonly group: string; readonly version: string; readonly kind: string };
type Fields = Readonly<Record<string, unknown>>;

/** The resources in an aggregated document (apidiscovery/v2), by `group/version`. Throws an Error for nonsense. */
export function aggregatedResources(text: string): ReadonlyMap<string, readonly RemoteResource[]> {
  return new Map(
    listOf(fieldsOf(documentIn(text))["items"]).map(fieldsOf).flatMap(({ metadata, versions }) => {
      const group = optionalText(fieldsOf(metadata ?? {})["name"]);
      return listOf(versions).map(fieldsOf).map(({ version, resources }) =>
        [`${group}/${textOf(version)}`, listOf(resources).map(fieldsOf).map(resourceOf)] as const
      );
    }),
  );
}

/** The resources in the document of one version (APIResourceList). Throws an Error for nonsense. */
export function listedResources(text: string): readonly RemoteResource[] {
  const all = listOf(fieldsOf(documentIn(text))["resources"]).map(fieldsOf);
  const isPart = ({ name }: Fields) => textOf(name).includes("/"), resourceIn = (name: string) => name.slice(0, name.indexOf("/"));
  const parts = Map.groupBy(all.filter(isPart), ({ name }) => resourceIn(textOf(name)));
  return all.filter((each) => !isPart(each)).map((resource) => {
    const name = textOf(resource["name"]);
    const subresources = (parts.get(name) ?? []).map((each) => ({
      subresource: textOf(each["name"]).slice(name.length + 1),
      responseKind: kindOf(each),
      verbs: textsOf(each["verbs"]),
    }));
    return {
      resource: name,
      responseKind: kindOf(resource),
      scope: resource["namespaced"] === true ? "Namespaced" : "Cluster",
      singularResource: optionalText(resource["singularName"]),
      verbs: textsOf(resource["verbs"]),
      ...namesOf(resource),
      ...(subresources.length === 0 ? {} : { subresources }),
    };
  });
}

function resourceOf(fields: Fields): RemoteResource {
  const { resource, responseKind, scope, singularResource, verbs, subresources } = fields;
  if (scope !== "Cluster" && scope !== "Namespaced") throw new Error("a scope is neither Cluster nor Namespaced");
  const parts = listOf(subresources).map(fieldsOf).map((part) => ({
    subresource: textOf(part["subresource"]),
    responseKind: kindOf(fieldsOf(part["responseKind"] ?? {})),
    ...(part["acceptedTypes"] === undefined ? {} : { acceptedTypes: listOf(part["acceptedTypes"]).map(fieldsOf).map(kindOf) }),
    verbs: textsOf(part["verbs"]),
  }));
  return {
    resource: textOf(resource),
    // Some clients cannot read an entry without it.
    responseKind: kindOf(fieldsOf(responseKind ?? {})),
    scope,
    singularResource: optionalText(singularResource),
    verbs: textsOf(verbs),
    ...namesOf(fields),
    ...(parts.length === 0 ? {} : { subresources: parts }),
  };
}

function namesOf({ shortNames, categories }: Fields) {
  return {
    ...(shortNames === undefined ? {} : { shortNames: textsOf(shortNames) }),
    ...(categories === undefined ? {} : { categories: textsOf(categories) }),
  };
}

function kindOf({ group, version, kind }: Fields): Kind {
  return { group: optionalText(group), version: optionalText(version), kind: optionalText(kind) };
}

function fieldsOf(value: unknown): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("a part of the document is no object");
  return value as Fields; // an object of JSON
}
/** The items of a list; none if it is absent. */
function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new Error("a part of the document is no list");
  return value;
}
function textsOf(value: unknown): readonly string[] {
  return listOf(value).map(textOf);
}
function textOf(value: unknown): string {
  if (typeof value !== "string" || value === "") throw new Error("a part of the document is no text");
  return value;
}
function optionalText(value: unknown): string {
  return value === undefined || value === null || value === "" ? "" : textOf(value);
}
