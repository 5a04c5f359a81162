/** The authorizer `Node`: kubelets may read what the pods of their node need. */
import type { ApiObject, AuthorizerDefinition } from "../../../plugin.ts";
import { spell } from "../../../toolbox.ts";
import { type FollowedResource, followObjects } from "../../shared/follow-objects.ts";
import { isServed } from "../../shared/is-served.ts";
import { decideForNode } from "./decide.ts";
import { NodeGraph, type Placed } from "./graph.ts";
import { nodeOf } from "./identity.ts";
import type { Pod, Volume } from "./references.ts";

/** An object that names its node in its spec. */
type Spec = ApiObject & { readonly spec: { readonly nodeName?: string } };

function sourcesOf(graph: NodeGraph): readonly FollowedResource[] {
  const placed = (groupVersion: string, kind: Placed): FollowedResource => ({
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

/** The authorizer that `--authorization-mode=Node` selects. */
export const nodeAuthorizer: AuthorizerDefinition = Object.freeze<AuthorizerDefinition>({
  name: "Node",
  summary: "Allows kubelets what the pods of their node need.",
  open(context) {
    const graph = new NodeGraph(context.names), domain = spell(context.names, "{domain}");
    const ready = sourcesOf(graph).filter((source) => isServed(context, source)).map((source) => followObjects(context, source));
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
