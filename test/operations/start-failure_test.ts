// A start that fails late, when the socket is already open.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startTestServer } from "../harness.ts";
import { freePort } from "../ports.ts";

/** The result of a connection: "connect", or the code of its error. */
function connected(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      resolve("connect");
      socket.destroy();
    });
    socket.on("error", (error) => resolve("code" in error ? String(error.code) : error.message));
  });
}

test("serve() that cannot write its kubeconfig rejects, and stops listening", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-start-"));
  try {
    await mkdir(join(folder, "kubeconfig", "taken"), { recursive: true });
    const port = await freePort();
    await assert.rejects(
      startTestServer({ args: [`--data-dir=${folder}`, `--secure-port=${port}`] }),
      /cannot write the kubeconfig: .* is a folder/,
    );
    assert.equal(await connected(port), "ECONNREFUSED");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
