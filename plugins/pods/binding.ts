/** POST of a pod's `binding`: a scheduler sets the node of the pod. */
import {
  conflictError,
  defineResource,
  field,
  type FieldError,
  type Infer,
  notSupported,
  object,
  ObjectReference,
  required,
  type Resource,
  StatusError,
} from "../../plugin.ts";
import { fieldErrorText, goQuote, StatusSchema, type SubresourceAction } from "../../toolbox.ts";
import { withCondition } from "./conditions.ts";
import type { Pod } from "./pod-schema.ts";

export const Binding = object("Binding", {
  target: field(2, ObjectReference, "The node: `kind` is Node or empty.", { required: true }),
}, { package: "core/v1", doc: "The node that a pod is bound to. It is not stored." });
export type Binding = Infer<typeof Binding>;

function validateBinding({ target: { kind = "", name = "" } }: Binding): readonly FieldError[] {
  return [
    ...(kind === "" || kind === "Node" ? [] : [notSupported("target.kind", kind, ["Node", "<empty>"])]),
    ...(name === "" ? [required("target.name", "")] : []),
  ];
}

/** Why the pod cannot be bound, in upstream's words. */
function reasonAgainst({ metadata, spec }: Pod): string | undefined {
  const { name } = metadata;
  if ((metadata.deletionTimestamp ?? undefined) !== undefined) return `pod ${name} is being deleted, cannot be assigned to a host`;
  if ((spec.nodeName ?? "") !== "") return `pod ${name} is already assigned to node ${goQuote(spec.nodeName ?? "")}`;
  return (spec.schedulingGates ?? []).length > 0 ? `pod ${name} has non-empty .spec.schedulingGates` : undefined;
}

/** The pod on its node, with the annotations and labels of the binding. */
function bound(pod: Pod, { metadata, target }: Binding, now: string): Pod {
  const { nominatedNodeName: _nominated, ...status } = pod.status, { annotations, labels } = metadata;
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      ...(annotations === undefined ? {} : { annotations: { ...pod.metadata.annotations, ...annotations } }),
      ...(labels === undefined ? {} : { labels: { ...pod.metadata.labels, ...labels } }),
    },
    spec: { ...pod.spec, nodeName: target.name! }, // validated
    status: withCondition(status, { type: "PodScheduled", status: "True" }, now),
  };
}

export const binding: SubresourceAction<Pod, Binding> = {
  request: { groupVersion: "v1", schema: Binding },
  response: { groupVersion: "v1", schema: StatusSchema },
  isDirect: true,
  // As upstream, before the pod is read.
  validateRequest(request, name) {
    if ((request.metadata.name ?? "") !== name) throw new StatusError("BadRequest", "name in URL does not match name in Binding object");
    const errors = validateBinding(request).map(fieldErrorText);
    // As upstream, which takes a bad target for a fault of the server.
    if (errors.length > 0) throw new StatusError("Unknown", errors.length === 1 ? errors[0]! : `[${errors.join(", ")}]`, { code: 500 });
    return [];
  },
  write(request, pod, { now, subresource }) {
    const { uid, resourceVersion } = request.metadata, { metadata } = pod, name = metadata.name!; // stored objects have names
    const refuse = (what: string, asked: string | undefined, found: string | undefined) => {
      if (asked === undefined || asked === "" || asked === found) return;
      const why = `Precondition failed: ${what} in precondition: ${asked}, ${what} in object meta: ${found}`;
      const where = `Code: 4, Key: /registry/pods/${metadata.namespace}/${name}, ResourceVersion: 0`;
      throw conflictError({ group: "", name: "pods" }, name, `StorageError: invalid object, ${where}, AdditionalErrorMsg: ${why}`);
    };
    // As upstream, which clears the uid of a create of `bindings`, as of any object that is created.
    if (subresource !== "") refuse("UID", uid, metadata.uid);
    refuse("ResourceVersion", resourceVersion, metadata.resourceVersion);
    const why = reasonAgainst(pod);
    if (why !== undefined) throw conflictError({ group: "", name: "pods/binding" }, name, why);
    return bound(pod, request, now);
  },
  respond: () => ({ status: "Success", code: 201 }),
};

/** The older place of the subresource `binding`: the name in the body is that of the pod. */
export const bindings: Resource<Binding> = defineResource({
  kind: "Binding",
  scope: "Namespaced",
  summary: "The node of a pod, as schedulers set it. It is not stored.",
  storedAs: "v1",
  served: { v1: { schema: Binding, introduced: "1.0" } },
  handleCreate: (given) => given,
  actsOn: { groupVersion: "v1", resource: "pods", subresource: "binding" },
});
