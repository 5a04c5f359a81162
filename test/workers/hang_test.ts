// A worker that hangs before it is ready: it does not outlive its supervisor. That it is replaced: server/workers/supervisor_test.ts.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { inFolder } from "../flags/served.ts";
import { ownRuntime, startProgram, until } from "../real-server.ts";
import { isAlive, skip } from "./workers.ts";

/** A plugin that never ends to load in a worker. */
const hanging = `
import process from "node:process";
if (process.argv.some((word) => word.includes("worker-process"))) {
  console.log("hangs: " + process.pid);
  for (;;) {}
}
export const plugin = Object.freeze({ name: "hanging", summary: "Hangs." });
`;

test("a signal before the first worker is ready ends the supervisor, and a worker that blocks", { skip }, () =>
  inFolder(async (folder) => {
    const path = join(folder, "hanging.ts");
    await writeFile(path, hanging);
    // Nothing listens on port 1: the worker does not come so far.
    const args = [
      "--workers=2",
      "--etcd-servers=http://127.0.0.1:1",
      "--secure-port=0",
      `--data-dir=${join(folder, "data")}`,
      `--plugins=${path}`,
    ];
    for (const name of ["SIGTERM", "SIGINT"] as const) {
      const program = await startProgram(args, ownRuntime, folder);
      const pid = await until(() => {
        const [, found] = /^hangs: (\d+)$/m.exec(program.output()) ?? [];
        assert.ok(found !== undefined, program.errors());
        return Number(found);
      });
      assert.ok(isAlive(pid));
      program.signal(name);
      assert.equal(await program.exited, name === "SIGTERM" ? 143 : 130);
      await until(() => assert.ok(!isAlive(pid)));
    }
  }));
