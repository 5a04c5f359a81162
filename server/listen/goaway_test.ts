// A client that gets GOAWAY keeps its requests in progress, and continues over another connection. The client sends and
// reads frames: Deno's can end its process at a GOAWAY.
import assert from "node:assert/strict";
import { test } from "node:test";
import { frameType } from "../../protocols/http2/frames.ts";
import type { Exchange, Reply } from "../../kernel/request/exchange.ts";
import { http1, rawConnection, readAll, signalled, textReply, withServer } from "./testing/clients.ts";
import { type FramesClient, framesClient, headers, request } from "./testing/frames-client.ts";

/** The code of the first GOAWAY; undefined if the connection is closed before. */
async function goAwayOf(client: FramesClient): Promise<number | undefined> {
  return (await client.next(({ type }) => type === frameType.goAway))?.payload.readUInt32BE(4);
}
const get = (path: string) => request({ ":path": path });

test("listen() sends GOAWAY with an answer that requests it; requests in progress are answered, then the connection ends", () => {
  const begun = signalled(), go = signalled();
  const handle = async ({ url }: Exchange): Promise<Reply> => {
    if (url === "/away") return { ...textReply("and farewell"), goAway: true };
    if (url === "/chunks") {
      return textReply((async function* () {
        yield new TextEncoder().encode("first ");
        begun.done();
        await go.promise;
        yield new TextEncoder().encode("last");
      })());
    }
    return textReply("here");
  };
  return withServer(handle, async ({ listener, reported }) => {
    const client = await framesClient(listener);
    client.send(headers(1, get("/chunks")));
    await begun.promise;
    client.send(headers(3, get("/away")));
    assert.equal(await client.body(3), "and farewell");
    assert.equal(await goAwayOf(client), 0, "NO_ERROR");
    const other = await framesClient(listener);
    other.send(headers(1));
    assert.equal(await other.body(1), "here");
    assert.equal(client.socket.closed, false);
    go.done();
    assert.equal(await client.body(1), "first last");
    await client.closed;
    other.send(headers(3));
    assert.equal(await other.body(3), "here", "no other client gets GOAWAY");
    other.socket.destroy();
    assert.deepEqual(reported, []);
  });
});

for (const http2 of ["own", "runtime"] as const) {
  test(`listen() sends GOAWAY (${http2}) with the head of a streamed answer, as of a watch`, () => {
    const go = signalled();
    const handle = (): Promise<Reply> =>
      Promise.resolve({
        ...textReply((async function* () {
          yield new TextEncoder().encode("first ");
          await go.promise;
          yield new TextEncoder().encode("last");
        })()),
        goAway: true,
      });
    return withServer(handle, async ({ listener }) => {
      const client = await framesClient(listener);
      client.send(headers(1));
      assert.equal(await goAwayOf(client), 0);
      go.done();
      assert.equal(await client.body(1), "first last");
      client.socket.destroy();
    }, { http2: { implementation: http2 } });
  });
}

test("listen() ignores goAway over HTTP/1.1", () =>
  withServer(() => Promise.resolve({ ...textReply("here"), goAway: true }), async ({ listener, ca }) => {
    assert.equal((await http1(listener, { ca })).body.toString(), "here");
    const socket = await rawConnection(listener, ca);
    const all = readAll(socket);
    socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\nGET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    assert.equal((await all).match(/HTTP\/1\.1 200/g)?.length, 2);
  }));
