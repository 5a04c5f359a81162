import { conflictError, notFoundError, StatusError } from "../../core/status-error.ts";
import { objectResult, type VerbResult } from "../respond/result.ts";
import { noteApplied } from "../write/draft/audited.ts";
import { appliedObject, type ApplyDocument } from "../write/draft/apply.ts";
import { settle } from "../write/awaited-versions.ts";
import { type ShownKind, shownKind } from "./shown-kind.ts";
import { keyOfCall } from "./key-of-call.ts";
import type { Item } from "../objects/objects.ts";
import { type WriteOptions, writeOptions } from "../request/options.ts";
import { servedObject } from "../objects/served.ts";
import { setNamespace } from "../write/write-pipeline.ts";
import { type RequestContext, resourceName, runInBudget } from "../request-context.ts";
import { store } from "./create.ts";
import type { Start } from "../write/guaranteed-update.ts";
import { checkName, expectedRevision, refuseAbsent, replace } from "./update.ts";
import { bound } from "../../core/bound.ts";

/** Attempts of an apply whose object was absent and then could not be created. Other races are retried until the request ends. */
const updateTries = bound(5);

/** PATCH by server-side apply of the document that `read` parses: 200 with the object, or 201 if it was created. */
export async function apply(call: RequestContext, read: (body: Uint8Array) => ApplyDocument): Promise<VerbResult> {
  const { backend, endpoint, info, body } = call;
  const options = writeOptions(info.query, "PatchOptions", call.catalog.names, true);
  const key = keyOfCall(call);
  // For a subresource, the absence of the object is reported before errors in the body.
  if (call.subresource !== undefined && (await backend.reads.live(endpoint.stored, key, call.deadline)).item === undefined) {
    throw notFoundError(resourceName(call), info.name);
  }
  const document = read(body);
  if (call.audit !== undefined) noteApplied(call, body, document.config);
  const shown = shownKind(call);
  for (let tries = 1;; tries++) {
    const { item, renew } = await backend.reads.live(endpoint.stored, key, call.deadline);
    const written = item && await applyToLive(call, { item, renew }, document, options, shown);
    if (written !== undefined) return shown.answer(written);
    try {
      return objectResult(201, await createApplied(call, document, options, shown));
    } catch (error) {
      // Another request has created it meanwhile: apply on top of that object.
      if (!(error instanceof StatusError && error.reason === "AlreadyExists") || tries >= updateTries) throw error;
    }
  }
}

function applyToLive(
  call: RequestContext,
  start: Start,
  document: ApplyDocument,
  options: WriteOptions,
  shown: ShownKind,
): Promise<Item | undefined> {
  return replace(call, start, options.dryRun, async (current) => {
    const live = servedObject(shown.call.endpoint, shown.live(current));
    const object = await settle(shown.call, (own) => runInBudget(call, () => appliedObject(own, live, document, options)));
    checkName(call, object);
    return shown.attempt(current, setNamespace(shown.call, object), expectedRevision(object.metadata.resourceVersion), true);
  });
}

async function createApplied(call: RequestContext, document: ApplyDocument, options: WriteOptions, shown: ShownKind): Promise<Item> {
  const object = await settle(shown.call, (own) => runInBudget(call, () => appliedObject(own, undefined, document, options)));
  if (call.subresource !== undefined) throw notFoundError(resourceName(call), call.info.name);
  checkName(call, object);
  refuseAbsent(call);
  const { uid } = object.metadata;
  if (uid !== undefined) {
    const reason = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    throw conflictError(resourceName(call), call.info.name, reason);
  }
  expectedRevision(object.metadata.resourceVersion); // must be a number; its value is ignored
  const { resourceVersion: _, ...metadata } = object.metadata;
  await call.authorize({ ...call.info, verb: "create" });
  return await store(call, setNamespace(call, { ...object, metadata }), options.dryRun, "apply");
}
