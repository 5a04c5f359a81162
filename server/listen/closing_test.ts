// Listener.close() ends idle connections at once, independent of their clients; requests in progress finish.
import assert from "node:assert/strict";
import { connect as tcpConnect, type Socket } from "node:net";
import { test } from "node:test";
import { connect as tlsConnect, type ConnectionOptions, type TLSSocket } from "node:tls";
import type { Exchange, Reply } from "../../kernel/request/exchange.ts";
import { rawConnection, signalled, type TestServer, textReply, withServer } from "./testing/clients.ts";

const timeout = 60_000;
/** Milliseconds, far more than the timeout of a test: an idle connection that waits for it fails the test. */
const graceMs = 600_000;
const get = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";

/** A connection whose client keeps its side open when the server ends. */
function stubborn({ listener, ca }: TestServer, protocol: string): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    // Types do not know that TLS sockets take `allowHalfOpen`.
    const options: ConnectionOptions & { readonly allowHalfOpen: boolean } = {
      host: "127.0.0.1",
      port: listener.port,
      ca: ca.cert,
      ALPNProtocols: [protocol],
      allowHalfOpen: true,
    };
    const socket = tlsConnect(options, () => resolve(socket.resume()));
    socket.on("error", reject);
  });
}
function written(socket: Socket, data: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => void socket.write(data, () => resolve()));
}
function answered(socket: Socket): Promise<string> {
  return new Promise((resolve) => socket.once("data", (chunk: Buffer) => resolve(chunk.toString("latin1"))));
}
const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);

const idle: readonly (readonly [what: string, open: (server: TestServer) => Promise<Socket>])[] = [
  ["before its handshake", ({ listener }) =>
    new Promise((resolve) => {
      const socket = tcpConnect({ host: "127.0.0.1", port: listener.port, allowHalfOpen: true }, () => resolve(socket.resume()));
    })],
  ["that sent nothing", (server) => stubborn(server, "http/1.1")],
  ["with half a head", async (server) => {
    const socket = await stubborn(server, "http/1.1");
    await written(socket, get.slice(0, -4));
    return socket;
  }],
  ["behind an answer", async (server) => {
    const socket = await stubborn(server, "http/1.1");
    const answer = answered(socket);
    socket.write(get);
    assert.match(await answer, /^HTTP\/1\.1 200 /);
    return socket;
  }],
  ["with half a head behind an answer", async (server) => {
    const socket = await stubborn(server, "http/1.1");
    const answer = answered(socket);
    socket.write(get + get.slice(0, -4));
    await answer;
    return socket;
  }],
  ["of HTTP/2 that sent nothing", (server) => stubborn(server, "h2")],
  ["of HTTP/2 without requests", async (server) => {
    const socket = await stubborn(server, "h2");
    const first = answered(socket);
    socket.write(Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), settings]));
    await first;
    return socket;
  }],
];
for (const [what, open] of idle) {
  test(
    `Listener.close() ends a connection ${what} at once, although its client does not`,
    { timeout },
    () =>
      withServer(() => Promise.resolve(textReply("here")), async (server) => {
        const socket = await open(server);
        // The end may be a reset.
        const ended = new Promise<void>((resolve) => socket.once("end", resolve).once("error", () => resolve()));
        await server.listener.close(graceMs);
        await ended;
        socket.destroy();
      }),
  );
}

for (const body of ["", "content-length: 5\r\n"]) {
  test(`Listener.close() waits for an answer${body === "" ? "" : " whose request never ends"}, but not for its client`, { timeout }, () => {
    const [began, go] = [signalled(), signalled()];
    const handle = async (_: Exchange): Promise<Reply> => {
      began.done();
      await go.promise;
      return textReply("answered");
    };
    return withServer(handle, async (server) => {
      const socket = await stubborn(server, "http/1.1");
      socket.write(`POST / HTTP/1.1\r\nhost: x\r\n${body}\r\n`);
      await began.promise;
      const closed = server.listener.close(graceMs);
      const answer = answered(socket);
      go.done();
      assert.match(await answer, /^HTTP\/1\.1 200 [^]*answered$/);
      await closed;
      socket.destroy();
    });
  });
}

test("Listener.close() accepts no further request of a connection with an answer in progress", { timeout }, () => {
  const [began, go] = [signalled(), signalled()];
  const seen: string[] = [];
  const handle = async ({ url }: Exchange): Promise<Reply> => {
    seen.push(url);
    began.done();
    await go.promise;
    return textReply("answered");
  };
  return withServer(handle, async ({ listener, ca }) => {
    const socket = await rawConnection(listener, ca);
    socket.write(get);
    await began.promise;
    const closed = listener.close(graceMs);
    const answer = answered(socket);
    go.done();
    assert.match(await answer, /connection: close/i);
    socket.write(get);
    await closed;
    assert.deepEqual(seen, ["/"]);
  });
});
