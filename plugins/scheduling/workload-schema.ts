import { field, type Infer, int32, mapBy, object, string, structsOf } from "../../plugin.ts";

const home = "scheduling/v1alpha1";
const struct = structsOf(home);

const TypedLocalObjectReference = struct("TypedLocalObjectReference", {
  apiGroup: field(1, string, "The API group of the object. Empty: the core group."),
  kind: field(2, string, "The kind of the object.", { required: true }),
  name: field(3, string, "The name of the object.", { required: true }),
}, { doc: "A reference to an object in the same namespace." });
export type TypedLocalObjectReference = Infer<typeof TypedLocalObjectReference>;

const BasicSchedulingPolicy = struct("BasicSchedulingPolicy", {}, { doc: "Pods are scheduled one by one." });

const GangSchedulingPolicy = struct("GangSchedulingPolicy", {
  minCount: field(1, int32, "The number of pods that must be scheduled together. At least 1.", { required: true }),
}, { doc: "Pods are scheduled together or not at all." });

const PodGroupPolicy = struct("PodGroupPolicy", {
  basic: field(2, BasicSchedulingPolicy, "Pods are scheduled one by one. Excludes gang.", { pointer: true }),
  gang: field(3, GangSchedulingPolicy, "Pods are scheduled together or not at all. Excludes basic.", { pointer: true }),
}, { doc: "How the pods of a group are scheduled. One field must be set." });
export type PodGroupPolicy = Infer<typeof PodGroupPolicy>;

const PodGroup = struct("PodGroup", {
  name: field(1, string, "The name of the group, unique in the Workload: a DNS label.", { required: true }),
  policy: field(3, PodGroupPolicy, "How the pods of the group are scheduled.", { required: true }),
}, { doc: "A group of pods that are scheduled by one policy." });
export type PodGroup = Infer<typeof PodGroup>;

const WorkloadSpec = struct("WorkloadSpec", {
  controllerRef: field(1, TypedLocalObjectReference, "The object that the Workload is for, such as a Job. Immutable once set.", {
    pointer: true,
  }),
  podGroups: field(2, mapBy(["name"], PodGroup), "The groups of pods, 1 to 8. Immutable.", { required: true }),
}, { doc: "The groups of pods, and the object that they belong to." });
export type WorkloadSpec = Infer<typeof WorkloadSpec>;

export const Workload = object("Workload", {
  spec: field(2, WorkloadSpec, "The groups of pods, and the object that they belong to.", { required: true }),
}, { package: home, doc: "Groups of pods whose scheduling has conditions. Pods refer to it by workloadRef." });
export type Workload = Infer<typeof Workload>;
