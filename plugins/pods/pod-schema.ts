import { field, type Infer, object } from "../../plugin.ts";
import { emptyDropper } from "../shared/keeping-empty.ts";
import { PodSpec } from "../shared/pod/pod-spec.ts";
import { podDefaults } from "./defaults.ts";
import { PodStatus } from "./status-schema.ts";

export const Pod = object("Pod", {
  spec: field(2, PodSpec, "What the pod shall be.", { written: "always" }),
  status: field(3, PodStatus, "What the pod is. Written by its kubelet and by the scheduler.", { written: "always" }),
}, {
  package: "core/v1",
  doc: "Containers that run together on a node. This server stores pods; a scheduler binds them and a kubelet runs them.",
  applyDefaults: podDefaults,
});
export type Pod = Infer<typeof Pod>;

/** The pod as it is stored, which comparisons with stored pods need. */
export const withoutEmpty: (pod: Pod) => Pod = emptyDropper(Pod);
