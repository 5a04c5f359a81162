/** Offers of websockets whose protocols no kubelet speaks: kube-apiserver speaks SPDY with the kubelet in their place (KEP-4006). */
import type { ConnectReply, ConnectRequest, HeaderFields } from "../../../../toolbox.ts";
import { acceptOf } from "../../../../protocols/websocket/server-frames.ts";

/** The protocol of the streams of a process whose messages can end a stream. */
export const streamsProtocol = "v5.channel.k8s.io";
/** Before the name of a protocol that goes on over SPDY within the websocket. */
const tunnelPrefix = "SPDY/3.1+";
const suffix = ".k8s.io";

/** Whether a client offers a websocket. */
export function isWebSocket({ headers, mayUpgrade }: Pick<ConnectRequest, "headers" | "mayUpgrade">): boolean {
  return mayUpgrade && String(headers["upgrade"]).toLowerCase() === "websocket";
}

/** The subprotocols that a client offers with a websocket; none for other requests. */
export function protocolsOf(request: Pick<ConnectRequest, "headers" | "mayUpgrade">): readonly string[] {
  if (!isWebSocket(request)) return [];
  return [request.headers["sec-websocket-protocol"] ?? []].flat().flatMap((line) => line.split(",")).map((word) => word.trim());
}

export function offersStreams(request: Pick<ConnectRequest, "headers" | "mayUpgrade">): boolean {
  return protocolsOf(request).includes(streamsProtocol);
}

/** The protocols that the client would speak over SPDY within the websocket. */
export function tunneledProtocols(request: Pick<ConnectRequest, "headers" | "mayUpgrade">): readonly string[] {
  return protocolsOf(request).filter((protocol) => protocol.startsWith(tunnelPrefix) && protocol.endsWith(suffix)).map((protocol) =>
    protocol.slice(tunnelPrefix.length)
  );
}

/** The name of a protocol within a websocket. */
export function tunnelOf(protocol: string): string {
  return tunnelPrefix + protocol;
}

/** Headers that offer SPDY and these protocols. */
export function spdyOffer(protocols: readonly string[]): HeaderFields {
  return { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": protocols };
}

/** Whether a server has accepted SPDY. */
export function isSpdy({ headers }: { readonly headers?: HeaderFields }): boolean {
  return String(headers?.["upgrade"]).toLowerCase().includes("spdy/3.1");
}

/** The head of the reply that accepts a websocket. Without a protocol, the client decides whether it goes on. */
export function accepted(
  { headers }: Pick<ConnectRequest, "headers">,
  protocol: string | undefined,
): Pick<ConnectReply, "status" | "headers"> {
  const own = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-accept": acceptOf(String(headers["sec-websocket-key"])) };
  return { status: 101, headers: protocol === undefined ? own : { ...own, "sec-websocket-protocol": protocol } };
}
