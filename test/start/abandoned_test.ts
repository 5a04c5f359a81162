// A server whose parent process is killed ends by itself, and leaves nothing behind.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { type Program, programWords, type Runtime, runtimePath, signal, startCommand, startSkipped, until } from "../real-server.ts";

const main = fileURLToPath(new URL("../../server/main.ts", import.meta.url));

/** A program that starts another one with pipes, prints its process id and copies its output. */
const parent = `
  import { spawn } from "node:child_process";
  import process from "node:process";
  const [command, ...words] = JSON.parse(process.env.WORDS);
  const child = spawn(command, words, { stdio: ["pipe", "pipe", "pipe"] });
  console.log("child " + child.pid);
  child.stdout.pipe(process.stdout);
  child.stderr.pipe(process.stderr);
`;

for (const runtime of ["deno", "node"] as const) {
  describe(`a killed parent on ${runtime}`, { skip: startSkipped(runtime) }, () => {
    const kubeconfigOf = (program: Program) =>
      until(() => {
        const found = /^export KUBECONFIG=(.*)$/m.exec(program.output())?.[1];
        assert.ok(found, program.output() + program.errors());
        return found;
      });
    async function endsWithout(program: Program, temporary: string, server: number): Promise<void> {
      try {
        assert.equal(await hasEnded(server), false);
        program.signal("SIGKILL");
        await until(async () => assert.equal(await hasEnded(server), true));
        assert.equal(existsSync(temporary), false);
      } finally {
        program.signal("SIGKILL");
        signal(server, "SIGKILL");
      }
    }

    it("ends the server that it started with --exit-on-stdin-close, which removes its temporary folder", async () => {
      const args = ["--data-dir=:memory:", "--secure-port=0", "--exit-on-stdin-close"];
      const env = { ...process.env, WORDS: JSON.stringify(programWords(runtime, args, tmpdir())) };
      const program = await startCommand(parentWords(runtime), { cwd: tmpdir(), env });
      const kubeconfig = await kubeconfigOf(program);
      assert.ok(existsSync(kubeconfig));
      await endsWithout(program, dirname(kubeconfig), Number(/^child (\d+)$/m.exec(program.output())![1]));
    });

    it("ends the server of dev, which removes dev's temporary folder", async () => {
      const flags = runtime === "deno" ? ["run", "-A", "--no-check"] : ["--disable-warning=ExperimentalWarning"];
      const program = await startCommand([runtimePath(runtime), ...flags, main, "dev", "--secure-port=0"], { cwd: tmpdir() });
      const data = dirname(await kubeconfigOf(program));
      await endsWithout(program, dirname(data), Number.parseInt(await readFile(join(data, "store.pid"), "utf8")));
    });
  });
}

/** The process is not there, or waits for its parent to read its exit code. */
async function hasEnded(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return true;
  }
  return /^\d+ \(.*\) Z /.test(await readFile(`/proc/${pid}/stat`, "utf8").catch(() => ""));
}

function parentWords(runtime: Runtime): readonly string[] {
  return runtime === "deno"
    ? [runtimePath(runtime), "eval", "--ext=js", parent]
    : [runtimePath(runtime), "--input-type=module", "-e", parent];
}
