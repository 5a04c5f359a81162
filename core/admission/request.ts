/** A request as the rules of admission see it. Policies and webhooks select requests by these members. */
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
/** A version of a resource, and the kind of its objects or of its subresource. */
export interface ResourceForm extends VersionedResource {
  /** The group, version and name of the kind, such as `autoscaling`, `v1` and `Scale` for a subresource `scale`. */
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
}
/** A version of the request's resource, and how its objects look in it. */
export interface AdmissionForm extends ResourceForm {
  /** The schema of the objects in this version. */
  readonly schema: StructNode;
  /** Returns the compact JSON of an object in this version, from its stored form. */
  readonly text: (stored: ApiObject) => string;
  /** Returns the same as a JSON value, for expressions. */
  readonly json: (stored: ApiObject) => JsonObject;
  /**
   * Reads a JSON text in this version and returns the object in the stored form, with defaults. It is the inverse of `text`. Unknown fields
   * are dropped.
   *
   * @param stored the object whose text was changed; a subresource with a kind of its own, such as Scale, is a part of it
   * @param findings is given the unknown fields
   * @throws {DecodeError} for a text that is not an object of this version
   */
  readonly parse: (text: string, stored: ApiObject, findings?: string[]) => ApiObject;
  /**
   * Converts these objects, if calls convert objects to this version, such as calls of a webhook. Afterwards `text` and `json` know the
   * objects. If absent, `text` and `json` know every object.
   *
   * @throws {StatusError} if an object cannot be converted
   */
  readonly prepare?: (stored: readonly ApiObject[]) => Promise<void>;
  /**
   * Converts an object that `parse` has returned back to the stored form of the request. If absent, the object is in that form already.
   * Rejects as `prepare` does.
   */
  readonly restored?: (object: ApiObject) => Promise<ApiObject>;
}

/** The runs of the mutating steps of one write. There is a second run if a step requests it. */
export interface Reinvocation {
  /** False in the first run, true when the steps run again. */
  readonly isSecondRun: boolean;
  /** Makes all mutating steps run again after the first run. It has no effect in the second run. */
  request(): void;
  /** Returns the state of a step, which the runs of this write share. A retry on a newer object begins without it. */
  stateOf<S>(key: object, make: () => S): S;
}

/** A request as rules see it. */
export interface AdmissionRequest {
  /** Whether this is the POST of a subresource, whose steps are `mutateAction` and `refuseAction`. */
  readonly isAction: boolean;
  /** The operation that `mutateAction` and `refuseAction` see: CONNECT for a subresource that connects. */
  readonly action: "CREATE" | "CONNECT";
  /** The namespace in the URL; "" for cluster-wide resources. */
  readonly namespace: string;
  /** The resource in the version of the request. */
  readonly form: AdmissionForm;
  /** Returns all groups and versions that serve the objects, including that of the request. */
  readonly forms: () => readonly AdmissionForm[];
  /** Counts what the expressions of policies and webhooks have cost so far. */
  readonly expressions: ExpressionWork;
  /**
   * Runs synchronous work, such as applying a patch, under the step budget of the request. Long work is repeated in the heavy thread with the whole
   * request, so it must precede all effects.
   */
  readonly bounded: <T>(work: () => T) => T;
  /** Returns the options of the operation, with their kind and apiVersion. */
  readonly options: (operation: AdmissionOperation) => JsonObject;
}
