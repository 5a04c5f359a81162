// Repeated GOAWAY frames. A runtime that does not handle them ends the process.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect as tlsConnect, type TLSSocket } from "node:tls";
import { http2, textReply, withServer } from "./testing/clients.ts";

const goAway = Buffer.from([0, 0, 108, 7, 0, 0, 0, 0, 0, ...new Uint8Array(108)]);
const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);

test(
  "listen() survives clients that send thousands of GOAWAY frames",
  { timeout: 60_000 },
  () =>
    withServer(() => Promise.resolve(textReply("here")), async ({ listener, ca }) => {
      for (let client = 0; client < 5; client++) {
        const socket = await new Promise<TLSSocket>((resolve, reject) => {
          const opened = tlsConnect({ host: "127.0.0.1", port: listener.port, ca: ca.cert, ALPNProtocols: ["h2"] }, () => resolve(opened));
          opened.once("error", reject);
        });
        const ended = new Promise<void>((resolve) => socket.on("error", () => resolve()).once("close", () => resolve()));
        socket.resume();
        socket.write(Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), settings]));
        const many = Buffer.concat(Array.from({ length: 10_000 }, () => goAway));
        for (let at = 0; at < 8 && !socket.destroyed; at++) socket.write(many);
        await ended;
        socket.destroy();
      }
      assert.equal((await http2(listener, { ca })).body.toString(), "here");
    }),
);
