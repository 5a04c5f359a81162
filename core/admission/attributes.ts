/** The attributes of a request, by which rules of admission cover it. */
import type { AdmissionServer } from "../access.ts";
import type { ApiObject } from "../meta/object-meta.ts";
import { notFoundError } from "../status-error.ts";
import type { RequestAttributes } from "./matching.ts";
import type { AdmissionForm, AdmissionOperation, AdmissionRequest } from "./request.ts";

/** The parts of one request. The objects are in the stored form. */
export interface Subject {
  /** The operation for which rules are matched. */
  readonly operation: AdmissionOperation;
  /** The object after the write; undefined for a deletion. */
  readonly object: ApiObject | undefined;
  /** The stored object before the write; undefined for a creation. */
  readonly oldObject: ApiObject | undefined;
}

/** Makes `text` and `json` of a form known for the objects of a request. Rejects with a StatusError if one cannot be converted. */
export async function prepareForm({ prepare }: AdmissionForm, { object, oldObject }: Subject): Promise<void> {
  if (prepare !== undefined) await prepare([object, oldObject].filter((each) => each !== undefined));
}

/** The attributes of a request, with how its objects look in each form. */
export interface SubjectAttributes extends RequestAttributes {
  /** The version of the resource that the client has used. */
  readonly form: AdmissionForm;
  /** The other served versions of the resource. They are computed at the first call. */
  readonly equivalents: () => readonly AdmissionForm[];
}

/** What the attributes are made of: a part of `RequestHookContext`. */
export interface AttributeSource {
  /** The request for rules, of the hook context. */
  readonly request: AdmissionRequest;
  /** The name in the URL; "" for a creation. */
  readonly requestName: string;
  /** The subresource in the URL; "" for the object itself. */
  readonly subresource: string;
  /** Reads the labels of the namespace of the request. */
  readonly server: Pick<AdmissionServer, "recentObject">;
}

/** The attributes of the request, for rules. */
export function attributesOf(subject: Subject, context: AttributeSource): SubjectAttributes {
  const { operation, object, oldObject } = subject, { request, requestName, subresource, server } = context;
  // The name of an object that is created may have been generated. The deletion of a collection names no object.
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

/** Requests of actions may have no metadata. */
type Maybe = { readonly metadata?: ApiObject["metadata"] } | undefined;
function nameOf(object: Maybe): string | undefined {
  return object?.metadata?.name;
}
function labelsOf(object: Maybe): Readonly<Record<string, string>> | undefined {
  return object === undefined ? undefined : object.metadata?.labels ?? {};
}
