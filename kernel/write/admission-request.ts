/** The request of a write as the rules of admission see it. */
import type { AdmissionForm, AdmissionOperation, AdmissionRequest } from "../../core/admission/request.ts";
import { ExpressionWork } from "../../core/admission/expression-work.ts";
import type { Budget } from "../../core/budget.ts";
import type { StoredConversion } from "../../core/conversion.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { DecodeError } from "../../core/derive/decode.ts";
import { readJson } from "../../core/tree/json.ts";
import { plainJson } from "../../core/tree/plain-json.ts";
import { TreeObject } from "../../core/tree/tree.ts";
import type { Endpoint } from "../catalog/catalog.ts";
import type { DeleteRequest } from "./delete-options.ts";
import { hookContext, type RequestContext, runInBudget } from "../request-context.ts";
import { convertedKinds } from "../conversion/converted-kinds.ts";
import { convertedForm } from "./converted-form.ts";
import { inStoredForm } from "./stored-form.ts";
import { viewObject } from "./view-object.ts";

/** Returns the request as rules of admission see it. `deletion` has the options of a deletion. */
export function admissionRequest(call: RequestContext, deletion?: DeleteRequest): AdmissionRequest {
  return new RequestOfCall(call, deletion);
}

const works = new WeakMap<Budget, ExpressionWork>();

class RequestOfCall implements AdmissionRequest {
  readonly #call: RequestContext;
  readonly #deletion: DeleteRequest | undefined;
  #form: AdmissionForm | undefined;

  constructor(call: RequestContext, deletion: DeleteRequest | undefined) {
    this.#call = call;
    this.#deletion = deletion;
  }
  get isAction(): boolean {
    const { info, subresource } = this.#call;
    return info.verb === "create" && subresource !== undefined;
  }
  get action(): AdmissionRequest["action"] {
    return this.#call.subresource?.options === undefined ? "CREATE" : "CONNECT";
  }
  get namespace(): string {
    const { endpoint, info } = this.#call;
    return endpoint.namespaced ? info.namespace : "";
  }
  get form(): AdmissionForm {
    return this.#form ??= requestedForm(this.#call);
  }
  get expressions(): ExpressionWork {
    // The budget identifies the request: it is one object for all contexts of the request.
    const { budget } = this.#call;
    let work = works.get(budget);
    if (work === undefined) works.set(budget, work = new ExpressionWork());
    return work;
  }
  get bounded(): AdmissionRequest["bounded"] {
    const call = this.#call;
    return (work) => runInBudget(call, work);
  }
  // These functions do not use `this`, because `attributesOf` takes them out of the object.
  get forms(): AdmissionRequest["forms"] {
    const call = this.#call;
    return () => servedForms(call).map((each) => equivalentForm(call, this.form, each));
  }
  get options(): AdmissionRequest["options"] {
    const call = this.#call, deletion = this.#deletion;
    return (operation) => ({ ...optionsOf(call, operation), ...(deletion === undefined ? {} : deleteOptionsJson(deletion)) });
  }
}

function requestedForm(call: RequestContext): AdmissionForm {
  const { endpoint } = call, view = call.subresource?.view, request = actionRequest(call);
  return view !== undefined ? viewForm(call, view) : request !== undefined ? requestForm(endpoint, request) : formOf(endpoint);
}
/** Returns the endpoint of the kind that the body of an action has. */
function actionRequest({ info, subresource }: RequestContext): Endpoint | undefined {
  return subresource?.options ?? (info.verb === "create" ? subresource?.request : undefined);
}
/** The endpoints of all served versions that have the resource, or the subresource, of the request, in the order of the catalog. */
function servedForms({ catalog, endpoint, info }: RequestContext): readonly Endpoint[] {
  // Each version whose objects are converted by calls is a kind of its own.
  const versions = convertedKinds(catalog).get(endpoint.stored.under)?.versions.values() ?? [endpoint.stored];
  return [...versions].flatMap((kind) => catalog.versionsOf(kind)).filter((each) =>
    catalog.endpoint(each.group, each.version, each.plural) === each && (info.subresource === "" || each.subresources.has(info.subresource))
  );
}

/** The form of the request's object in another version of the resource. */
function equivalentForm(call: RequestContext, requested: AdmissionForm, endpoint: Endpoint): AdmissionForm {
  if (endpoint === call.endpoint) return requested;
  const hasOwnKind = call.subresource?.view !== undefined || actionRequest(call) !== undefined, { group, version, plural } = endpoint;
  // A body with a kind of its own is shown as it was sent: only the resource has another version.
  if (hasOwnKind) return { ...requested, group, version, resource: plural };
  const { conversion } = endpoint.resource;
  return conversion === undefined ? formOf(endpoint) : formByCalls(call, conversion, endpoint);
}

/** Forms in versions to which calls convert, for all contexts of a request, by version. Each object is converted once. */
const formsByCalls = new WeakMap<Budget, Map<Endpoint, AdmissionForm>>();

function formByCalls(call: RequestContext, conversion: StoredConversion, to: Endpoint): AdmissionForm {
  const { backend: { conversions: context }, endpoint: from, budget, deadline } = call;
  if (context === undefined) throw new Error("a server without conversions serves a kind that needs them");
  const known = formsByCalls.get(budget) ?? new Map<Endpoint, AdmissionForm>();
  formsByCalls.set(budget, known);
  const form = known.get(to) ??
    convertedForm({ conversion, context, from, requested: formOf(from), to, plain: formOf(to), signal: () => deadline.signal });
  known.set(to, form);
  return form;
}

/** The forms of endpoints; they do not depend on the request. */
const forms = new WeakMap<Endpoint, AdmissionForm>();

function formOf(endpoint: Endpoint): AdmissionForm {
  const known = forms.get(endpoint);
  if (known !== undefined) return known;
  const made = makeForm(endpoint);
  forms.set(endpoint, made);
  return made;
}

function makeForm(endpoint: Endpoint): AdmissionForm {
  const { group, version, plural, kind } = endpoint;
  return {
    group,
    version,
    resource: plural,
    kind: { group, version, kind },
    schema: endpoint.schema,
    ...textForm((stored) => endpoint.encode(endpoint.fromStored(stored))),
    parse: (text, _stored, findings) => inStoredForm(endpoint, parseText(endpoint, text, findings)),
  };
}

/** Makes the form of a subresource with a kind of its own, such as Scale. Rules name the resource; expressions see the view. */
function viewForm(call: RequestContext, view: Endpoint): AdmissionForm {
  const { group, version, plural } = call.endpoint, { read, write } = call.subresource!.definition.view!; // the view was compiled from this subresource
  const shown = (stored: ApiObject) => viewObject(view, stored, read(stored, hookContext(call)));
  return {
    group,
    version,
    resource: plural,
    kind: { group: view.group, version: view.version, kind: view.kind },
    schema: view.schema,
    ...textForm((stored) => view.encode(shown(stored))),
    parse: (text, stored, findings) => write(parseText(view, text, findings), stored, hookContext(call)),
  };
}

/** Makes the form of the request of an action, such as TokenRequest. */
function requestForm({ group, version, plural }: Endpoint, request: Endpoint): AdmissionForm {
  const kind = { group: request.group, version: request.version, kind: request.kind };
  return {
    group,
    version,
    resource: plural,
    kind,
    schema: request.schema,
    ...textForm(request.encode),
    parse: (text, _stored, findings) => parseText(request, text, findings),
  };
}

function textForm(text: AdmissionForm["text"]): Pick<AdmissionForm, "text" | "json"> {
  return { text, json: (stored) => plainJson(text(stored)) as JsonObject }; // this is the text of an object
}

/** Reads the object of a JSON text in the version of an endpoint, with defaults. Unknown fields are dropped and added to `findings`. */
function parseText(endpoint: Endpoint, text: string, findings: string[] = []): ApiObject {
  const read = readJson(text);
  if (!read.ok) throw new DecodeError(read.error);
  const object = endpoint.decode(read.tree ?? new TreeObject(), { reader: "json", findings });
  return endpoint.applyDefaults({ ...object, kind: endpoint.kind, apiVersion: endpoint.apiVersion });
}

const kinds: Readonly<Record<AdmissionOperation, string>> = Object.freeze({
  CREATE: "CreateOptions",
  UPDATE: "UpdateOptions",
  DELETE: "DeleteOptions",
  CONNECT: "",
});

function optionsOf({ info: { query }, catalog: { names: { domain } } }: RequestContext, operation: AdmissionOperation): JsonObject {
  const text = (name: string): JsonObject => query.first(name) === "" ? {} : { [name]: query.first(name) };
  return {
    kind: kinds[operation],
    apiVersion: `meta.${domain}/v1`,
    ...(query.first("dryRun") === "" ? {} : { dryRun: ["All"] }),
    ...(operation === "DELETE" ? {} : { ...text("fieldManager"), ...text("fieldValidation") }),
  };
}

function deleteOptionsJson(
  { dryRun, gracePeriodSeconds, propagationPolicy, orphanDependents, uid, resourceVersion }: DeleteRequest,
): JsonObject {
  const preconditions = { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
    // A dry run may be requested in the body or in the query.
    ...(dryRun ? { dryRun: ["All"] } : {}),
  };
}
