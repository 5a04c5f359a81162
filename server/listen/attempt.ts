import { connect } from "node:tls";
import type { Attempt } from "./accept-watch.ts";

/** Milliseconds in which a listener that accepts has answered. */
export const answerMsMax = 2_000;
/** Lateness of a timer above which this process was busy, so that the answer may be late too. */
const lateMs = 500;

/**
 * Connects to a listener of this process, and closes the connection after its handshake.
 *
 * @param host the address that the listener is bound to, also 0.0.0.0 and ::, by which Linux and macOS reach this machine: Deno permits no
 *   other address
 * @param isOwn whether this listener has accepted a connection from this port of this machine
 */
export function attemptOn(host: string, port: number, isOwn: (localPort: number) => boolean, answerMs = answerMsMax): Promise<Attempt> {
  return new Promise((resolve) => {
    const end = (attempt: Attempt): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(attempt);
    };
    const socket = connect({ host, port, rejectUnauthorized: false });
    let due = performance.now() + answerMs;
    const late = (): void => {
      if (performance.now() - due < lateMs) return end("unanswered");
      due = performance.now() + answerMs;
      timer = setTimeout(late, answerMs);
    };
    let timer = setTimeout(late, answerMs);
    socket.once("secureConnect", () => end(isOwn(socket.localPort ?? 0) ? "accepted" : "elsewhere"));
    socket.once("error", (error) => end("code" in error && error.code === "ECONNREFUSED" ? "unanswered" : "impossible"));
  });
}
