// In Deno's suite only: plain objects.
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import { PassThrough } from "node:stream";
import { Connections, type Session } from "./connections.ts";

const hour = 3_600_000;
const times = { handshakeMs: hour, firstRequestMs: hour, idleMs: hour, stalledMs: hour, sweepMs: hour };

/** A socket with what `Connections` uses of it. */
function socketOf(remotePort: number): Socket {
  return Object.assign(new PassThrough(), { remoteAddress: "127.0.0.1", remotePort, setNoDelay() {} }) as unknown as Socket;
}

test("Connections.endSlowest() ends the session whose socket has taken nothing for the longest time, and none that is idle", async () => {
  const connections = new Connections(times), ended: number[] = [];
  for (const [port, since] of [[1, undefined], [2, 200], [3, 100], [4, 300]] as const) {
    const socket = socketOf(port);
    connections.accepted(socket);
    const session: { writingSince: number | undefined } & Session = {
      closed: false,
      destroyed: false,
      writingSince: since,
      close() {},
      destroy() {
        ended.push(port);
        session.writingSince = undefined;
      },
    };
    connections.handshakeCompleted(socket as never); // a TLS socket has the addresses of its raw socket
    connections.beganOn(connections.of(socket)!, session);
  }
  assert.deepEqual(Array.from({ length: 4 }, () => connections.endSlowest()), [true, true, true, false]);
  assert.deepEqual(ended, [3, 2, 4]);
  await connections.close(0);
});
