/** Operations on the states of a server. */
import { bound } from "../../../core/bound.ts";
import type { StructuralSchema } from "../../../core/structural-schema.ts";
import type { GroupVersion } from "../../../core/versions.ts";
import type { RestoreOptions } from "../../running-server.ts";
import type { DumpOptions } from "../../state/dump.ts";
import type { StateFilter } from "../../state/state-objects.ts";
import type { Unsteady } from "../../state/steady-form.ts";
import { checkedLater, invalidRequest, operation } from "../operation.ts";
import { anyText, anything, identity, integer, listOf, nothing, object, text, whole } from "../schemas.ts";

/** Bytes of a request with a dump. */
const dumpBytesMax = bound(64 * 1024 * 1024);
/** Kinds or namespaces of a filter. */
const namesMax = 1_000;

const unsteady: readonly Unsteady[] = ["times", "random", "revisions", "managedFields"];
/** The objects of a dump or of a difference. */
const filter: Readonly<Record<string, StructuralSchema>> = {
  kinds: listOf(text("A kind, or a plural with or without its group."), "Default: all but Leases and Events.", { maxItems: namesMax }),
  namespaces: listOf(text("A namespace."), "An empty one is that of objects without a namespace. Default: all.", { maxItems: namesMax }),
  bootstrap: { type: "boolean", description: "Whether objects are included that every server has. Default: no." },
};

/** The members of a body that name a resource. */
const ofResource: Readonly<Record<string, StructuralSchema>> = {
  groupVersion: text("The group version, such as `apps/v1`.", { minLength: 1 }),
  resource: text("The plural, such as `deployments`.", { minLength: 1 }),
};

interface NamedResource {
  readonly groupVersion: GroupVersion;
  readonly resource: string;
  readonly namespace?: string;
}

/** Snapshots, dumps, differences, history and earlier states. */
export const snapshotOperations = [
  operation({
    name: "takeSnapshot",
    method: "POST",
    path: "snapshots",
    summary: "Keeps the state of this moment. It costs next to nothing.",
    code: 201,
    answer: whole({ id: identity.properties!["id"]!, revision: anyText("The newest revision of the state.") }),
    run({ server, snapshots }) {
      snapshots.checkRoom();
      const snapshot = server.snapshot();
      return { id: snapshots.add(snapshot), revision: String(snapshot.revision) };
    },
  }),
  operation<RestoreOptions>({
    name: "restoreSnapshot",
    method: "POST",
    path: "snapshots/{id}/restore",
    summary: "Goes back to the state of a snapshot. Answers when reads, rights and kinds are those of it.",
    body: object({
      watches: text(
        "`events` (default): watches go on, and get the differences as events. `end`: they end with 410, and revisions, history and the time of a manual clock are those of the snapshot.",
        { enum: ["events", "end"] },
      ),
    }),
    answer: nothing,
    async run({ server, snapshots }, { id, body }) {
      await server.restore(snapshots.get(id), body);
      return {};
    },
  }),
  operation({
    name: "dropSnapshot",
    method: "DELETE",
    path: "snapshots/{id}",
    summary: "Keeps a snapshot no longer.",
    answer: nothing,
    run({ snapshots }, { id }) {
      snapshots.take(id);
      return {};
    },
  }),
  operation<DumpOptions>({
    name: "dump",
    method: "POST",
    path: "dump",
    summary: "Returns the objects as YAML, sorted and without what differs from run to run. The text can be loaded.",
    body: object({
      ...filter,
      keep: listOf({ type: "string", enum: unsteady }, "What stays although it differs from run to run.", { maxItems: unsteady.length }),
    }),
    answer: "yaml",
    run: ({ server }, { body }) => server.dump(body),
  }),
  operation<StateFilter & { readonly before?: string; readonly beforeDump?: string; readonly after?: string }>({
    name: "diff",
    method: "POST",
    path: "diff",
    summary: "Says what differs between two states: a line for each object that was created, changed or deleted, with its fields.",
    body: object({
      ...filter,
      before: text("The name of a snapshot. Either this or `beforeDump`."),
      beforeDump: { type: "string", description: "The text of a dump." },
      after: text("The name of another snapshot. Default: the state now."),
    }),
    bodyBytesMax: dumpBytesMax,
    answer: whole({ difference: anyText("The lines; empty if nothing differs.") }),
    async run({ server, snapshots }, { body: { before, beforeDump, after, ...rest } }) {
      if ((before === undefined) === (beforeDump === undefined)) {
        throw invalidRequest([{ type: "Required", path: "before", detail: "either before or beforeDump" }]);
      }
      const to = after === undefined ? undefined : snapshots.get(after);
      if (before !== undefined) return { difference: await server.diff(snapshots.get(before), to, rest) };
      return { difference: await checkedLater("beforeDump", () => server.diff(beforeDump!, to, rest)) };
    },
  }),
  operation<NamedResource & { readonly name: string }>({
    name: "readHistory",
    method: "POST",
    path: "history",
    summary: "Lists the versions of an object that the server still has, with what each write changed.",
    body: object({
      ...ofResource,
      namespace: text("The namespace. Absent for an object without one."),
      name: text("The name.", { minLength: 1 }),
    }, ["groupVersion", "resource", "name"]),
    answer: whole({
      versions: listOf(
        object({
          revision: integer("The revision of the write."),
          object: anything("The object as it is stored. Absent if it was deleted."),
          managers: listOf(anyText("A name."), "Who wrote it."),
          changes: listOf(anyText("A field: `spec.replicas: 1 -> 3`."), "What differs from the version before."),
        }, ["revision", "managers", "changes"]),
        "The oldest first.",
      ),
    }),
    run: async ({ server }, { body: { groupVersion, resource, namespace = "", name } }) => ({
      versions: await server.history(groupVersion, resource, namespace, name),
    }),
  }),
  operation<NamedResource & { readonly name?: string; readonly revision: string }>({
    name: "readEarlier",
    method: "POST",
    path: "earlier",
    summary: "Reads an object, or the objects of a resource, as they were at a revision that the server still has.",
    body: object({
      ...ofResource,
      namespace: text("The namespace. Absent for an object without one, and for the objects of all namespaces."),
      name: text("The name of one object, which is answered alone. Default: all.", { minLength: 1 }),
      revision: text("The resourceVersion of an object or of a list, or the revision of a snapshot.", { pattern: "^[1-9][0-9]{0,15}$" }),
    }, ["groupVersion", "resource", "revision"]),
    answer: whole({ items: listOf(anything("An object."), "In the order of their keys.") }),
    async run({ server }, { body: { groupVersion, resource, namespace = "", name, revision } }) {
      const earlier = server.at(revision);
      if (name !== undefined) return { items: [await earlier.get(groupVersion, resource, namespace, name)] };
      return { items: await earlier.list(groupVersion, resource, namespace) };
    },
  }),
];
