/** The request of a hook in the forms that expressions need. */
import { type JsonObject, notFoundError, type RequestHookContext, type ResourceForm, type SubjectAttributes } from "../../../plugin.ts";

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
