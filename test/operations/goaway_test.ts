// At shutdown HTTP/2 clients get a GOAWAY, requests in progress are completed, and the program exits with 0.
import assert from "node:assert/strict";
import { test } from "node:test";
import { http2Ask, http2Session } from "../../kernel/listen/testing/clients.ts";
import { type Runtime, startRealServer, startSkipped } from "../real-server.ts";

const path = "/api/v1/namespaces/default/configmaps";

for (const runtime of ["deno", "node"] satisfies readonly Runtime[]) {
  test(`${runtime}: SIGTERM sends GOAWAY to idle and busy HTTP/2 clients, completes watches, and ends the process with 0`, {
    skip: startSkipped(runtime),
  }, async () => {
    const server = await startRealServer({ runtime });
    const headers = { authorization: `Bearer ${server.token}` };
    try {
      const open = async () => {
        const session = await http2Session(server, { ca: { cert: server.ca, key: "" } });
        const away = new Promise<number>((resolve) => session.once("goaway", resolve));
        const closed = new Promise<void>((resolve) => session.once("close", resolve));
        return { session, away, closed };
      };
      const idle = await open(), busy = await open();
      assert.equal((await http2Ask(idle.session, { path, headers })).status, 200);
      const watch = http2Ask(busy.session, { path: `${path}?watch=1&timeoutSeconds=100`, headers });
      const body = { "content-type": "application/json", ...headers };
      const made = await http2Ask(busy.session, {
        method: "POST",
        path,
        headers: body,
        body: new TextEncoder().encode('{"metadata":{"name":"last"}}'),
      });
      assert.equal(made.status, 201);
      server.signal("SIGTERM");
      assert.deepEqual(await Promise.all([idle.away, busy.away]), [0, 0], "NO_ERROR");
      const { status, body: events } = await watch;
      assert.equal(status, 200);
      assert.match(events.toString(), /^\{"type":"ADDED".*"name":"last".*\}\n$/);
      await Promise.all([idle.closed, busy.closed]);
      assert.equal(await server.exited, 0);
      assert.doesNotMatch(server.errors(), /^E/m);
    } finally {
      await server.close();
    }
  });
}
