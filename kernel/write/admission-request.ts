/** The request of a write as the rules of admission see it. */
import type { AdmissionForm, AdmissionOperation, AdmissionRequest } from "../../core/admission-request.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { plainJson } from "../../core/tree/plain-json.ts";
import type { Endpoint } from "../catalog/catalog.ts";
import type { DeleteRequest } from "./delete-options.ts";
import { hookContext, type RequestContext } from "../request-context.ts";
import { viewObject } from "./view-object.ts";

/** `deletion`: the options of a deletion. */
export function admissionRequest(call: RequestContext, deletion?: DeleteRequest): AdmissionRequest {
  const { endpoint, info } = call, view = call.subresource?.view, request = info.verb === "create" ? call.subresource?.request : undefined;
  const form = view !== undefined ? viewForm(call, view) : request !== undefined ? requestForm(endpoint, request) : formOf(endpoint);
  return {
    isAction: info.verb === "create" && call.subresource !== undefined,
    namespace: endpoint.namespaced ? info.namespace : "",
    form,
    // Kinds of subresources have one version.
    forms: () => view === undefined && request === undefined ? servedForms(call).map(formOf) : [form],
    options: (operation) => ({ ...optionsOf(call, operation), ...(deletion === undefined ? {} : deleteOptionsJson(deletion)) }),
  };
}

/** The endpoints of all served versions of the kind, in the order of the catalog. */
function servedForms({ catalog, endpoint }: RequestContext): readonly Endpoint[] {
  return catalog.versionsOf(endpoint.stored).filter((each) => catalog.endpoint(each.group, each.version, each.plural) === each);
}

function formOf(endpoint: Endpoint): AdmissionForm {
  const { group, version, plural, kind } = endpoint;
  return {
    group,
    version,
    resource: plural,
    kind: { group, version, kind },
    json: (stored) => jsonOf(endpoint, endpoint.fromStored(stored)),
  };
}

/** A subresource with a kind of its own, such as Scale: rules name the resource, expressions see the view. */
function viewForm(call: RequestContext, view: Endpoint): AdmissionForm {
  const { group, version, plural } = call.endpoint, { read } = call.subresource!.definition.view!; // compiled from it
  return {
    group,
    version,
    resource: plural,
    kind: { group: view.group, version: view.version, kind: view.kind },
    json: (stored) => jsonOf(view, viewObject(view, stored, read(stored, hookContext(call)))),
  };
}

/** The request of an action, such as TokenRequest. */
function requestForm({ group, version, plural }: Endpoint, request: Endpoint): AdmissionForm {
  const kind = { group: request.group, version: request.version, kind: request.kind };
  return { group, version, resource: plural, kind, json: (object) => jsonOf(request, object) };
}

function jsonOf(endpoint: Endpoint, object: ApiObject): JsonObject {
  return plainJson(endpoint.encode(object)) as JsonObject; // we have written an object
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

function deleteOptionsJson({ propagationPolicy, orphanDependents, uid, resourceVersion }: DeleteRequest): JsonObject {
  const preconditions = { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  return {
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
  };
}
