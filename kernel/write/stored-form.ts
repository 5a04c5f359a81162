/** Converts objects of a request to the stored form, which hooks see. */
import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { Endpoint } from "../catalog/catalog.ts";

/** Whether objects are validated as they were sent, without the defaults of the stored version. This is so for custom resources. */
export function isValidatedAsSent({ custom, conversion }: Endpoint["resource"]): boolean {
  return custom === true && conversion === undefined;
}

/** Returns the object of the request in the form that hooks see. */
export function inStoredForm({ resource, stored, toStored }: Endpoint, object: ApiObject): ApiObject {
  return isValidatedAsSent(resource) ? toStored(object) : stored.applyDefaults(toStored(object));
}
