/** Objects of a request in the stored form, which hooks see. */
import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { Endpoint } from "../catalog/catalog.ts";

/** Custom resources are validated as they were sent, without defaults of the stored version. */
export function isValidatedAsSent({ custom, conversion }: Endpoint["resource"]): boolean {
  return custom === true && conversion === undefined;
}

/** The object of the request in the form that hooks see. */
export function inStoredForm({ resource, stored, toStored }: Endpoint, object: ApiObject): ApiObject {
  return isValidatedAsSent(resource) ? toStored(object) : stored.applyDefaults(toStored(object));
}
