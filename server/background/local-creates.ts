/** Several creates of one caller in the process as one request: it is authorized once, and has values in place of encoded bodies and replies. */
import type { Json } from "../../core/json.ts";
import { requestContextOf, requestStepsMax } from "../../kernel/pipeline/dispatch.ts";
import { Deadline } from "../../kernel/request/deadline.ts";
import { type RequestInfo, requestInfo } from "../../kernel/request/request-info.ts";
import { route } from "../../kernel/request/route.ts";
import { Warnings } from "../../kernel/request/warnings.ts";
import { requestBudget, type RequestContext } from "../../kernel/request-context.ts";
import { toStatusError } from "../../kernel/respond/failure.ts";
import type { Server } from "../../kernel/server.ts";
import { createValue } from "../../kernel/verbs/create.ts";
import { authorizeLocal, exchangeOf, type LocalCaller } from "./local-call.ts";

/** The outcomes of creates, in the order of their objects. */
export type Outcomes = readonly PromiseSettledResult<void>[];

/**
 * Creates objects of a collection. Undefined if each needs a request of its own: for the audit, for a kind that this server does not have or
 * that is custom or deprecated, and if the group version belongs to another server.
 */
export function localCreates(server: Server, caller: LocalCaller, url: string, objects: readonly unknown[]): Promise<Outcomes> | undefined {
  const info = requestInfo("POST", url)!; // our own URLs are well-formed
  const endpoint = server.catalog.endpoint(info.group, info.version, info.resource);
  const isPlain = endpoint !== undefined && endpoint.resource.custom !== true && endpoint.deprecation === undefined;
  if (!isPlain || server.audit !== undefined || server.isElsewhere?.(info.path) === true) return undefined;
  for (const _ of objects) server.countOwnRequest("POST", info);
  return createAll(server, caller, { url, info }, objects);
}

async function createAll(
  server: Server,
  caller: LocalCaller,
  { url, info }: { readonly url: string; readonly info: RequestInfo },
  objects: readonly unknown[],
): Promise<Outcomes> {
  const exchange = exchangeOf({ method: "POST", url }, caller.manager), { catalog } = server, { user } = caller;
  using deadline = new Deadline(exchange, server.requestTimeoutMs);
  let call: RequestContext;
  try {
    await authorizeLocal(server, caller, user, info);
    const where = route(info, "POST", catalog, catalog.endpoint(info.group, info.version, info.resource));
    call = requestContextOf({ exchange, info, where, user, catalog, server, warnings: new Warnings(), step() {} }, deadline);
  } catch (error) {
    const reason = toStatusError(error, info, server.report);
    return objects.map(() => ({ status: "rejected", reason }));
  }
  return await Promise.allSettled(objects.map(async (object) => {
    try {
      // Objects of plugins are small: none goes to the heavy thread.
      await createValue({ ...call, heavy: undefined, takeBacks: [], budget: requestBudget(requestStepsMax) }, object as Json); // a plain value
    } catch (error) {
      throw toStatusError(error, info, server.report);
    }
  }));
}
