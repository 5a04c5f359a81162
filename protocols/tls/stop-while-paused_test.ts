import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { connect, createServer } from "node:tls";
import { nextTurn } from "../../core/turns.ts";
import { issue } from "../../server/listen/testing/clients.ts";
import { stopWhilePaused } from "./stop-while-paused.ts";

const MiB = 1024 * 1024, bytes = 64 * MiB;

test("a paused connection is not read, and gives the rest when it is resumed", async () => {
  const ca = issue({ usage: "ca", commonName: "authority" });
  let sent = 0;
  const server = createServer(issue({ usage: "server", names: ["localhost"] }, ca), (socket) => {
    const piece = Buffer.alloc(64 * 1024);
    const more = () => {
      while (sent < bytes) {
        sent += piece.length;
        if (!socket.write(piece)) return void socket.once("drain", more);
      }
      socket.end();
    };
    more();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect({ host: "127.0.0.1", port: (server.address() as AddressInfo).port, ca: ca.cert, servername: "localhost" });
  try {
    stopWhilePaused(socket);
    let received = 0;
    const first = new Promise<void>((resolve) =>
      void socket.on("data", (piece: Uint8Array) => {
        if (received === 0) {
          socket.pause();
          resolve();
        }
        received += piece.length;
      })
    );
    await first;
    // The buffers of both ends are full when nothing was sent for many turns.
    for (let idle = 0, before = -1; idle < 100; idle = sent === before ? idle + 1 : 0) {
      before = sent;
      await nextTurn();
    }
    assert.ok(sent < bytes / 2, `${sent / MiB} MiB were sent to a paused connection`);
    const ended = once(socket, "end");
    socket.resume();
    await ended;
    assert.equal(received, bytes);
  } finally {
    socket.destroy();
    const closed = once(server, "close");
    server.close();
    await closed;
  }
});
