import assert from "node:assert/strict";
import type { ClientHttp2Session } from "node:http2";
import { createServer } from "node:net";
import { test } from "node:test";
import { attemptOn } from "./attempt.ts";
import { http1, http2Ask, http2Session, textReply, withServer } from "./testing/clients.ts";

const timeout = 60_000;
const greet = () => Promise.resolve(textReply("hello"));

test("attemptOn() finds that a listener accepts, and which", { timeout }, () =>
  withServer(greet, async ({ listener: { port } }) => {
    let from = 0;
    assert.equal(await attemptOn("127.0.0.1", port, (local) => (from = local) > 0), "accepted");
    assert.ok(from > 0);
    assert.equal(await attemptOn("127.0.0.1", port, () => false), "elsewhere");
  }));

test("attemptOn() finds that nothing answers, and that nothing listens", { timeout }, async () => {
  const silent = createServer((socket) => socket.on("error", () => {}).resume().on("end", () => socket.destroy()));
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as { port: number }; // a TCP server
  assert.equal(await attemptOn("127.0.0.1", port, () => true, 20), "unanswered");
  await new Promise((resolve) => silent.close(resolve));
  assert.equal(await attemptOn("127.0.0.1", port, () => true), "unanswered");
});

test(
  "Listener.listenAnew() keeps its connections, and accepts new ones on the same port",
  { timeout },
  () =>
    withServer(greet, async ({ listener, ca }) => {
      const session = await http2Session(listener, { ca });
      assert.equal((await http2Ask(session, {})).status, 200);
      for (let count = 0; count < 2; count++) {
        await listener.listenAnew();
        assert.equal((await http2Ask(session, {})).status, 200);
        assert.equal((await http1(listener, { ca })).status, 200);
      }
      session.close();
    }),
);

test("a listener above its maximum of connections closes idle ones, and says so once", { timeout }, async () => {
  const notices: string[] = [];
  await withServer(greet, async ({ listener, ca }) => {
    const sessions: ClientHttp2Session[] = [];
    for (let count = 0; count < 5; count++) sessions.push(await http2Session(listener, { ca }));
    assert.equal((await http2Ask(sessions.at(-1)!, {})).status, 200);
    await new Promise<void>((resolve) => sessions[0]!.destroyed ? resolve() : sessions[0]!.once("close", resolve));
    for (const session of sessions) session.destroy();
  }, { connections: { max: 2 }, reports: { notice: (message) => notices.push(message) } });
  assert.deepEqual(notices, ["more than 2 connections are open: the oldest ones without a request in progress are closed"]);
});
