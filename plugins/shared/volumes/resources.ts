/** Amounts that containers and claims ask for (core/v1). */
import { field, type Infer, mapBy, named, quantity, record, string, structsOf } from "../../../core/schema.ts";
import { inMillis } from "./modes.ts";

const struct = structsOf("core/v1");

export const ResourceClaim = struct("ResourceClaim", {
  name: field(1, string, "Name of the entry in the resourceClaims of the pod.", { required: true }),
  request: field(2, string, "One request of that claim; all of them when empty."),
}, { doc: "Names a device claim of the pod that a container uses." });
export type ResourceClaim = Infer<typeof ResourceClaim>;

/** Amounts by the name of what they are of. */
export const ResourceList = named("v1.ResourceList", record(quantity));

export const ResourceRequirements = struct("ResourceRequirements", {
  limits: field(1, ResourceList, "The most that may be used, by resource."),
  requests: field(2, ResourceList, "What is set aside, by resource; the limits where absent."),
  claims: field(3, mapBy(["name"], ResourceClaim), "Device claims that are used; cannot change."),
}, { doc: "What a container needs and what it may use.", fill: inMillis("limits", "requests") });
export type ResourceRequirements = Infer<typeof ResourceRequirements>;

export const VolumeResourceRequirements = struct("VolumeResourceRequirements", {
  limits: field(1, ResourceList, "The most that the volume may have, by resource."),
  requests: field(2, ResourceList, "The least that the volume must have; storage is the one that counts."),
}, { doc: "How much storage a claim asks for.", fill: inMillis("limits", "requests") });
export type VolumeResourceRequirements = Infer<typeof VolumeResourceRequirements>;
