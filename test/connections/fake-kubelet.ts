/** A small kubelet for tests: TLS, logs, and upgrades whose bytes it gives back. */
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { IncomingMessage, ServerResponse } from "node:http";
import { issue } from "../../server/listen/testing/clients.ts";
import type { KeyedCertificate } from "../../protocols/x509/certificate.ts";
import { acceptOf } from "../../protocols/websocket/server-frames.ts";

export interface FakeKubelet {
  readonly port: number;
  readonly authority: KeyedCertificate;
  /** The requests so far: method and URL. */
  readonly asked: string[];
  readonly headers: IncomingMessage["headers"][];
  close(): void;
}

/** `answer`: answers plain requests. Upgrades are accepted, and what arrives goes back, after a greeting. `names`: those of its certificate. */
export async function fakeKubelet(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  upgrade: (request: IncomingMessage, socket: Duplex, head: Uint8Array) => void = echo,
  names: readonly string[] = ["localhost", "127.0.0.1"],
): Promise<FakeKubelet> {
  const authority = issue({ usage: "ca", commonName: "kubelet authority" });
  const serving = issue({ usage: "server", names }, authority);
  const asked: string[] = [], headers: IncomingMessage["headers"][] = [], sockets = new Set<Duplex>();
  const note = (request: IncomingMessage) => {
    asked.push(`${request.method} ${request.url}`);
    headers.push(request.headers);
  };
  const server: Server = createServer({ cert: serving.cert, key: serving.key, requestCert: true, rejectUnauthorized: false });
  server.on("request", (request, response) => {
    note(request);
    answer(request, response);
  });
  server.on("secureConnection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
  });
  server.on("upgrade", (request, socket, head) => {
    note(request);
    upgrade(request, socket, head);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    authority,
    asked,
    headers,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Accepts the offer. All bytes go back. */
export function echo(request: IncomingMessage, socket: Duplex, head: Uint8Array): void {
  const key = request.headers["sec-websocket-key"],
    protocol = request.headers["sec-websocket-protocol"] ?? request.headers["x-stream-protocol-version"];
  const own = key === undefined
    ? `x-stream-protocol-version: ${protocol}\r\n`
    : `sec-websocket-accept: ${acceptOf(key)}\r\nsec-websocket-protocol: ${protocol}\r\n`;
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: ${request.headers.upgrade}\r\n${own}\r\nhello`);
  if (head.length > 0) socket.write(head);
  socket.pipe(socket);
}
