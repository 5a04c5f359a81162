// A client that gets GOAWAY keeps its requests in progress, and continues over another connection.
import assert from "node:assert/strict";
import type { ClientHttp2Session } from "node:http2";
import { test } from "node:test";
import type { Exchange, Reply } from "../request/exchange.ts";
import { http1, http2Ask, http2Session, rawConnection, readAll, signalled, textReply, withServer } from "./testing/clients.ts";

function goAwayOf(session: ClientHttp2Session): Promise<number> {
  return new Promise((resolve) => session.once("goaway", resolve));
}

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
  return withServer(handle, async ({ listener, ca, reported }) => {
    const session = await http2Session(listener, { ca });
    const closed = new Promise<void>((resolve) => session.once("close", resolve)), away = goAwayOf(session);
    const chunks = http2Ask(session, { path: "/chunks" });
    await begun.promise;
    assert.equal((await http2Ask(session, { path: "/away" })).body.toString(), "and farewell");
    assert.equal(await away, 0, "NO_ERROR");
    const other = await http2Session(listener, { ca });
    assert.equal((await http2Ask(other, {})).body.toString(), "here");
    assert.equal(session.destroyed, false);
    go.done();
    assert.equal((await chunks).body.toString(), "first last");
    await closed;
    assert.equal((await http2Ask(other, {})).body.toString(), "here", "no other client gets GOAWAY");
    other.close();
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
    return withServer(handle, async ({ listener, ca }) => {
      const session = await http2Session(listener, { ca });
      const away = goAwayOf(session), answer = http2Ask(session, {});
      assert.equal(await away, 0);
      go.done();
      assert.equal((await answer).body.toString(), "first last");
    }, { http2 });
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
