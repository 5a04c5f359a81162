/** The input of a TLS connection while it is paused. */
import type { TLSSocket } from "node:tls";

/**
 * Stops the input of a connection while it is paused. Deno (seen in 2.9.6) continues to read a paused TLS socket and buffers without a bound, so
 * a server that sends much could fill the memory. Node stops reading. The handle of the TCP connection is internal; if it is missing, nothing is
 * done.
 */
export function stopWhilePaused(socket: TLSSocket): void {
  if (!("Deno" in globalThis)) return;
  socket.on("pause", () => tcpOf(socket)?.readStop?.()).on("resume", () => tcpOf(socket)?.readStart?.());
}

function tcpOf(socket: TLSSocket): Tcp | null | undefined {
  return (socket as { _handle?: { readonly _parent?: Tcp | null } | null })._handle?._parent;
}
interface Tcp {
  readStop?(): unknown;
  readStart?(): unknown;
}
