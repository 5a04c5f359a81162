/** Status, the answer that is no object (meta/v1). */
import type { Status as StatusObject } from "../status-error.ts";
import { field, int32, list, string, type StructNode, structsOf, type Typed } from "../schema.ts";
import { ListMeta } from "./object-meta.ts";

const struct = structsOf("meta/v1");

export const StatusCause = struct("StatusCause", {
  reason: field(1, string, "Machine-readable reason of this one cause."),
  message: field(2, string, "What is wrong, for people."),
  field: field(3, string, "Path of the field that caused it, such as `spec.drivers[0].name`."),
}, { doc: "One of the causes of a failure." });

export const StatusDetails = struct("StatusDetails", {
  name: field(1, string, "Name of the object that the status is about."),
  group: field(2, string, "Its group."),
  kind: field(3, string, "Its kind, or its plural resource name, as the reason has it."),
  uid: field(6, string, "Its UID, where that is one object's alone."),
  causes: field(4, list(StatusCause), "What led to the failure, each by itself."),
  retryAfterSeconds: field(5, int32, "Seconds after which trying again may help."),
}, { doc: "What a status is about, for machines." });

const StatusFields = struct("Status", {
  metadata: field(1, ListMeta, "Standard list metadata."),
  status: field(2, string, "Success or Failure."),
  message: field(3, string, "What happened, for people."),
  reason: field(4, string, "Why, in one word for machines; empty when nothing more is known."),
  details: field(5, StatusDetails, "More about the reason.", { pointer: true, publish: { "x-kubernetes-list-type": "atomic" } }),
  code: field(6, int32, "The HTTP status code."),
}, { doc: "The outcome of a request that does not answer with an object." });

// The fields describe StatusObject, whose kind and texts are narrower than what protobuf and JSON can carry.
export const Status = Object.freeze({ ...StatusFields, typeMeta: true }) as unknown as Typed<StatusObject, StructNode>;
