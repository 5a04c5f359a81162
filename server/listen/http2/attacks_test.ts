// Clients that send frames without end, or that make small requests cost much: the connection ends, or its cost is bounded.
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { errorCode, flag, frameType, uint32Bytes } from "../../../protocols/http2/frames.ts";
import { setting, settingsPayload } from "../../../protocols/http2/settings.ts";
import type { Exchange, Reply } from "../../../kernel/request/exchange.ts";
import { http2, textReply, withRelay, withServer } from "../testing/clients.ts";
import { block, frame, framesClient, headers, request } from "../testing/frames-client.ts";
import { bodyBytesMax } from "../../../kernel/request-context.ts";
import { http2HeaderFramesMax } from "./bounds.ts";
import { requestsPerTurnMax } from "../bounds.ts";

const timeout = 120_000;
const mebibyte = 1024 * 1024;
const { data, headers: head, priority, settings, ping, windowUpdate, continuation } = frameType;
const post = request({ ":method": "POST" });
const echo = async (exchange: Exchange): Promise<Reply> => textReply(`${(await exchange.body(bodyBytesMax)).length} bytes`);
const times = (count: number, unit: Buffer): Buffer => Buffer.concat(Array.from({ length: count }, () => unit));

/** Frames that are acknowledged, from a client that reads nothing. */
const acknowledged = [
  ["PING frames", frame(ping, 0, 0, "12345678")],
  ["SETTINGS frames", frame(settings, 0, 0)],
] as const;
for (const [what, unit] of acknowledged) {
  test(
    `a client that sends ${what} without end and reads nothing loses its connection`,
    { timeout },
    () =>
      withServer(echo, ({ listener, ca }) =>
        withRelay(listener, 64 * 1024, async (relay) => {
          const client = await framesClient(relay);
          let ended = false;
          void client.closed.then(() => ended = true);
          const many = times(10_000, unit);
          for (let at = 0; at < 1000 && !ended; at++) {
            if (!client.socket.write(many)) await Promise.race([client.closed, once(client.socket, "drain").catch(() => {})]);
          }
          await client.closed;
          assert.ok(relay.carried() < 64 * mebibyte, `${relay.carried()} bytes`);
          assert.equal((await http2(listener, { ca })).status, 200);
        }), { connections: { times: { stalledMs: 5_000, sweepMs: 50 } } }),
  );
}

for (const [what, piece] of [["empty", ""], ["full", "\0\x01a\x01b".repeat(3_000)]] as const) {
  test(
    `a client that continues a head with ${what} frames without end loses its connection`,
    { timeout },
    () =>
      withServer(echo, async ({ listener }) => {
        const client = await framesClient(listener);
        client.send(frame(head, 0, 1, block(post)), times(http2HeaderFramesMax + 1, frame(continuation, 0, 1, piece)));
        assert.deepEqual(await client.outcome(1), { goAway: errorCode.enhanceYourCalm });
        await client.closed;
      }),
  );
}

test(
  "a head that refers to a large field of the table thousands of times is rejected, and the next one is answered",
  { timeout },
  () =>
    withServer(echo, async ({ listener, ca }) => {
      const client = await framesClient(listener);
      // 4,000 bytes in the table, then 15,000 references to them: 60 MB.
      const bomb = block(request()) + "\x40\x01a\x7f\xa1\x1e" + "x".repeat(4_000);
      client.send(frame(head, 5, 1, bomb));
      assert.deepEqual(await client.outcome(1), { status: "200" });
      client.send(frame(head, 5, 3, block(request()) + "\xbe".repeat(15_000)));
      assert.deepEqual(await client.outcome(3), { status: "431" });
      client.send(frame(head, 5, 5, block(request()) + "\xbe"));
      assert.deepEqual(await client.outcome(5), { status: "200" });
      assert.equal((await http2(listener, { ca })).status, 200);
      client.socket.destroy();
    }),
);

for (const [cookies, most] of [[0, requestsPerTurnMax], [900, 5]] as const) {
  test(
    `of requests with ${cookies} cookies, at most ${most} begin in one turn`,
    { timeout },
    async () => {
      const count = 100;
      let inTurn = 0, longest = 0;
      const handle = (): Promise<Reply> => {
        if (inTurn++ === 0) setImmediate(() => inTurn = 0);
        longest = Math.max(longest, inTurn);
        return Promise.resolve(textReply(""));
      };
      await withServer(handle, async ({ listener }) => {
        const client = await framesClient(listener);
        const fields = [...request(), ...Array.from({ length: cookies }, (_, at) => ["cookie", `a=${at}`] as const)];
        client.send(...Array.from({ length: count }, (_, at) => headers(2 * at + 1, fields)));
        for (let at = 0; at < count; at++) assert.deepEqual(await client.outcome(2 * at + 1), { status: "200" });
        assert.ok(longest <= most, `${longest} requests`);
        client.socket.destroy();
      });
    },
  );
}

/** Frames without an effect before a request. */
const idle: readonly (readonly [what: string, before: Buffer, unit: Buffer])[] = [
  ["empty DATA", headers(1, post, 0), frame(data, 0, 1)],
  ["DATA of padding only", headers(1, post, 0), frame(data, flag.padded, 1, "\x03\0\0\0")],
  ["PRIORITY", headers(1, post, 0), frame(priority, 0, 1, Buffer.concat([uint32Bytes(0), Buffer.of(1)]))],
  ["WINDOW_UPDATE of closed streams", headers(1, request()), frame(windowUpdate, 0, 1, uint32Bytes(1))],
  ["unknown", headers(1, post, 0), frame(200, 0, 1, "x")],
];
for (const [what, before, unit] of idle) {
  test(
    `100,000 ${what} frames delay neither their connection's next request for good, nor other clients`,
    { timeout },
    () =>
      withServer(echo, async ({ listener, ca }) => {
        const client = await framesClient(listener);
        client.send(before, times(100_000, unit), headers(3));
        assert.equal((await http2(listener, { ca })).status, 200);
        assert.deepEqual(await client.outcome(3), { status: "200" });
        client.socket.destroy();
      }),
  );
}

test(
  "thousands of initial windows in one frame have the effect of the last",
  { timeout },
  () =>
    withServer(() => Promise.resolve(textReply("0123456789")), async ({ listener }) => {
      const client = await framesClient(listener);
      const windows = Array.from({ length: 2_700 }, (_, at) => [setting.initialWindowSize, at % 2 === 0 ? 0x7fffffff : 4] as const);
      client.send(...Array.from({ length: 50 }, () => frame(settings, 0, 0, settingsPayload(windows))), headers(1));
      await client.next(({ type, stream }) => type === data && stream === 1);
      client.send(frame(ping, 0, 0, "12345678"));
      await client.next(({ type }) => type === ping);
      assert.equal(client.received.filter(({ type }) => type === data).map(({ payload }) => payload.toString()).join(), "0123");
      client.send(frame(windowUpdate, 0, 1, uint32Bytes(6)));
      assert.equal(await client.body(1), "0123456789");
      client.socket.destroy();
    }),
);

test(
  "a window that becomes negative holds data back until it is positive",
  { timeout },
  () =>
    withServer(() => Promise.resolve(textReply("0123456789")), async ({ listener }) => {
      const client = await framesClient(listener);
      const window = (bytes: number) => frame(settings, 0, 0, settingsPayload([[setting.initialWindowSize, bytes]]));
      client.send(window(5), headers(1));
      await client.next(({ type }) => type === data);
      client.send(window(2), frame(windowUpdate, 0, 1, uint32Bytes(2)), frame(ping, 0, 0, "12345678"));
      await client.next(({ type }) => type === ping);
      assert.equal(client.received.filter(({ type }) => type === data).length, 1);
      client.send(frame(windowUpdate, 0, 1, uint32Bytes(6)));
      assert.equal(await client.body(1), "0123456789");
      client.socket.destroy();
    }),
);

test("many streams share the window of the connection, and each gets its whole answer", { timeout }, () => {
  const body = "0123456789".repeat(30_000);
  return withServer(() => Promise.resolve(textReply(body)), async ({ listener }) => {
    const client = await framesClient(listener);
    const streams = Array.from({ length: 20 }, (_, at) => 2 * at + 1);
    client.send(
      frame(settings, 0, 0, settingsPayload([[setting.initialWindowSize, mebibyte]])),
      ...streams.map((stream) => headers(stream)),
    );
    for (let left = streams.length * body.length; left > 0; left -= 50_000) client.send(frame(windowUpdate, 0, 0, uint32Bytes(50_000)));
    for (const stream of streams) assert.equal(await client.body(stream), body);
    client.socket.destroy();
  });
});
