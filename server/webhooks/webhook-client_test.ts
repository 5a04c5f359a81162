// The client of webhooks: its timeout.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { conversionAnswerBytesMax, conversionAnswerFreeBytes, conversionGrowthMax, webhookClients } from "./webhook-client.ts";
import { webhookBytesMax } from "./bounds.ts";
import { remoteCallMs } from "../../protocols/remote/remote-client.ts";

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
    assert.deepEqual([asked, remoteCallMs], [3, 30_000]);
  } finally {
    clients.keep(new Set());
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
});

test("answers of a webhook are bounded by the size of the request, and together", async () => {
  const least = conversionAnswerFreeBytes;
  const factor = conversionGrowthMax;
  const together = webhookBytesMax;
  let bytes = 0;
  const held: (() => void)[] = [];
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      if (!request.url!.startsWith("/held")) return void response.end(Buffer.alloc(bytes, " "));
      response.write(Buffer.alloc(bytes, " "));
      held.push(() => response.end("1"));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server
  const clients = webhookClients(), webhook = { url: `${origin}/convert` }, holding = { url: `${origin}/held` };
  try {
    const json = '"ab"', most = least + factor * 4;
    bytes = most;
    assert.equal((await clients.post(webhook, json)).length, most);
    bytes = most + 1;
    await assert.rejects(clients.post(webhook, json), { message: new RegExp(`the answer is larger than ${most} bytes$`) });

    // Answers that do not end, each within its own bound.
    const each = conversionAnswerBytesMax - 1, large = `"${"x".repeat(each / factor)}"`;
    bytes = each;
    const calls = Array.from({ length: Math.ceil(together / each) + 1 }, () => clients.post(holding, large).then(() => "used", String));
    assert.match(await Promise.race(calls), new RegExp(`the answers of the webhook have more than ${together} bytes$`));
    while (held.length < calls.length) await new Promise((resolve) => setImmediate(resolve));
    for (const end of held) end();
    const outcomes = await Promise.all(calls);
    assert.ok(outcomes.includes("used"), outcomes.join());
    bytes = 1;
    assert.equal(await clients.post(webhook, json), " ");
  } finally {
    clients.keep(new Set());
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
});
