// SIGTERM directly after the line that the program serves ends it with 0.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { programWords, type Runtime, runtimeMissing, signal as send } from "../real-server.ts";

/** How much of the program the signal still overtakes is a matter of luck. */
const starts = 3;
const lifeMsMax = 120_000;

for (const runtime of ["deno", "node"] satisfies readonly Runtime[]) {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    test(`${runtime}: ${signal} ends the program with 0 as soon as it says that it serves`, { skip: runtimeMissing(runtime) }, async () => {
      const [path, ...words] = programWords(runtime, ["--data-dir=:memory:", "--secure-port=0"], tmpdir());
      for (let start = 0; start < starts; start++) {
        const program = spawn(path, words, {
          cwd: tmpdir(),
          stdio: ["ignore", "pipe", "ignore"],
          timeout: lifeMsMax,
        });
        // Not by `program.kill()`: Deno takes it that the signal has ended what it is sent to so.
        program.stdout.once("data", () => send(program.pid!, signal));
        assert.deepEqual(await once(program, "exit"), [0, null]);
      }
    });
  }
}
