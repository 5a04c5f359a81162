import { badRequestError, notFoundError, StatusError } from "../../core/status-error.ts";
import type { VerbResult } from "../respond/result.ts";
import { type Exchange, header } from "../request/exchange.ts";
import { notePatch } from "../write/draft/audited.ts";
import { readApply, readCborApply } from "../write/draft/apply.ts";
import { applyCborMediaType, applyMediaType, type Media, unsupportedMediaType } from "../../core/codec/negotiate.ts";
import type { Endpoint } from "../catalog/catalog.ts";
import { patchMediaTypes } from "../../core/patch/media-types.ts";
import { type Dialect, dialectOf } from "../write/draft/patch.ts";
import { shownKind } from "./shown-kind.ts";
import { keyOfCall } from "./key-of-call.ts";
import { writeOptions } from "../request/options.ts";
import type { Route } from "../request/route.ts";
import { setNamespace } from "../write/write-pipeline.ts";
import { type RequestContext, resourceName, runInBudget } from "../request-context.ts";
import { apply } from "./apply.ts";
import { checkName, expectedRevision, replace } from "./update.ts";

/** PATCH of one object, in the dialect of the content type. */
export async function patch(call: RequestContext): Promise<VerbResult> {
  const type = patchType(call.exchange);
  if (type === applyMediaType) return await apply(call, readApply);
  if (type === applyCborMediaType && patchMediaTypes(call.catalog.media, call.endpoint).includes(type)) {
    return await apply(call, readCborApply);
  }
  const dialect = dialectOf(type, call.endpoint);
  if (dialect === undefined) throw unsupportedMediaType(patchMediaTypes(call.catalog.media, call.endpoint));
  return await applyPatch(call, dialect);
}

/**
 * Throws 415 for a media type that no patch has. As upstream, this check of routing ignores spaces around it, and the selection of the
 * dialect does not. Custom resources have the selection only.
 */
export function checkPatchType(
  { exchange, endpoint, media }: { readonly exchange: Exchange; readonly endpoint: Endpoint; readonly media: Media },
): void {
  const type = patchType(exchange).trim();
  if (dialectOf(type, endpoint) === undefined && !patchMediaTypes(media, endpoint).includes(type)) {
    throw new StatusError("UnsupportedMediaType", "415: Unsupported Media Type", { details: {} });
  }
}

/** Throws 400 for a write of a collection, which only custom resources have. As upstream, the media type of a patch is checked before, and nothing else. */
export function checkNamed(
  { exchange, info, where: { endpoint, verb }, catalog }: Pick<RequestContext, "exchange" | "info" | "catalog"> & { readonly where: Route },
): void {
  if (info.name !== "" || (verb !== "update" && verb !== "patch")) return;
  const accepted = patchMediaTypes(catalog.media, endpoint);
  if (verb === "patch" && !accepted.includes(patchType(exchange))) throw unsupportedMediaType(accepted);
  throw badRequestError("name must be provided");
}

function patchType(exchange: Exchange): string {
  return header(exchange, "content-type").split(";")[0]!;
}

/** Applies the patch to the live object, and again after each conflicting write. */
async function applyPatch(call: RequestContext, dialect: Dialect): Promise<VerbResult> {
  const { body } = call;
  const { dryRun, fieldValidation } = writeOptions(call.info.query, "PatchOptions", call.catalog.names);
  if (call.audit !== undefined) notePatch(call, body);
  const { backend, endpoint, info } = call;
  const key = keyOfCall(call);
  const { item, renew } = await backend.reads.live(endpoint.stored, key, call.deadline);
  if (item === undefined) throw notFoundError(resourceName(call), info.name);
  const shown = shownKind(call);
  const change = dialect(shown.call, body, fieldValidation);
  const written = await replace(call, { item, renew }, dryRun, (current) => {
    const live = shown.live(current);
    const object = runInBudget(call, () => change(live));
    checkName(call, object);
    // The resourceVersion is that of the live object, unless the patch sets another one, which then rejects every attempt.
    const drafted = setNamespace(shown.call, runInBudget(call, () => shown.call.endpoint.applyDefaults(object)));
    return shown.attempt(current, drafted, expectedRevision(object.metadata.resourceVersion));
  });
  if (written === undefined) throw notFoundError(resourceName(call), info.name);
  return shown.answer(written);
}
