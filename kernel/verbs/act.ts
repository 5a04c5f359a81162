import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { Resource } from "../../core/plugin.ts";
import { badRequestError, invalidError, noRouteError, notFoundError } from "../../core/status-error.ts";
import type { Endpoint, EndpointSubresource } from "../catalog/catalog.ts";
import { Item } from "../objects/objects.ts";
import { hookContext, type RequestContext, resourceName } from "../request-context.ts";
import { objectResult, shownResult, type VerbResult } from "../respond/result.ts";
import { conversionOf } from "../objects/served.ts";
import { writeOptions } from "../request/options.ts";
import { approveAction, mutatedAction } from "../write/admission/admit.ts";
import { checkNamespace } from "../write/namespace-lifecycle.ts";
import { servedEndpoint } from "../write/admission-server.ts";
import { readBody } from "../write/draft/body.ts";
import { recordOwners } from "../write/field-managers.ts";
import type { Start } from "../write/guaranteed-update.ts";
import { requestHookContext } from "../write/request-hook-context.ts";
import { setNamespace } from "../write/write-pipeline.ts";
import { actionObject } from "./action-object.ts";
import { keyOfCall } from "./key-of-call.ts";
import { replace } from "./update.ts";

/** POST of a subresource: an action on one object. 201 with the object, or with an object of the subresource's response kind. */
export async function act(call: RequestContext, subresource: EndpointSubresource): Promise<VerbResult> {
  const { backend, endpoint, info } = call;
  const { dryRun, fieldValidation } = writeOptions(info.query, "CreateOptions", call.catalog.names);
  const { perform, respond } = subresource.definition.create!; // the route checked that it supports POST
  const request = await requestOf(call, subresource, fieldValidation);
  await checkNamespace(call, info.name);
  const { response } = subresource;
  if (perform !== undefined && response !== undefined) {
    await approveAction(call, request);
    // From here on the request must not be repeated in the heavy thread: it stays in this one.
    const here: RequestContext = { ...call, heavy: undefined };
    return respondWith(response, await perform(request, actionObject(here), requestHookContext(here)));
  }
  const { item, renew } = await backend.reads.live(endpoint.stored, keyOfCall(call), call.deadline);
  const done = item && await store(call, { item, renew }, { subresource, request, dryRun });
  if (done === undefined) throw notFoundError(resourceName(call), info.name);
  if (respond === undefined || response === undefined) return objectResult(201, done);
  return respondWith(response, await respond(request, done.object, requestHookContext(call)));
}

/** The response in the kind of the subresource. */
function respondWith(response: Endpoint, body: object): VerbResult {
  const object = { kind: response.kind, apiVersion: response.apiVersion, metadata: {}, ...body } as ApiObject; // of the response's schema
  const shown = Item.unsaved(response.stored, "", response.applyDefaults(object), object.metadata.resourceVersion);
  return shownResult(201, shown, response);
}

/** POST of a kind that stands for an action on the object that the body names, such as `bindings`. */
export async function actOnNamed(call: RequestContext, of: NonNullable<Resource["actsOn"]>): Promise<VerbResult> {
  const { name = "" } = readBody(call, "Ignore").metadata;
  const endpoint = servedEndpoint(call.catalog, of.groupVersion, of.resource), subresource = endpoint?.subresources.get(of.subresource);
  if (endpoint === undefined || subresource === undefined) throw noRouteError();
  return await act({ ...call, endpoint, subresource, info: { ...call.info, name } }, subresource);
}

/** The body; undefined for an action without a request kind. */
async function requestOf(
  call: RequestContext,
  { definition, request, response }: EndpointSubresource,
  fieldValidation: Parameters<typeof readBody>[1],
): Promise<ApiObject | undefined> {
  if (request === undefined) return undefined;
  const shown: RequestContext = { ...call, endpoint: request }, { info } = call;
  const sent = await mutatedAction(call, setNamespace(shown, readBody(call, fieldValidation, shown)));
  if (definition.create?.validateRequest !== undefined) {
    const errors = definition.create.validateRequest(sent, info.name);
    if (errors.length > 0) throw invalidError({ group: request.group, name: request.kind }, info.name, errors);
  }
  const { name = info.name } = sent.metadata;
  if (name !== info.name) throw badRequestError(`name in URL does not match name in ${request.kind} object`);
  const owned = response?.schema === request.schema ? await recordOwners(shown, sent, undefined) : sent;
  return { ...owned, metadata: { ...owned.metadata, name } };
}

interface Action {
  readonly subresource: EndpointSubresource;
  readonly request: ApiObject | undefined;
  readonly dryRun: boolean;
}

/** Validates and admits the action, and stores the changed object; undefined if the object was deleted. */
async function store(call: RequestContext, start: Start, { subresource, request, dryRun }: Action): Promise<Item | undefined> {
  const { endpoint, info } = call;
  const { validate, write, isDirect } = subresource.definition.create!; // as above
  const check = (object: ApiObject) => {
    const errors = validate?.(request, object, hookContext(call)) ?? [];
    const { group, kind } = subresource.request ?? endpoint;
    if (errors.length > 0) throw invalidError({ group, name: kind }, info.name, errors);
  };
  if (write === undefined) {
    check(start.item.object);
    await approveAction(call, request);
    return start.item;
  }
  return await replace(call, start, dryRun, async (current) => {
    check(current.object);
    await approveAction(call, request);
    const object = conversionOf(endpoint, write(request, current.object, requestHookContext(call)));
    return { object, expected: current.revision, ...(isDirect ? { hasOwners: true } : {}) };
  });
}
