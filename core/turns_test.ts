import assert from "node:assert/strict";
import { connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { Turns } from "./turns.ts";

test("Turns.next() resolves for one caller in a turn of the event loop, in the order of the calls", async () => {
  const turns = new Turns();
  let turn = 0, over = false;
  const count = () => {
    turn++;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  const seen: { readonly caller: number; readonly turn: number }[] = [];
  await Promise.all([0, 1, 2, 3].map((caller) => turns.next().then(() => seen.push({ caller, turn }))));
  over = true;
  assert.deepEqual(seen.map(({ caller }) => caller), [0, 1, 2, 3]);
  assert.equal(new Set(seen.map((each) => each.turn)).size, seen.length);
});

test("Turns.next() allows I/O between turns", async () => {
  const server = createServer((socket) => socket.on("data", (data) => socket.write(data)).on("error", () => {}));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const socket = await new Promise<Socket>((resolve) => {
    const opened = connect(port, "127.0.0.1", () => resolve(opened));
  });
  let echoes = 0;
  socket.on("data", (data) => {
    echoes++;
    socket.write(data);
  });
  socket.on("error", () => {}); // a write after the end
  socket.write("x");
  const turns = new Turns();
  // More turns than an echo between two sockets of this process takes.
  await Promise.all(Array.from({ length: 50 }, () =>
    turns.next().then(() => {
      const begun = performance.now();
      while (performance.now() - begun < 2);
    })));
  socket.destroy();
  await new Promise((resolve) => server.close(resolve));
  assert.ok(echoes > 1, `${echoes}`);
});
