/** The authorizer `Node`: kubelets may read what the pods of their node need. */
import { type ApiObject, type AuthorizerDefinition, objectKey } from "../../../plugin.ts";
import { type AuthorizerContext, pause, spell } from "../../../toolbox.ts";
import { decideForNode } from "./decide.ts";
import { NodeGraph, type Placed } from "./graph.ts";
import { nodeOf } from "./identity.ts";
import type { Pod, Volume } from "./references.ts";

/** Milliseconds between two attempts to follow the objects. */
const retryMs = 1_000;

interface Source {
  readonly groupVersion: string;
  readonly resource: string;
  readonly set: (object: any) => void; // an object of the resource
  readonly remove: (object: ApiObject) => void;
}

/** An object that names its node in its spec. */
type Spec = ApiObject & { readonly spec: { readonly nodeName?: string } };

function sourcesOf(graph: NodeGraph): readonly Source[] {
  const placed = (groupVersion: string, kind: Placed): Source => ({
    groupVersion,
    resource: kind,
    set: ({ metadata: { namespace = "", name = "" }, spec }: Spec) => graph.place(kind, namespace, name, spec.nodeName ?? ""),
    remove: ({ metadata: { namespace = "", name = "" } }) => graph.place(kind, namespace, name, ""),
  });
  return [
    {
      groupVersion: "v1",
      resource: "pods",
      set: (pod: Pod) => graph.setPod(pod),
      remove: ({ metadata: { namespace = "", name = "" } }) => graph.deletePod(namespace, name),
    },
    {
      groupVersion: "v1",
      resource: "persistentvolumes",
      set: (volume: Volume) => graph.setVolume(volume),
      remove: ({ metadata: { name = "" } }) => graph.deleteVolume(name),
    },
    placed("storage.{domain}/v1", "volumeattachments"),
    placed("resource.{domain}/v1", "resourceslices"),
    placed("certificates.{domain}/v1beta1", "podcertificaterequests"),
  ];
}

/** Keeps the graph up to date until the signal aborts. The objects that are known stay in it after a failure. */
async function follow({ api, signal, logError }: AuthorizerContext, { groupVersion, resource, set, remove }: Source, synced: () => void) {
  /** The objects in the graph. What the first state of the next watch lacks was deleted. */
  let known = new Map<string, ApiObject>();
  for (let reported = ""; !signal.aborted;) {
    const before = known;
    known = new Map();
    const begun = () => {
      for (const [key, object] of before) if (!known.has(key)) remove(object);
      before.clear();
      synced();
    };
    try {
      for await (const { type, object } of api.watch(groupVersion, resource, "", {}, signal, "everything", begun)) {
        reported = "";
        if (type === "DELETED") {
          known.delete(objectKey(object));
          remove(object);
        } else {
          known.set(objectKey(object), object);
          set(object);
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      if (String(error) !== reported) logError(`cannot follow ${resource}; it tries again`, error);
      reported = String(error);
    }
    for (const [key, object] of before) if (!known.has(key)) known.set(key, object);
    if (!signal.aborted) await pause(retryMs, signal);
  }
}

/** The authorizer that `--authorization-mode=Node` selects. */
export const nodeAuthorizer: AuthorizerDefinition = Object.freeze<AuthorizerDefinition>({
  name: "Node",
  summary: "Allows kubelets what the pods of their node need.",
  open(context) {
    const graph = new NodeGraph(context.names), domain = spell(context.names, "{domain}");
    const served = context.api.collections("watch");
    const ready = sourcesOf(graph).filter(({ groupVersion, resource }) =>
      served.some((each) => each.groupVersion === spell(context.names, groupVersion) && each.resource === resource)
    ).map((source) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      void follow(context, source, resolve);
      return promise;
    });
    return {
      name: "Node",
      authorize(user, request) {
        const node = nodeOf(user);
        if (node === undefined) return { verdict: "noOpinion", reason: "" };
        if (node === "") return { verdict: "noOpinion", reason: `unknown node for user "${user.name}"` };
        const answer = decideForNode(node, request, graph, domain);
        return answer === true ? { verdict: "allow", reason: "" } : { verdict: "noOpinion", reason: answer };
      },
      rules: (user) => ({
        resourceRules: [],
        nonResourceRules: [],
        incomplete: nodeOf(user) !== undefined,
        evaluationError: nodeOf(user) === undefined ? "" : "node authorizer does not support user rule resolution",
      }),
      ready: Promise.all(ready).then(() => {}),
    };
  },
});
