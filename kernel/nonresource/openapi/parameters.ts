/** Parameters of paths and queries, with the sentences that OpenAPI documents publish about them. */
import { DeleteOptions } from "../../../core/meta/options.ts";
import { type Node, resolve } from "../../../core/schema.ts";

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
  pretty: "Whether the answer is indented, for people to read. Without it, command-line fetchers and browsers get it so and others do not.",
});

/** What a list may be asked for, and a deletion of many alike. */
const selection: readonly Parameter[] = [
  ...query("string", {
    continue: "Token of the last chunk, to read the next one; every other parameter must be as before. " +
      "An expired token is refused with 410 and a new one, which goes on from there in what is stored now.",
    fieldSelector: "Only objects whose fields have these values: name=value or name!=value, separated by commas.",
    labelSelector:
      "Only objects whose labels match: key, !key, key=value, key!=value, key in (a,b) or key notin (a,b), separated by commas.",
    resourceVersion: "Version that the answer must not be older than, or that it must be at: resourceVersionMatch says which. " +
      "Absent means the newest, and 0 whatever is at hand.",
    resourceVersionMatch: "How resourceVersion is meant: Exact or NotOlderThan.",
  }),
  ...query("integer", {
    limit: "Largest number of objects in one answer. When there are more, metadata.continue is the token for the rest.",
    timeoutSeconds: "Seconds after which the request ends, however much was sent.",
  }),
  ...query("boolean", {
    sendInitialEvents: "A watch begins with an ADDED event for each object that there is, and then, if bookmarks are allowed, " +
      "a BOOKMARK annotated as the end of these. Needs resourceVersionMatch=NotOlderThan.",
  }),
];

export const listParameters: readonly Parameter[] = [
  ...selection,
  ...query("boolean", {
    allowWatchBookmarks: "A watch may send BOOKMARK events, which carry only the resource version that it has reached.",
    watch: "Report changes as they happen instead of answering with what there is.",
  }),
];

const dryRun: readonly Parameter[] = query("string", { dryRun: DeleteOptions.fields["dryRun"]!.doc });

/** Of create, update and patch. */
export const writeParameters: readonly Parameter[] = [
  ...dryRun,
  ...query("string", {
    fieldManager: "Name of who makes the change, at most 128 printable characters; the fields that it sets become this manager's. " +
      "By default the first part of User-Agent, but an apply must say it.",
    fieldValidation: "What happens to unknown and repeated fields: Ignore drops them, Warn drops them and says so in Warning headers, " +
      "Strict refuses the request. Warn by default.",
  }),
];
export const patchParameters: readonly Parameter[] = [
  ...writeParameters,
  ...query("boolean", {
    force: "An apply takes over fields that other managers own instead of failing with a conflict. No other patch may say it.",
  }),
];

/** Of a deletion: what its body may say as well, but for preconditions. */
export const deleteParameters: readonly Parameter[] = Object.entries(DeleteOptions.fields)
  .filter(([name]) => name !== "preconditions")
  .map(([name, { node, doc }]) => ({ name, in: "query", type: parameterType(node), description: doc }));

function parameterType(node: Node): Parameter["type"] {
  const { tag } = resolve(node);
  return tag === "boolean" ? "boolean" : tag === "int64" ? "integer" : "string";
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
