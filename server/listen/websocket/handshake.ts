/** The handshake of a websocket (RFC 6455, section 4). */
import type { IncomingHttpHeaders } from "node:http";
import type { Refusal } from "../head-check.ts";

/** Whether a request offers a websocket. Other upgrades, and offers without a key, are answered as if they were none. */
export function offersWebSocket(
  { method, headers }: { readonly method?: string | undefined; readonly headers: IncomingHttpHeaders },
): boolean {
  return method === "GET" && headers.upgrade?.toLowerCase() === "websocket" && headers["sec-websocket-key"] !== undefined &&
    words(headers.connection).some((word) => word.toLowerCase() === "upgrade");
}

/**
 * Whether a request offers any other protocol. One with a body does not: the runtimes do not tell its end from the new protocol. Those who offer
 * HTTP/2 in clear text ask for nothing that a TLS connection has.
 */
export function offersUpgrade(
  { method, headers }: { readonly method?: string | undefined; readonly headers: IncomingHttpHeaders },
): boolean {
  const { upgrade, connection, "content-length": length = "0", "transfer-encoding": coding } = headers;
  if (length !== "0" || coding !== undefined) return false;
  if (offersWebSocket({ method, headers })) return true;
  return upgrade !== undefined && upgrade.toLowerCase() !== "websocket" && upgrade.toLowerCase() !== "h2c" &&
    words(connection).some((word) => word.toLowerCase() === "upgrade");
}

/** Why the offer cannot be accepted; undefined if it can. */
export function handshakeMistake(headers: IncomingHttpHeaders): Refusal | undefined {
  if (headers["sec-websocket-version"] !== "13") {
    return { status: "426 Upgrade Required", detail: "the websocket's version must be 13" };
  }
  const key = headers["sec-websocket-key"] ?? "";
  const isKey = typeof key === "string" && key.length === 24 && Buffer.from(key, "base64").toString("base64") === key;
  return isKey ? undefined : { status: "400 Bad Request", detail: "Sec-WebSocket-Key must be 16 bytes in base64" };
}

function words(value: string | undefined): readonly string[] {
  return (value ?? "").split(",").map((word) => word.trim());
}
