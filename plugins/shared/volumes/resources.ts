/** Schemas of resource requests and limits (core/v1). */
import { field, type Infer, mapBy, quantity, record, string, structsOf } from "../../../plugin.ts";
import { named } from "../../../toolbox.ts";
import { roundToMillis } from "./modes.ts";

const struct = structsOf("core/v1");

export const ResourceClaim = struct("ResourceClaim", {
  name: field(1, string, "The name of an entry in resourceClaims of the pod.", { required: true }),
  request: field(2, string, "The name of one request of the claim. Empty: all requests."),
}, { doc: "A reference to a resource claim of the pod." });
export type ResourceClaim = Infer<typeof ResourceClaim>;

/** Quantities by resource name. */
export const ResourceList = named("v1.ResourceList", record(quantity));

export const ResourceRequirements = struct("ResourceRequirements", {
  limits: field(1, ResourceList, "The maximum usage, by resource."),
  requests: field(2, ResourceList, "The reserved resources. Default: the limits."),
  claims: field(3, mapBy(["name"], ResourceClaim), "The resource claims that are used. Immutable."),
}, { doc: "Resource requests and limits of a container.", applyDefaults: roundToMillis("limits", "requests") });
export type ResourceRequirements = Infer<typeof ResourceRequirements>;

export const VolumeResourceRequirements = struct("VolumeResourceRequirements", {
  limits: field(1, ResourceList, "The maximum size of the volume, by resource."),
  requests: field(2, ResourceList, "The minimum size of the volume. Only storage is used."),
}, { doc: "The storage that a claim requests.", applyDefaults: roundToMillis("limits", "requests") });
export type VolumeResourceRequirements = Infer<typeof VolumeResourceRequirements>;
