/**
 * A module that is loaded into a measured server before its program: beside its port with TLS it serves HTTP/2 without TLS on another one of loopback,
 * whose number it writes to the file `THOLE_BENCH_PLAIN`. The difference is what TLS costs.
 */
import { writeFileSync } from "node:fs";
import { createServer, Server, type Socket } from "node:net";
import process from "node:process";
import { Server as TlsServer } from "node:tls";
import { isMainThread } from "node:worker_threads";

const file = process.env["THOLE_BENCH_PLAIN"] ?? "";
/** What the listener asks of a TLS socket, of a client without a certificate. */
const secured = { alpnProtocol: "h2", authorized: false, getPeerCertificate: () => ({}), getPeerX509Certificate: () => undefined };

function openPlain(server: TlsServer): void {
  // The listener's own, added after those of the runtime, which begin a handshake.
  const last = (event: string) => server.listeners(event).at(-1) as (socket: Socket) => void;
  const plain = createServer((socket) => {
    Object.assign(socket, secured);
    for (const event of ["connection", "secureConnection"]) last(event).call(server, socket);
  });
  plain.listen(0, "127.0.0.1", () => {
    const at = plain.address();
    if (typeof at === "object" && at !== null) writeFileSync(file, `${at.port}\n`);
  });
}

// Node loads the module in worker threads too.
if (isMainThread) {
  const { listen } = Server.prototype;
  let isOpen = false;
  Server.prototype.listen = function (this: Server, ...given: readonly unknown[]) {
    if (this instanceof TlsServer && !isOpen) {
      isOpen = true;
      this.once("listening", () => openPlain(this as TlsServer));
    }
    return Reflect.apply(listen, this, given);
  } as typeof listen;
}
