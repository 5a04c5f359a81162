import { canStream, notAcceptable, watchMediaType } from "../../core/codec/negotiate.ts";
import { badRequestError } from "../../core/status-error.ts";
import type { VerbResult } from "../respond/result.ts";
import type { RequestContext } from "../request-context.ts";
import { framingOf, writable } from "../respond/framing.ts";
import { checkCollectionKey, checkKey } from "./key-of-call.ts";
import { type ListOptions, listOptions } from "../request/options.ts";
import { refuseCrossSite } from "../request/websocket.ts";
import { collectionOf, revisionOf } from "../reads/reads.ts";

/** GET with `watch`, or below the deprecated `/watch/` prefix: events as frames until the timeout. */
export async function watch(call: RequestContext): Promise<VerbResult> {
  const { endpoint, info, catalog, output, backend } = call;
  refuseCrossSite(call.exchange);
  const given = listOptions(info.query, endpoint, catalog, info.watchPrefix);
  // A path below the deprecated prefix may have a name; the watch is of that object only, or of all objects of that name.
  const name = info.watchPrefix ? info.name : "", isOne = name !== "" && (info.namespace !== "" || !endpoint.namespaced);
  const options = name === "" ? given : ofName(given, name);
  revisionOf(options.resourceVersion, "watch");
  const framing = framingOf(call);
  if (!canStream(output.encoding)) throw notAcceptable(catalog.media.streamTypes);
  if (isOne) checkKey(endpoint, info.namespace, name);
  else checkCollectionKey(endpoint, info.namespace, options.fields);
  const givenUp = new AbortController();
  const frames = await backend.reads.watch({
    collection: collectionOf(backend.prefix, endpoint, info.namespace, isOne ? name : ""),
    options,
    framing,
    names: catalog.names,
    watchScope: call.exchange.watchScope,
    connection: call.exchange.connection,
    ms: lastsMs(call, options),
    signal: AbortSignal.any([call.deadline.signal, backend.ending()]),
    tooSlow: () => givenUp.abort(),
  });
  const wantsLists = output.transform.as === "PartialObjectMetadataList";
  return {
    tag: "feed",
    contentType: watchMediaType(output.encoding, catalog.names),
    frames: wantsLists ? writable(frames) : frames,
    givenUp: givenUp.signal,
  };
}

/** Selects the name of the path. Throws 400 if the field selector selects another object. */
function ofName(options: ListOptions, name: string): ListOptions {
  const { fields } = options;
  if (fields.length === 0) return { ...options, fields: [{ field: "metadata.name", operator: "=", value: name }] };
  const named = fields.find(({ field, operator }) => field === "metadata.name" && operator === "=");
  if (named?.value !== name) throw badRequestError("fieldSelector metadata.name doesn't match requested name");
  return options;
}

function lastsMs({ backend }: RequestContext, { timeoutSeconds }: ListOptions): number {
  const seconds = timeoutSeconds !== undefined && timeoutSeconds !== 0
    ? timeoutSeconds
    : backend.minRequestTimeoutSeconds * (1 + backend.clock.random());
  return Math.max(seconds, 0) * 1000;
}
