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

test("handle() notes how long a request waited for its place", async () => {
  const { server, close } = await openServer({ config: withDefaults({ "data-dir": ":memory:" }), plugins: [], log: silentLog });
  try {
    const noted: string[] = [];
    const notes = { took: (layer: string) => void noted.push(layer), annotate() {} };
    const record = { notes, received() {}, decided() {}, end: (reply: unknown) => reply, refused: (reply: unknown) => reply };
    const audit = { now: () => 0, begin: () => record } as unknown as NonNullable<typeof server.audit>; // what this request uses
    const exchange: Exchange = {
      ...{
        method: "GET",
        url: "/healthz",
        headers: {},
        peer: undefined,
        remote: "local",
        protocol: "HTTP/1.1",
        signal: new AbortController().signal,
      },
      body: () => new Uint8Array(),
    };
    await handle(exchange, { ...server, audit });
    assert.ok(!noted.includes("apf-queue-wait"), "there was a place at once");
    const admit: typeof server.admit = (...request) => Promise.resolve(server.admit(...request));
    await handle(exchange, { ...server, audit, admit });
    assert.equal(noted.filter((layer) => layer === "apf-queue-wait").length, 1);
  } finally {
    await close();
  }
});
