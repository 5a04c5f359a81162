/**
 * Converts objects between versions for managed fields, where calls convert the versions of the kind. The rules of ownership are
 * synchronous and without effects. A conversion that is not known ends their run; it is then called, and they run again:
 *
 *   run ──> NotConverted ──> call ──> run ──> NotConverted ──> call ──> run ──> result
 *
 * The number of runs is bounded by the versions of the kind and the few states that ownership compares.
 */
import { abortable } from "../../core/async.ts";
import { goJson } from "../../core/tree/json-text.ts";
import { isObject, type Json, type JsonObject } from "../../core/json.ts";
import { NotConvertible } from "../../core/apply/mod.ts";
import { StatusError } from "../../core/status-error.ts";
import { convertAll } from "../conversion/conversions.ts";
import type { RequestContext } from "../request-context.ts";

/** Thrown if a conversion has to be called before the rules can continue. */
class NotConverted extends Error {
  readonly object: JsonObject;
  readonly to: string;
  constructor(object: JsonObject, to: string) {
    super(`the object is not yet converted to ${to}`);
    this.object = object;
    this.to = to;
  }
}

/**
 * Returns the object in another version. Only the run of `settle` may call this, with the context that the run got. Throws `NotConvertible`
 * if the conversion has failed.
 */
export function awaitedVersion({ awaited }: RequestContext, object: Json, from: string, to: string): JsonObject {
  const sent: JsonObject = { ...(isObject(object) ? object : {}), apiVersion: from };
  if (isEmpty(sent)) return { ...sent, apiVersion: to };
  const found = awaited?.get(to)?.get(goJson(sent));
  if (found === undefined) throw new NotConverted(sent, to);
  if (found instanceof StatusError) throw new NotConvertible(found.message, { isFailedCall: true });
  return found;
}

/**
 * Returns the result of `run`. After each conversion that is missing, the conversion is called and `run` runs again, with a context that
 * has all conversions so far. The result is not a Promise, except for kinds that are converted by calls.
 */
export function settle<T>(call: RequestContext, run: (call: RequestContext) => T): T | Promise<T> {
  return call.endpoint.resource.conversion === undefined ? run(call) : settleByCalls(call, run);
}

async function settleByCalls<T>(call: RequestContext, run: (call: RequestContext) => T): Promise<T> {
  const awaited = new Map<string, Map<string, JsonObject | StatusError>>(), own = { ...call, awaited };
  for (;;) {
    try {
      return run(own);
    } catch (error) {
      if (!(error instanceof NotConverted)) throw error;
      const { object, to } = error, ofVersion = awaited.get(to) ?? new Map<string, JsonObject | StatusError>();
      awaited.set(to, ofVersion.set(goJson(object), await convert(call, error)));
      call.deadline.signal.throwIfAborted();
    }
  }
}

async function convert({ endpoint, backend, deadline }: RequestContext, { object, to }: NotConverted): Promise<JsonObject | StatusError> {
  const { conversion } = endpoint.resource;
  if (conversion === undefined || backend.conversions === undefined) throw new Error("conversions cannot be called");
  try {
    const [result] = await abortable(convertAll(conversion, [{ object, bytes: 0 }], to, backend.conversions), deadline.signal);
    return result!; // there is one result for each object
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
}

/** Whether an object has no contents. As upstream, such an object is not sent to a webhook. */
function isEmpty({ kind: _kind, apiVersion: _apiVersion, metadata, ...contents }: JsonObject): boolean {
  return Object.keys(contents).length === 0 && (!isObject(metadata) || Object.keys(metadata).length === 0);
}
