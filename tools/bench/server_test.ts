// The start of the measured server.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { issue } from "../../server/listen/testing/clients.ts";
import { ownRuntime, startSkipped } from "../../test/real-server.ts";
import { command } from "./children.ts";
import { untilReady } from "./server.ts";

test("untilReady() rejects when another program has the port and answers there", { skip: startSkipped(ownRuntime) }, async () => {
  const { cert, key } = issue({ usage: "server", commonName: "other", names: ["127.0.0.1"] });
  const other = createServer({ cert, key }, (_, answer) => void answer.end("ok")).listen(0, "127.0.0.1");
  await once(other, "listening");
  const address = other.address(), port = typeof address === "object" && address !== null ? address.port : 0;
  const folder = await mkdtemp(join(tmpdir(), "thole-bench-"));
  try {
    const { path, args } = command(ownRuntime, "server/main.ts", [`--secure-port=${port}`, `--data-dir=${folder}/data`]);
    const child = spawn(path, args, { stdio: ["ignore", "pipe", "pipe"] });
    await assert.rejects(untilReady(child, port), /The server was not ready: [^]*(?:already in use|EADDRINUSE)/i);
  } finally {
    other.closeAllConnections();
    other.close();
    await rm(folder, { recursive: true, force: true });
  }
});
