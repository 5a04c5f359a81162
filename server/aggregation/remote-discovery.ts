/** Reads the discovery documents of other servers, which may be nonsense: what is not as it should be is an error. */
import type { APIGroupDiscoveryList } from "../../core/meta/discovery.ts";
import { plainJson } from "../../core/tree/plain-json.ts";

type Group = NonNullable<APIGroupDiscoveryList["items"]>[number];
/** A resource, as aggregated discovery shows it. */
export type RemoteResource = NonNullable<NonNullable<Group["versions"]>[number]["resources"]>[number];
type Kind = { readonly group: string; readonly version: string; readonly kind: string };
type Fields = Readonly<Record<string, unknown>>;

/** The resources in an aggregated document (apidiscovery/v2), by `group/version`. Throws an Error for nonsense. */
export function aggregatedResources(text: string): ReadonlyMap<string, readonly RemoteResource[]> {
  return new Map(
    listOf(fieldsOf(plainJson(text))["items"]).map(fieldsOf).flatMap(({ metadata, versions }) => {
      const group = optionalText(fieldsOf(metadata ?? {})["name"]);
      return listOf(versions).map(fieldsOf).map(({ version, resources }) =>
        [`${group}/${textOf(version)}`, listOf(resources).map(fieldsOf).map(resourceOf)] as const
      );
    }),
  );
}

/** The resources in the document of one version (APIResourceList). Throws an Error for nonsense. */
export function listedResources(text: string): readonly RemoteResource[] {
  const all = listOf(fieldsOf(plainJson(text))["resources"]).map(fieldsOf);
  const whole = all.filter(({ name }) => !textOf(name).includes("/"));
  return whole.map((resource) => {
    const own = `${textOf(resource["name"])}/`;
    const subresources = all.filter(({ name }) => textOf(name).startsWith(own)).map((each) => ({
      subresource: textOf(each["name"]).slice(own.length),
      responseKind: kindOf(each),
      verbs: textsOf(each["verbs"]),
    }));
    return {
      resource: textOf(resource["name"]),
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
