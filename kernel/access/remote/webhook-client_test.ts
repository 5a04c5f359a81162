// The client of webhooks: its timeout.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { limits } from "../../../core/limits.ts";
import { webhookClients } from "./webhook-client.ts";

test("a webhook that does not answer in time is an error with the URL and the timeout; upstream's timeout is 30 seconds", async () => {
  let isHeld = false, asked = 0;
  const server = createServer((request, response) => {
    asked++;
    request.resume();
    if (!isHeld) request.on("end", () => response.end("{}"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/convert`; // a TCP server
  const clients = webhookClients(undefined, 500), webhook = { url };
  try {
    assert.equal(await clients.post(webhook, "{}"), "{}");
    isHeld = true;
    const message = `Post "${url}?timeout=0.5s": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`;
    await assert.rejects(clients.post(webhook, "{}"), { message });
    isHeld = false;
    assert.equal(await clients.post(webhook, "{}"), "{}");
    assert.deepEqual([asked, limits.remoteCallMs], [3, 30_000]);
  } finally {
    clients.keep(new Set());
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
});
