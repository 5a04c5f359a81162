/** The reply with a log: plain, or as messages for a browser, which can follow a log only over a websocket. */
import { type ConnectReply, type ConnectRequest, tokenProtocol } from "../../../toolbox.ts";
import { badRequestError } from "../../../plugin.ts";
import { isWebSocket, protocolsOf } from "./websocket/offer.ts";

/** The subprotocol whose messages are base64; those of the others are the bytes of the log. */
const base64Protocol = "base64.binary.k8s.io", binaryProtocols: readonly (string | undefined)[] = [undefined, "binary.k8s.io"];

/** The log as text, or over the websocket that the client offers. Throws 400 for a subprotocol that logs do not have. */
export function logReply(
  request: Pick<ConnectRequest, "headers" | "mayUpgrade">,
  log: Exclude<ConnectReply["body"], Uint8Array>,
): ConnectReply {
  if (!isWebSocket(request)) return { status: 200, headers: { "content-type": "text/plain" }, body: log };
  const protocol = protocolsOf(request).find((each) => !each.startsWith(tokenProtocol));
  const headers = protocol === undefined ? {} : { "sec-websocket-protocol": protocol };
  if (protocol === base64Protocol) return { status: 101, headers, body: inBase64(log), messages: "lines" };
  if (!binaryProtocols.includes(protocol)) {
    throw badRequestError(`logs are sent as base64.binary.k8s.io or binary.k8s.io, not as ${protocol}`);
  }
  return { status: 101, headers, body: chunksOf(log), messages: "whole" };
}

async function* chunksOf(log: Exclude<ConnectReply["body"], Uint8Array>): AsyncGenerator<Uint8Array> {
  if (typeof log !== "string") yield* log;
  else if (log !== "") yield Buffer.from(log);
}

async function* inBase64(log: Exclude<ConnectReply["body"], Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunksOf(log)) yield Buffer.from(Buffer.from(chunk).toString("base64"));
}
