// At shutdown HTTP/2 clients get a GOAWAY, requests in progress are completed, and the program exits with 0. The client sends and reads frames: Deno's
// client can end its process at a GOAWAY, with a failed assertion of nghttp2.
import assert from "node:assert/strict";
import { test } from "node:test";
import { flag, frameType } from "../../protocols/http2/frames.ts";
import { frame, framesClient, headers as framesOf, request } from "../../server/listen/testing/frames-client.ts";
import { type Runtime, startRealServer, startSkipped } from "../real-server.ts";

const path = "/api/v1/namespaces/default/configmaps";

for (const runtime of ["deno", "node"] satisfies readonly Runtime[]) {
  test(`${runtime}: SIGTERM sends GOAWAY to idle and busy HTTP/2 clients, completes watches, and ends the process with 0`, {
    skip: startSkipped(runtime),
  }, async () => {
    const server = await startRealServer({ runtime });
    const headers = { authorization: `Bearer ${server.token}` };
    const get = (at: string) => request({ ":path": at, ...headers });
    try {
      const idle = await framesClient(server), busy = await framesClient(server);
      idle.send(framesOf(1, get(path)));
      assert.deepEqual(await idle.outcome(1), { status: "200" });
      busy.send(framesOf(1, get(`${path}?watch=1&timeoutSeconds=100`)));
      assert.deepEqual(await busy.outcome(1), { status: "200" });
      const body = '{"metadata":{"name":"last"}}', json = { "content-type": "application/json" };
      busy.send(
        framesOf(3, request({ ":method": "POST", ":path": path, ...headers, ...json }), 0),
        frame(frameType.data, flag.endStream, 3, body),
      );
      assert.deepEqual(await busy.outcome(3), { status: "201" });
      server.signal("SIGTERM");
      for (const client of [idle, busy]) {
        const away = await client.next(({ type }) => type === frameType.goAway);
        assert.equal(away?.payload.readUInt32BE(4), 0, "NO_ERROR");
      }
      assert.match(await busy.body(1), /^\{"type":"ADDED".*"name":"last".*\}\n$/);
      await Promise.all([idle.closed, busy.closed]);
      assert.equal(await server.exited, 0);
      assert.doesNotMatch(server.errors(), /^E/m);
    } finally {
      await server.close();
    }
  });
}
