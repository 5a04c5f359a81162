// The commands of docs/testing.md for other languages work as written.
// In Deno's suite only: what curl gets does not depend on the runtime.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { inFolder } from "../flags/served.ts";
import { run, startProgram, startSkipped, until } from "../real-server.ts";

const missing = spawnSync("curl", ["--version"]).status === 0 ? startSkipped("deno") : "no curl on PATH";

test("the requests to the test control work as written", { skip: missing }, () =>
  inFolder(async (folder) => {
    const page = await readFile(new URL("../../docs/testing.md", import.meta.url), "utf8");
    const commands = /^```sh\n(sed -n [\s\S]*?)^```$/m.exec(page)?.[1];
    assert.ok(commands !== undefined, "a block that begins with the authority");
    const program = await startProgram(["--test-control", "--data-dir=:memory:", "--secure-port=0"]);
    try {
      await until(() => assert.match(program.output(), /^export KUBECONFIG=/m, program.errors()));
      const printed = Object.fromEntries(
        Array.from(program.output().matchAll(/^export (\w+)=(.*)$/gm), ([, name, value]) => [name!, value!]),
      );
      await writeFile(join(folder, "fixtures.yaml"), "apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n");
      const { code, output, errors } = await run("sh", ["-euc", commands], { cwd: folder, env: printed });
      assert.equal(code, 0, errors);
      const [loaded, fork] = output.trim().split("\n").map((line) => JSON.parse(line));
      assert.deepEqual(loaded.objects.map(({ kind, name }: any) => [kind, name]), [["Namespace", "team"]]);
      assert.match(fork.kubeconfig, /client-key-data/);
    } finally {
      program.signal("SIGKILL");
      await program.exited;
    }
  }));
