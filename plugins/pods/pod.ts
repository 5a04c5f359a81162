import { ageColumn, type Column, defineResource, field, type Infer, nameColumn, object } from "../../plugin.ts";
import { PodSpec } from "../shared/pod/pod-spec.ts";

const Pod = object("Pod", {
  spec: field(2, PodSpec, "The specification of the pod.", { written: "always" }),
}, {
  package: "core/v1",
  doc: "Containers that run together on a node. This server runs no workloads, so it has no pods. The collection can be read and is empty.",
});
type Pod = Infer<typeof Pod>;

const columns: readonly Column<Pod>[] = [nameColumn, ageColumn];

/** Served because `kubectl describe pvc` lists the pods that use the claim and fails if the resource is missing. */
export const pods = defineResource<Pod>({
  kind: "Pod",
  scope: "Namespaced",
  shortNames: ["po"],
  categories: ["all"],
  summary: "Containers that run together. This server has none.",
  storedAs: "v1",
  storedUnder: "pods",
  served: { v1: { schema: Pod, introduced: "1.0", columns } },
  strategy: {
    without: ["create", "update", "patch", "delete", "deletecollection"],
    withoutReason: "this server runs no workloads, so there are no pods; the collection can be read and is empty",
  },
});
