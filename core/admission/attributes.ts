/** Computes the attributes of a request, by which rules of admission cover it. */
import type { AdmissionServer } from "../access.ts";
import type { ApiObject } from "../meta/object-meta.ts";
import { notFoundError } from "../status-error.ts";
import type { RequestAttributes } from "./matching.ts";
import type { AdmissionForm, AdmissionOperation, AdmissionRequest } from "./request.ts";

/** The operation and the objects of one request. The objects are in the stored form. */
export interface Subject {
  /** The operation for which rules are matched. */
  readonly operation: AdmissionOperation;
  /** The object after the write; undefined for a deletion. */
  readonly object: ApiObject | undefined;
  /** The stored object before the write; undefined for a creation. */
  readonly oldObject: ApiObject | undefined;
}

/**
 * Prepares a form for the objects of a request, so that its `text` and `json` know them. Rejects with a StatusError if one cannot be
 * converted.
 */
export async function prepareForm({ prepare }: AdmissionForm, { object, oldObject }: Subject): Promise<void> {
  if (prepare !== undefined) await prepare([object, oldObject].filter((each) => each !== undefined));
}

/** The attributes of a request, and how its objects look in each form. */
export interface SubjectAttributes extends RequestAttributes {
  /** The version of the resource that the client has used. */
  readonly form: AdmissionForm;
  /** Returns the other served versions of the resource. They are computed at the first call. */
  readonly equivalents: () => readonly AdmissionForm[];
}

/** The part of `RequestHookContext` from which the attributes are made. */
export interface AttributeSource {
  /** The request as rules see it. */
  readonly request: AdmissionRequest;
  /** The name in the URL; "" for a creation. */
  readonly requestName: string;
  /** The subresource in the URL; "" for the object itself. */
  readonly subresource: string;
  /** Reads the labels of the namespace of the request. */
  readonly server: Pick<AdmissionServer, "recentObject">;
}

/** Returns the attributes of a request that rules match. */
export function attributesOf(subject: Subject, context: AttributeSource): SubjectAttributes {
  const { operation, object, oldObject } = subject, { request, requestName, subresource, server } = context;
  // The name of a new object may have been generated. A deletion of a collection names no object.
  const name = operation === "DELETE" ? requestName : nameOf(object) ?? requestName;
  const { form } = request;
  const isNamespace = form.group === "" && form.version === "v1" && form.resource === "namespaces";
  return {
    operation,
    form,
    subresource,
    namespace: isNamespace ? name : request.namespace,
    name,
    equivalents: request.forms,
    labels: labelsOf(object),
    oldLabels: labelsOf(oldObject),
    async namespaceLabels(namespace) {
      const found = await server.recentObject("v1", "namespaces", "", namespace);
      if (found === undefined) throw notFoundError({ group: "", name: "namespaces" }, namespace);
      return found.metadata.labels ?? {};
    },
  };
}

/** An object that may have no metadata, such as the request of an action. */
type Maybe = { readonly metadata?: ApiObject["metadata"] } | undefined;
function nameOf(object: Maybe): string | undefined {
  return object?.metadata?.name;
}
function labelsOf(object: Maybe): Readonly<Record<string, string>> | undefined {
  return object === undefined ? undefined : object.metadata?.labels ?? {};
}
