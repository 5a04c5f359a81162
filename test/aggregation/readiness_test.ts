// A server is ready when it has asked each registered server for its discovery once. In Deno's suite only: forwarded_test.ts runs on both runtimes.
import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startTestServer } from "../harness.ts";
import { httpsClient } from "../https.ts";
import { freePort } from "../ports.ts";
import { until } from "../real-server.ts";
import { backend, register, untilReason } from "./backend.ts";

test("readiness waits for the first discovery of a registered server, whatever it answers", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-readiness-")), held: ServerResponse[] = [];
  let isHolding = false;
  const slow = await backend("slow", ({ url = "" }: IncomingMessage, response) => {
    if (isHolding && url.startsWith("/apis")) held.push(response);
    else response.writeHead(404).end();
  });
  const port = await freePort(), args = [`--data-dir=${folder}`, `--secure-port=${port}`];
  try {
    const server = await startTestServer({ args }), client = httpsClient({ ...server, token: server.tokens.admin });
    await register(client, "slow", "v1", slow.port, { caBundle: Buffer.from(slow.authority.cert).toString("base64") });
    await untilReason(client, "v1", "Passed");
    client.close();
    await server.close();
    isHolding = true;
    // The authority is in the folder, so that the server can be asked before it is ready.
    const again = startTestServer({ args }), asking = httpsClient({ ...server, port, token: "" });
    const failing = async () => {
      const { text } = await asking.ask("/readyz?verbose");
      return text.split("\n").filter((line) => line.startsWith("[-]")).map((line) => line.split(" ")[0]);
    };
    try {
      await until(async () => assert.ok((await failing()).includes("[-]poststarthook/apiservice-discovery-controller")));
      isHolding = false;
      for (const response of held.splice(0)) response.writeHead(500).end();
      await until(async () => assert.equal((await asking.ask("/readyz")).status, 200));
    } finally {
      asking.close();
      await (await again).close();
    }
  } finally {
    await slow.close();
    await rm(folder, { recursive: true });
  }
});
