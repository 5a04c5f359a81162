/** The request of a hook in the forms that rules and expressions need. */
import {
  type AdmissionForm,
  type AdmissionOperation,
  type ApiObject,
  type JsonObject,
  notFoundError,
  type RequestHookContext,
} from "../../../plugin.ts";
import type { RequestAttributes, ResourceForm } from "./matching.ts";

/** The parts of one request. The objects are in the stored form. */
export interface Subject {
  readonly operation: AdmissionOperation;
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
}

export interface SubjectAttributes extends RequestAttributes {
  readonly form: AdmissionForm;
  readonly equivalents: () => readonly AdmissionForm[];
}

/** The attributes of the request, for rules. */
export function attributesOf(subject: Subject, context: RequestHookContext): SubjectAttributes {
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

/** The value of `request`. `form`: the form of the resource by which a rule covers the request. */
export function requestJson(attributes: SubjectAttributes, form: ResourceForm, context: RequestHookContext): JsonObject {
  const { operation, form: own, subresource, namespace, name } = attributes, { caller, isDryRun, request } = context;
  const resourceOf = ({ group, version, resource }: ResourceForm) => ({ group, version, resource });
  const text = (key: string, value: string): JsonObject => value === "" ? {} : { [key]: value };
  return {
    uid: "",
    kind: { ...form.kind },
    resource: resourceOf(form),
    ...text("subResource", subresource),
    requestKind: { ...own.kind },
    requestResource: resourceOf(own),
    ...text("requestSubResource", subresource),
    ...text("name", name),
    ...text("namespace", namespace),
    operation,
    userInfo: {
      ...text("username", caller.name),
      ...text("uid", caller.uid ?? ""),
      ...(caller.groups.length === 0 ? {} : { groups: [...caller.groups] }),
      ...(caller.extra === undefined ? {} : { extra: caller.extra as JsonObject }),
    },
    object: null,
    oldObject: null,
    dryRun: isDryRun,
    options: operation === "CONNECT" ? null : request.options(operation),
  };
}

const shownMetadata = [
  "name",
  "generateName",
  "namespace",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "labels",
  "annotations",
  "finalizers",
];

/** The value of `namespaceObject`: the namespace of the request with the fields that expressions may read; null for cluster-wide objects. */
export async function namespaceJson({ form, namespace }: SubjectAttributes, { server }: RequestHookContext): Promise<JsonObject | null> {
  if (namespace === "" || form.kind.kind === "Namespace" && form.kind.group === "") return null;
  const found = await server.recentObject("v1", "namespaces", "", namespace);
  if (found === undefined) throw notFoundError({ group: "", name: "namespaces" }, namespace);
  const { metadata, spec, status } = server.json("v1", "namespaces", found) as Record<string, JsonObject>;
  const shown = Object.fromEntries(Object.entries(metadata ?? {}).filter(([key]) => shownMetadata.includes(key)));
  return { metadata: shown, spec: spec ?? {}, status: status ?? {} };
}
