import { defineResource } from "../../core/define/define.ts";
import { object } from "../../core/meta/object.ts";
import { ageColumn, type Column, nameColumn } from "../../core/meta/columns.ts";
import { field, type Infer } from "../../core/schema.ts";
import { PodSpec } from "./pod/pod-spec.ts";

const Pod = object("Pod", {
  spec: field(2, PodSpec, "What the pod is made of.", { written: "always" }),
}, {
  package: "core/v1",
  doc: "Containers that run together on a node. There are no nodes here, so there are no pods either: the collection can be read.",
});
type Pod = Infer<typeof Pod>;

const columns: readonly Column<Pod>[] = [nameColumn, ageColumn];

/** `kubectl describe pvc` asks which pods use the claim, and fails where nobody can tell that there are none. */
export const pods = defineResource<Pod>({
  kind: "Pod",
  scope: "Namespaced",
  shortNames: ["po"],
  categories: ["all"],
  summary: "Containers that run together; there are none here.",
  storedAs: "v1",
  storedUnder: "pods",
  served: { v1: { schema: Pod, introduced: "1.0", columns } },
  strategy: {
    without: ["create", "update", "patch", "delete", "deletecollection"],
    withoutReason: "this server runs no workloads, so there are no pods; the collection can be read and is empty",
  },
});
