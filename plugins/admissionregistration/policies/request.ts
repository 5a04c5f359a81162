/** Converts the request of a hook to the forms that expressions need. */
import { type AuthorizerValue, ResourceCheck } from "../../../cel/functions/authorizer/authorizer.ts";
import type { PolicyInput } from "../../../cel/policy/policy.ts";
import { type ApiObject, type JsonObject, notFoundError, type RequestHookContext } from "../../../plugin.ts";
import type { AdmissionForm, ResourceForm, Subject, SubjectAttributes } from "../../../toolbox.ts";

/**
 * The values of the variables for one request in one form. Each is made when an expression first reads it, and is kept for all policies.
 */
export class RequestInput implements PolicyInput {
  readonly #subject: Subject;
  readonly #attributes: SubjectAttributes;
  readonly #form: AdmissionForm;
  readonly #context: RequestHookContext;
  readonly authorizer: AuthorizerValue;
  #object: JsonObject | null | undefined;
  #oldObject: JsonObject | null | undefined;
  #request: JsonObject | undefined;
  #requestResource: ResourceCheck | undefined;
  /** The values that differ between evaluations; they are set before each one. */
  params: JsonObject | null = null;
  namespaceObject: JsonObject | null = null;

  constructor(
    subject: Subject,
    attributes: SubjectAttributes,
    form: AdmissionForm,
    context: RequestHookContext,
    authorizer: AuthorizerValue,
  ) {
    this.#subject = subject;
    this.#attributes = attributes;
    this.#form = form;
    this.#context = context;
    this.authorizer = authorizer;
  }

  get object(): JsonObject | null {
    return this.#object ??= this.#json(this.#subject.object);
  }
  get oldObject(): JsonObject | null {
    return this.#oldObject ??= this.#json(this.#subject.oldObject);
  }
  get request(): JsonObject {
    return this.#request ??= requestJson(this.#attributes, this.#form, this.#context);
  }
  get requestResource(): ResourceCheck {
    const { group, resource } = this.#form, { subresource, namespace, name } = this.#attributes;
    return this.#requestResource ??= new ResourceCheck(this.authorizer, { group, resource, subresource, namespace, name });
  }

  #json(object: ApiObject | undefined): JsonObject | null {
    return object === undefined ? null : this.#form.json(object);
  }
}

/** Makes the value of `request`. `form` is the form of the resource by which a rule covers the request. */
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

/**
 * Makes the value of `namespaceObject`: the namespace of the request, with the fields that expressions may read. Null for a cluster-wide
 * object.
 */
export async function namespaceJson({ form, namespace }: SubjectAttributes, { server }: RequestHookContext): Promise<JsonObject | null> {
  if (namespace === "" || form.kind.kind === "Namespace" && form.kind.group === "") return null;
  const found = await server.recentObject("v1", "namespaces", "", namespace);
  if (found === undefined) throw notFoundError({ group: "", name: "namespaces" }, namespace);
  const { metadata, spec, status } = server.json("v1", "namespaces", found) as Record<string, JsonObject>;
  const shown = Object.fromEntries(Object.entries(metadata ?? {}).filter(([key]) => shownMetadata.includes(key)));
  return { metadata: shown, spec: spec ?? {}, status: status ?? {} };
}
