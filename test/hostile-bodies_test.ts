// Bodies within the request limit that blocked or crashed earlier versions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestServer } from "./harness.ts";
import { httpsClient } from "./https.ts";

const collection = "/api/v1/namespaces/default/configmaps";

test("hostile bodies within the limit are rejected with their errors", async () => {
  const server = await startTestServer();
  const client = httpsClient({ port: server.port, ca: server.ca, token: server.tokens.admin });
  try {
    const labels = Object.fromEntries(Array.from({ length: 180_000 }, (_, i) => [`-${i}`, "x"]));
    const bad = await client.ask(collection, { method: "POST", body: { metadata: { name: "a", labels } } });
    assert.equal(bad.status, 422);
    assert.match(bad.json().message, /and \d+ more\]$/);
    assert.ok(bad.bytes.length < 16 * 1024 * 1024, `${bad.bytes.length}`);
    const patch = JSON.stringify({ metadata: { labels } });
    assert.equal((await client.ask(collection, { method: "POST", body: { metadata: { name: "a" } } })).status, 201);
    const patched = await client.ask(`${collection}/a`, {
      method: "PATCH",
      headers: { "content-type": "application/merge-patch+json" },
      body: JSON.parse(patch),
    });
    assert.equal(patched.status, 422);
    const logged = server.logged.filter((line) => line.includes("RangeError"));
    assert.deepEqual(logged, []);
  } finally {
    client.close();
    await server.close();
  }
});
