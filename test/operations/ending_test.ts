// SIGTERM directly after the log line of readiness ends the program with 0.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import process from "node:process";
import { test } from "node:test";
import { programWords, type Runtime, signal as send, startSkipped } from "../real-server.ts";

/** Which part of the start the signal interrupts is random; `npm run test:faults` has more starts. */
const starts = process.env["THOLE_FAULTS_SECONDS"] === undefined ? 1 : 10;
const lifeMsMax = 120_000;

for (const runtime of ["deno", "node"] satisfies readonly Runtime[]) {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    test(
      `${runtime}: ${signal} ends the program with 0 directly after the log line of readiness`,
      { skip: startSkipped(runtime) },
      async () => {
        const [path, ...words] = programWords(runtime, ["--data-dir=:memory:", "--secure-port=0"], tmpdir());
        for (let start = 0; start < starts; start++) {
          const program = spawn(path, words, {
            cwd: tmpdir(),
            stdio: ["ignore", "pipe", "ignore"],
            timeout: lifeMsMax,
          });
          // Not `program.kill()`: Deno treats the process as ended by the signal.
          program.stdout.once("data", () => send(program.pid!, signal));
          assert.deepEqual(await once(program, "exit"), [0, null]);
        }
      },
    );
  }
}
