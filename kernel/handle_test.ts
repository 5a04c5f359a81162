import assert from "node:assert/strict";
import { test } from "node:test";
import { withDefaults } from "../server/config/parse.ts";
import type { Exchange } from "./request/exchange.ts";
import { handle } from "./handle.ts";
import { silentLog } from "./observe/log.ts";
import { openServer } from "../server/startup/open-server.ts";

test("handle() rejects unknown credentials with 401, and checks authorization only after authentication", async () => {
  const { server, close } = await openServer({ config: withDefaults({ "data-dir": ":memory:" }), plugins: [], log: silentLog });
  try {
    const exchange = (url: string): Exchange => ({
      method: "GET",
      url,
      headers: {},
      body: () => Promise.resolve(new Uint8Array()),
      peer: undefined,
      remote: "local",
      protocol: "HTTP/2.0",
      signal: new AbortController().signal,
    });
    const stranger = await handle(exchange("/api/v1/namespaces"), server);
    assert.deepEqual([stranger.status, stranger.goAway], [403, true]);
    const unasked = await handle(exchange("/api/v1/namespaces?timeout=soon"), server);
    assert.deepEqual([unasked.status, unasked.goAway], [400, undefined]);
  } finally {
    await close();
  }
});
