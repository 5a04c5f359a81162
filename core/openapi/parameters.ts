/** Parameters of paths and queries, with their descriptions in OpenAPI documents. */
import { DeleteOptions } from "../meta/options.ts";
import { type Node, resolve, type StructNode } from "../schema.ts";

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly type: "boolean" | "integer" | "string";
  readonly description: string;
}

function query(type: Parameter["type"], descriptions: Readonly<Record<string, string>>): readonly Parameter[] {
  return Object.entries(descriptions).map(([name, description]) => ({ name, in: "query", type, description }));
}

export const pretty: readonly Parameter[] = query("string", {
  pretty: "Whether the reply is indented. Default: true for command-line tools and browsers, else false.",
});

/** Parameters of lists and of the deletion of collections. */
const selection: readonly Parameter[] = [
  ...query("string", {
    continue: "Token of the last chunk, to read the next one; all other parameters must be unchanged. " +
      "An expired token is rejected with 410 and a new one, which continues in the current state.",
    fieldSelector: "Only objects whose fields have these values: name=value or name!=value, separated by commas.",
    labelSelector:
      "Only objects whose labels match: key, !key, key=value, key!=value, key in (a,b) or key notin (a,b), separated by commas.",
    resourceVersion: "A version for the reply: a minimum or an exact one, as resourceVersionMatch says. " +
      "Absent means the newest, and 0 any version in the cache.",
    resourceVersionMatch: "The meaning of resourceVersion: Exact or NotOlderThan.",
  }),
  ...query("integer", {
    limit: "Largest number of objects in one reply. If there are more, metadata.continue is the token for the rest.",
    timeoutSeconds: "Seconds after which the request ends, even if the reply is incomplete.",
  }),
  ...query("boolean", {
    sendInitialEvents: "A watch begins with an ADDED event for each existing object and then, if bookmarks are allowed, " +
      "a BOOKMARK with an annotation for the end of these. Needs resourceVersionMatch=NotOlderThan.",
  }),
];

/** Parameters of reads that upstream publishes for custom resources. */
export const readParameters: readonly Parameter[] = selection.filter(({ name }) => name === "resourceVersion");

export const listParameters: readonly Parameter[] = [
  ...selection,
  ...query("boolean", {
    allowWatchBookmarks: "Allows BOOKMARK events, which contain only the resource version that the watch has reached.",
    watch: "Watch for changes instead of a list.",
  }),
];

const dryRun: readonly Parameter[] = query("string", { dryRun: DeleteOptions.fields["dryRun"]!.doc });

/** Parameters of create, update and patch. */
export const writeParameters: readonly Parameter[] = [
  ...dryRun,
  ...query("string", {
    fieldManager: "The field manager: at most 128 printable characters. It becomes the owner of the fields that the request sets. " +
      "Default: the first part of User-Agent. Required for an apply.",
    fieldValidation: "Handling of unknown and duplicate fields: Ignore drops them, Warn drops them and adds Warning headers, " +
      "Strict rejects the request. Warn by default.",
  }),
];
export const patchParameters: readonly Parameter[] = [
  ...writeParameters,
  ...query("boolean", {
    force: "An apply takes over fields that other managers own instead of failing with a conflict. Invalid for other patches.",
  }),
];

/** Parameters of a deletion: the fields of its body except preconditions. */
export const deleteParameters: readonly Parameter[] = Object.entries(DeleteOptions.fields)
  .filter(([name]) => name !== "preconditions")
  .map(([name, { node, doc }]) => ({ name, in: "query", type: parameterType(node), description: doc }));

/** Returns the fields of options in a query. */
export function optionParameters({ fields }: StructNode): readonly Parameter[] {
  return Object.entries(fields).map(([name, { node, doc }]) => ({ name, in: "query", type: parameterType(node), description: doc }));
}

function parameterType(node: Node): Parameter["type"] {
  const { tag } = resolve(node);
  return tag === "boolean" ? "boolean" : tag === "int64" || tag === "int32" ? "integer" : "string";
}

export const deleteCollectionParameters: readonly Parameter[] = [...selection, ...deleteParameters];

export const namespaceParameter: Parameter = {
  name: "namespace",
  in: "path",
  type: "string",
  description: "Namespace of the objects.",
};
export function nameParameter(kind: string): Parameter {
  return { name: "name", in: "path", type: "string", description: `Name of the ${kind}.` };
}
