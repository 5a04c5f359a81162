/** Status, the response without an object (meta/v1). */
import type { Status as StatusObject } from "../status-error.ts";
import { field, int32, list, string, type StructNode, structsOf, type Typed } from "../schema.ts";
import { ListMeta } from "./object-meta.ts";

const struct = structsOf("meta/v1");

export const StatusCause = struct("StatusCause", {
  reason: field(1, string, "Machine-readable reason of the cause."),
  message: field(2, string, "Human-readable message."),
  field: field(3, string, "Path of the invalid field, such as `spec.drivers[0].name`."),
}, { doc: "One of the causes of a failure." });

export const StatusDetails = struct("StatusDetails", {
  name: field(1, string, "Name of the object."),
  group: field(2, string, "Its group."),
  kind: field(3, string, "Kind or plural resource name of the object, depending on the reason."),
  uid: field(6, string, "UID of the object, if there is a single one."),
  causes: field(4, list(StatusCause), "Causes of the failure."),
  retryAfterSeconds: field(5, int32, "Seconds after which the request may be retried."),
}, { doc: "Machine-readable details of a status." });

const StatusFields = struct("Status", {
  metadata: field(1, ListMeta, "Standard list metadata."),
  status: field(2, string, "Success or Failure."),
  message: field(3, string, "Human-readable message."),
  reason: field(4, string, "Machine-readable reason in one word; may be empty."),
  details: field(5, StatusDetails, "Details of the reason.", { pointer: true, publish: { "x-kubernetes-list-type": "atomic" } }),
  code: field(6, int32, "The HTTP status code."),
}, { doc: "The result of a request that returns no object." });

/** The schema of Status, the answer without an object: as the kind of the response of an action that returns none. Its type is narrower than the fields. */
export const Status = Object.freeze({ ...StatusFields, typeMeta: true }) as unknown as Typed<StatusObject, StructNode>;
