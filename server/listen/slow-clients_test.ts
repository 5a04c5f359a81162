// Clients that do not read: when they are disconnected, and what is released.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect as tlsConnect, type TLSSocket } from "node:tls";
import type { Exchange, Reply } from "../../kernel/request/exchange.ts";
import { rawConnection, signalled, textReply, withRelay, withServer } from "./testing/clients.ts";

type Server = Parameters<Parameters<typeof withServer>[1]>[0];

/** More bytes than sockets and windows in between hold. */
const manyBytes = 24 * 1024 * 1024;
const hearing = 256 * 1024;
/** Milliseconds; a closed connection does not wait for this grace period. */
const graceMs = 600_000;
const timeout = 300_000;

/** An endless answer, with counters. */
function endless() {
  const givenUp = new AbortController(), returned = signalled();
  const state = { pulled: 0 };
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        state.pulled++;
        yield await Promise.resolve(new Uint8Array(65_536));
      }
    } finally {
      returned.done();
    }
  }
  const reply: Reply = { ...textReply(""), body: chunks(), givenUp: givenUp.signal };
  return { state, reply, returned: returned.promise, giveUp: () => givenUp.abort() };
}

/** Waits until the count is unchanged: nothing more is sent. */
async function stuck(state: { readonly pulled: number }): Promise<void> {
  for (let [same, last] = [0, -1]; same < 10;) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    same = state.pulled === last && last > 0 ? same + 1 : 0;
    last = state.pulled;
  }
}

test("an HTTP/1.1 client that does not read loses its connection after the timeout", { timeout }, () => {
  const answer = endless();
  return withServer(() => Promise.resolve(answer.reply), ({ listener, ca }) =>
    withRelay(listener, hearing, async (relay) => {
      const client = await rawConnection(relay, ca);
      client.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
      await stuck(answer.state);
      answer.giveUp();
      await answer.returned;
      await listener.close(graceMs);
      client.destroy();
    }));
});

test("an HTTP/2 client that does not read a stream loses it after the timeout, and keeps the others", { timeout }, () => {
  const answer = endless();
  const handle = ({ url }: Exchange): Promise<Reply> => Promise.resolve(url === "/stuck" ? answer.reply : textReply("still here"));
  return withServer(handle, async (server) => {
    const client = await rawHttp2(server);
    client.get(1, "/stuck");
    await stuck(answer.state);
    answer.giveUp();
    assert.deepEqual(await client.reset(1), { code: internalError });
    await answer.returned;
    client.get(3, "/");
    assert.equal(await client.body(3), "still here");
    client.close();
  });
});

test("chunks of watches that wait for their clients are bounded over all of them: the watch that waited longest is ended as a slow one", {
  timeout,
}, () => {
  const answers = [endless(), endless(), endless(), endless(), endless()], slow: number[] = [];
  const handle = ({ url }: Exchange): Promise<Reply> => {
    const at = Number(url.slice(1)), { reply } = answers[at]!, chunks = (reply.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    const body = { [Symbol.asyncIterator]: () => ({ ...iteratorOf(chunks), fallBehind: () => void slow.push(at) }) };
    return Promise.resolve({ ...reply, body });
  };
  return withServer(handle, async (server) => {
    const client = await rawHttp2(server);
    for (const [at, { state }] of answers.entries()) {
      client.get(2 * at + 1, `/${at}`);
      await stuck(state);
      assert.ok(server.listener.pendingBytes <= pendingBytesMax, `${server.listener.pendingBytes} bytes`);
    }
    for (const stream of [1, 3]) assert.deepEqual(await client.reset(stream), { code: internalError });
    assert.deepEqual(slow, [0, 1]);
    assert.equal(server.listener.pendingBytes, 3 * 65_536);
    client.close();
    for (const { returned } of answers) await returned;
    assert.equal(server.listener.pendingBytes, 0);
  }, { pendingBytesMax });
});
const pendingBytesMax = 3 * 65_536 + 1;
const iteratorOf = (chunks: AsyncIterator<Uint8Array>) => ({ next: () => chunks.next(), return: () => chunks.return!() });

const stalling = { connections: { times: { stalledMs: 1_000, sweepMs: 20 } } };
const bodies: readonly (readonly [string, () => Reply["body"]])[] = [
  ["chunks", () => endless().reply.body],
  ["one piece", () => new Uint8Array(manyBytes)],
];
for (const [what, body] of bodies) {
  test(
    `an HTTP/1.1 client that reads nothing of ${what} for too long loses its connection`,
    { timeout },
    () =>
      withServer(() => Promise.resolve(textReply(body())), ({ listener, ca }) =>
        withRelay(listener, hearing, async (relay) => {
          const client = await rawConnection(relay, ca);
          const requested = signalled();
          client.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n", () => requested.done());
          await requested.promise;
          // Closing would end it only after the grace period.
          await new Promise<void>((resolve) => client.once("readable", resolve));
          await listener.close(graceMs);
          client.destroy();
        }), stalling),
  );

  test(`an HTTP/2 client that reads nothing of ${what} for too long loses its stream and keeps the others`, { timeout }, () => {
    const handle = ({ url }: Exchange): Promise<Reply> => Promise.resolve(textReply(url === "/stuck" ? body() : "still here"));
    return withServer(handle, async (server) => {
      const client = await rawHttp2(server);
      client.get(1, "/stuck");
      assert.deepEqual(await client.reset(1), { code: internalError });
      client.get(3, "/");
      assert.equal(await client.body(3), "still here");
      client.close();
    }, stalling);
  });
}

test("a client that waits for the server is not disconnected", { timeout }, () => {
  const handle = (): Promise<Reply> =>
    Promise.resolve(textReply((async function* () {
      yield new TextEncoder().encode("a");
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      yield new TextEncoder().encode("b");
    })()));
  return withServer(handle, async (server) => {
    const client = await rawHttp2(server);
    client.get(1, "/");
    assert.equal(await client.body(1), "ab");
    client.close();
  }, stalling);
});

const internalError = 2;
const frame = Object.freeze({ data: 0, headers: 1, reset: 3, settings: 4, windowUpdate: 8 });

/** A minimal HTTP/2 client that reads nothing of one stream: the stream windows stay as they are, that of the connection is large. */
async function rawHttp2({ listener, ca }: Server) {
  const socket = await new Promise<TLSSocket>((resolve, reject) => {
    const opened = tlsConnect({ host: "127.0.0.1", port: listener.port, ca: ca.cert, ALPNProtocols: ["h2"] }, () => resolve(opened));
    opened.once("error", reject);
  });
  socket.on("error", () => {});
  const send = (type: number, flags: number, stream: number, payload: Buffer): void => {
    const head = Buffer.alloc(9);
    head.writeUIntBE(payload.length, 0, 3);
    head.writeUInt8(type, 3);
    head.writeUInt8(flags, 4);
    head.writeUInt32BE(stream, 5);
    socket.write(Buffer.concat([head, payload]));
  };
  const streams = new Map<number, ReturnType<typeof newStream>>();
  const newStream = () => ({ body: "", ended: Promise.withResolvers<string>(), reset: Promise.withResolvers<{ code: number }>() });
  const of = (stream: number) => {
    const known = streams.get(stream) ?? newStream();
    streams.set(stream, known);
    return known;
  };
  const take = (type: number, flags: number, stream: number, payload: Buffer): void => {
    if (type === frame.settings && flags === 0) send(frame.settings, 1, 0, Buffer.alloc(0));
    else if (type === frame.reset) of(stream).reset.resolve({ code: payload.readUInt32BE() });
    else if (type === frame.data) {
      const { ended } = of(stream);
      const body = of(stream).body += payload.toString("latin1");
      if ((flags & 1) === 1) ended.resolve(body);
    }
  };
  let rest = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 9 && rest.length >= 9 + rest.readUIntBE(0, 3)) {
      const length = rest.readUIntBE(0, 3);
      take(rest.readUInt8(3), rest.readUInt8(4), rest.readUInt32BE(5), rest.subarray(9, 9 + length));
      rest = rest.subarray(9 + length);
    }
  });
  socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  send(frame.settings, 0, 0, Buffer.alloc(0));
  send(frame.windowUpdate, 0, 0, Buffer.from([0x3f, 0xff, 0, 0]));
  // Literal headers with new names (RFC 7541, section 6.2.2).
  const literal = (text: string): Buffer => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]);
  return {
    get(stream: number, path: string): void {
      const headers = { ":method": "GET", ":scheme": "https", ":authority": "x", ":path": path };
      const block = Object.entries(headers).map(([name, value]) => Buffer.concat([Buffer.from([0]), literal(name), literal(value)]));
      send(frame.headers, 5, stream, Buffer.concat(block)); // the stream's only headers, and its end
    },
    body: (stream: number): Promise<string> => of(stream).ended.promise,
    reset: (stream: number): Promise<{ code: number }> => of(stream).reset.promise,
    close: (): void => void socket.destroy(),
  };
}
