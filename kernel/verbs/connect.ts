/** Subresources that connect a client with another server. */
import { optionsOfConnect, restOf, type SubresourceConnect, withoutCredentials } from "../../core/connect.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { badRequestError } from "../../core/status-error.ts";
import type { RequestContext } from "../request-context.ts";
import type { Reply } from "../request/exchange.ts";
import { refuseCrossSite } from "../request/websocket.ts";
import { approveAction, mutatedAction } from "../write/admission/admit.ts";
import { requestHookContext } from "../write/request-hook-context.ts";

/** Any method of a subresource that connects: the reply is that of another server. */
export async function connect(call: RequestContext): Promise<Reply> {
  const { exchange, info, backend: { peers, identityHeaders }, subresource } = call;
  const { open, isRead = false } = subresource!.definition.connect as SubresourceConnect; // the caller has checked it
  if (peers === undefined) throw new Error("a server without connections serves a subresource that needs them");
  refuseCrossSite(exchange);
  if (!isRead && info.query.has("dryRun")) throw badRequestError("dryRun is not supported");
  const { path, namespace, name } = info, { method, url, remote, signal } = exchange, rest = restOf(info.parts.slice(3), path);
  const sent = optionsOfConnect(subresource!.options!, info.query, rest) as ApiObject;
  const options = isRead ? sent : await mutatedAction(call, sent);
  if (!isRead) await approveAction(call, options);
  const { status, headers = {}, ...reply } = await open({
    ...{ options, method, url, path, namespace, name, rest, remote, signal, peers },
    headers: withoutCredentials(exchange.headers, identityHeaders?.()),
    body: exchange.stream?.(),
    mayUpgrade: exchange.offersUpgrade === true,
    authorize: (verb) => verb === info.verb ? Promise.resolve() : call.authorize({ ...info, verb }),
  }, requestHookContext(call));
  return { status, headers: headers as Reply["headers"], ...reply };
}
