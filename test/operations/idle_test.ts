// SIGTERM ends the program without a wait for idle connections, and completes requests in flight.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";
import { type RealServer, type Runtime, startRealServer, startSkipped } from "../real-server.ts";

const timeout = 240_000;
/** Below the grace period of 10 s for requests in flight, far above the actual duration. */
const endsWithinMs = 8_000;

/** A connection whose client keeps its side open when the server ends. */
function opened({ port, ca }: RealServer, protocol: string): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    // Types do not know that TLS sockets take `allowHalfOpen`.
    const options: ConnectionOptions & { readonly allowHalfOpen: boolean } = {
      host: "127.0.0.1",
      port,
      ca,
      ALPNProtocols: [protocol],
      allowHalfOpen: true,
    };
    const socket = connect(options, () => resolve(socket));
    socket.on("error", reject);
  });
}
function answered(socket: TLSSocket): Promise<string> {
  return new Promise((resolve) => socket.once("data", (chunk: Buffer) => resolve(chunk.toString("latin1"))));
}

const get = "GET /livez HTTP/1.1\r\nhost: x\r\n\r\n";

for (const runtime of ["deno", "node"] satisfies readonly Runtime[]) {
  test(`${runtime}: SIGTERM waits for no idle connection`, { timeout, skip: startSkipped(runtime) }, async () => {
    const server = await startRealServer({ runtime });
    const sockets = await Promise.all(["http/1.1", "http/1.1", "http/1.1", "h2", "h2"].map((protocol) => opened(server, protocol)));
    const [, half, used, , session] = sockets as [TLSSocket, TLSSocket, TLSSocket, TLSSocket, TLSSocket];
    const ready = [answered(used), answered(session)];
    half.write(get.slice(0, -4));
    used.write(get);
    session.write(Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])]));
    await Promise.all(ready);
    const signalled = performance.now();
    server.signal("SIGTERM");
    assert.equal(await server.exited, 0);
    assert.ok(performance.now() - signalled < endsWithinMs);
    for (const socket of sockets) socket.destroy();
    await server.close();
  });
}
