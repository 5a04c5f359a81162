/** A request as the rules of admission see it: policies and webhooks choose requests by these facts. */
import type { JsonObject } from "../json.ts";
import type { ApiObject } from "../meta/object-meta.ts";
import type { StructNode } from "../schema.ts";
import type { ExpressionWork } from "./expression-work.ts";

/** The operation of a request. */
export type AdmissionOperation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** A resource in one group and version. */
export interface VersionedResource {
  /** The API group; "" for the core group. */
  readonly group: string;
  /** The version, such as `v1`. */
  readonly version: string;
  /** The plural, such as `pods`. */
  readonly resource: string;
}
/** A version of a resource, and the kind of its objects (or of those of the subresource). */
export interface ResourceForm extends VersionedResource {
  /** The group, version and name of the kind, such as `autoscaling`, `v1` and `Scale` for a subresource `scale`. */
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
}
/** A version of the resource of a request, and how its objects look there. */
export interface AdmissionForm extends ResourceForm {
  /** The schema of the objects in this version. */
  readonly schema: StructNode;
  /** The compact JSON text of an object in the stored form, as this version shows it. */
  readonly text: (stored: ApiObject) => string;
  /** The value of `text`, for expressions. */
  readonly json: (stored: ApiObject) => JsonObject;
  /**
   * The object in the stored form, with defaults, of a JSON text in this version: the inverse of `text`. Unknown fields are dropped.
   *
   * @param stored the object whose text was changed; a subresource with a kind of its own, such as Scale, is a part of it
   * @param findings is given the unknown fields
   * @throws {DecodeError} for a text that is not an object of this version
   */
  readonly parse: (text: string, stored: ApiObject, findings?: string[]) => ApiObject;
  /**
   * Where calls convert objects to this version, such as those of a webhook: converts these objects, after which `text` and `json` know them. Absent:
   * they know every object.
   *
   * @throws {StatusError} if an object cannot be converted
   */
  readonly prepare?: (stored: readonly ApiObject[]) => Promise<void>;
  /** Converts an object that `parse` has returned back to the stored form of the request. Absent: it is in that form. Rejects as `prepare`. */
  readonly restored?: (object: ApiObject) => Promise<ApiObject>;
}

/** The runs of the mutating steps of one write: there is a second one if a step requests it. */
export interface Reinvocation {
  /** False in the first run, true when the steps run again. */
  readonly isSecondRun: boolean;
  /** Lets all mutating steps run again after the first run. No effect in the second. */
  request(): void;
  /** State of a step, shared by the runs of this write. A retry on a newer object begins without it. */
  stateOf<S>(key: object, make: () => S): S;
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
  /** What the expressions of policies and webhooks have cost so far. */
  readonly expressions: ExpressionWork;
  /**
   * Runs synchronous work, such as applying a patch, under the step budget of the request. Long work is repeated in the heavy thread with the whole
   * request, so it must precede all effects.
   */
  readonly bounded: <T>(work: () => T) => T;
  /** The options of the operation, with their kind and apiVersion. */
  readonly options: (operation: AdmissionOperation) => JsonObject;
}
