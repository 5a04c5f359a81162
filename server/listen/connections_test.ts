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
  const socket = new PassThrough(), destroySoon = () => void socket.destroy();
  return Object.assign(socket, { remoteAddress: "127.0.0.1", remotePort, setNoDelay() {}, destroySoon }) as unknown as Socket;
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

/** Connections by port, of which those in `busy` have a request in progress and those in `used` had one. */
function opened(
  max: number,
  ports: readonly number[],
  { busy = [], used = [] }: { readonly busy?: number[]; readonly used?: number[] } = {},
) {
  let full = 0;
  const connections = new Connections(times, max, () => full++);
  const sockets = new Map<number, Socket>();
  const open = (port: number) => {
    const socket = socketOf(port);
    sockets.set(port, socket);
    connections.accepted(socket);
    if (socket.destroyed) return;
    connections.handshakeCompleted(socket as never); // as above
    const connection = connections.of(socket)!, answering = { waitsSince: undefined, isWhole: true, breakOff() {} };
    if (busy.includes(port) || used.includes(port)) connections.opened(connection, answering);
    if (used.includes(port)) connections.over(connection, answering);
  };
  ports.forEach(open);
  const closed = () => [...sockets].filter(([, { destroyed }]) => destroyed).map(([port]) => port);
  return { connections, open, closed, full: () => full };
}

test("Connections above their maximum close the oldest ones without any request, then the oldest idle ones, and at last the new one", async () => {
  const { connections, open, closed, full } = opened(4, [1, 2, 3, 4], { busy: [1, 5, 6, 7, 8], used: [2] });
  assert.deepEqual([closed(), full()], [[], 0]);
  open(5);
  assert.deepEqual([closed(), full()], [[3], 1]);
  open(6);
  assert.deepEqual(closed(), [3, 4]);
  open(7);
  assert.deepEqual(closed(), [2, 3, 4]);
  open(8);
  assert.deepEqual(closed(), [2, 3, 4, 8]);
  await connections.close(0);
});

test("Connections learn a maximum where none is known, from the most that were open", async () => {
  const { connections, open, closed } = opened(Infinity, Array.from({ length: 300 }, (_, port) => port + 1));
  connections.learnMax();
  connections.learnMax(); // not from a smaller number again
  assert.deepEqual(closed(), []);
  open(301);
  assert.deepEqual(closed().length, 1 + Math.floor(300 / 64));
  await connections.close(0);
});
