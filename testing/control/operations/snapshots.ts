/** Operations on the states of a server. */
import type { RestoreOptions } from "../../running-server.ts";
import { operation } from "../operation.ts";
import { anyText, identity, nothing, object, text, whole } from "../schemas.ts";

/** Snapshots. */
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
];
