/** A request as the rules of admission see it: policies and webhooks choose requests by these facts. */
import type { JsonObject } from "./json.ts";
import type { ApiObject } from "./meta/object-meta.ts";

/** The operation of a request. */
export type AdmissionOperation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** A resource in one group and version, and how its objects look there. */
export interface AdmissionForm {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** The kind of its objects, or of the view of a subresource. */
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  /** The JSON of an object in the stored form, as this version shows it. */
  readonly json: (stored: ApiObject) => JsonObject;
}

/** The request, for rules. */
export interface AdmissionRequest {
  /** Whether this is the POST of a subresource, whose steps are `mutateAction` and `refuseAction`. */
  readonly isAction: boolean;
  /** The namespace in the URL; "" for cluster-wide resources. */
  readonly namespace: string;
  /** The resource in the version of the request. */
  readonly form: AdmissionForm;
  /** All groups and versions that serve the objects, with that of the request. */
  readonly forms: () => readonly AdmissionForm[];
  /** The options of the operation, with their kind and apiVersion. */
  readonly options: (operation: AdmissionOperation) => JsonObject;
}
