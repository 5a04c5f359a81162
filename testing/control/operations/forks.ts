/** Operations on the server as a whole: forks and loads. */
import { bound } from "../../../core/bound.ts";
import { omittedValue } from "../../../core/field-error.ts";
import type { ApiObject } from "../../../core/meta/object-meta.ts";
import type { StructuralSchema } from "../../../core/structural-schema.ts";
import type { ForkOptions } from "../../server.ts";
import { LoadError } from "../../state/load.ts";
import type { ControlledFork } from "../controlled.ts";
import { invalidRequest, operation } from "../operation.ts";
import { anyText, integer, listOf, nothing, object, text, whole } from "../schemas.ts";

/** Bytes of the manifests of one request. */
const manifestsBytesMax = bound(64 * 1024 * 1024);

const urls: Readonly<Record<string, StructuralSchema>> = {
  id: anyText("The name of the fork in the paths of this server."),
  url: anyText("The URL of the fork. Its control is below `/test/` there, with the same token."),
};
const urlsOf = (id: string, { listener: { url } }: ControlledFork) => ({ id, url });

const loaded = object({
  apiVersion: anyText("The group version."),
  kind: anyText("The kind."),
  namespace: anyText("The namespace. Absent if it has none."),
  name: anyText("The name."),
  uid: anyText("The uid that it has here."),
  resourceVersion: anyText("The revision."),
}, ["apiVersion", "kind", "name"]);

/** Forks and loads. */
export const forkOperations = [
  operation<{ readonly snapshot?: string } & ForkOptions>({
    name: "fork",
    method: "POST",
    path: "forks",
    summary: "Opens a fork: a server of its own with the same objects, revisions and history, on a port of its own.",
    body: object({
      snapshot: text("The name of the snapshot with whose state it begins. Default: the state now."),
      clock: text("`manual`: the time of the fork stands still until `advanceClock`. Default: as the clock of this server.", {
        enum: ["manual"],
      }),
      seed: integer("Decides the uids, generated names, addresses and ports that the fork draws. Default: the machine draws.", {
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
      }),
    }),
    code: 201,
    answer: whole({
      ...urls,
      kubeconfig: anyText("The text of a kubeconfig for a member of system:masters. It contains a private key."),
      caBundle: anyText("PEM of the authority of the server's certificate."),
    }),
    async run(controlled, { body: { snapshot, ...options } }) {
      const from = snapshot === undefined ? undefined : controlled.snapshots.get(snapshot);
      const { id, ...fork } = await controlled.fork(from, options), { kubeconfig, caBundle } = fork.listener;
      return { ...urlsOf(id, fork), kubeconfig, caBundle };
    },
  }),
  operation({
    name: "listForks",
    method: "GET",
    path: "forks",
    summary: "Lists the forks of this server that are open.",
    answer: whole({ forks: listOf(whole(urls), "The forks, the oldest first.") }),
    run: ({ forks }) => ({ forks: forks.all().map(([id, fork]) => urlsOf(id, fork)) }),
  }),
  operation({
    name: "closeFork",
    method: "DELETE",
    path: "forks/{id}",
    summary: "Closes a fork, and the forks of it.",
    answer: nothing,
    async run(controlled, { id }) {
      await controlled.closeFork(id);
      return {};
    },
  }),
  operation<{ readonly manifests: string }>({
    name: "load",
    method: "POST",
    path: "load",
    summary:
      "Creates the objects of manifests, or applies those that exist, in the order of what they need. A body of the type `application/yaml` is the manifests.",
    body: object({ manifests: { type: "string", description: "Documents in YAML or JSON." } }, ["manifests"]),
    bodyBytesMax: manifestsBytesMax,
    yamlMember: "manifests",
    answer: whole({ objects: listOf(loaded, "What was stored, in the order of the documents.") }),
    async run({ server }, { body: { manifests } }) {
      try {
        return { objects: (await server.load(manifests)).map(shown) };
      } catch (error) {
        if (!(error instanceof LoadError)) throw error;
        throw invalidRequest(
          error.problems.map(({ place, text }) => ({ type: "Invalid", path: place, value: omittedValue, detail: text })),
        );
      }
    },
  }),
];

function shown({ apiVersion, kind, metadata: { namespace, name = "", uid = "", resourceVersion = "" } }: ApiObject) {
  return { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name, uid, resourceVersion };
}
