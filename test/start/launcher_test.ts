// `npm start` itself: signals reach the server, and its exit code is returned.
import assert from "node:assert/strict";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { run, runtimeMissing, runtimePath, startCommand, startSkipped, until } from "../real-server.ts";

const launcher = fileURLToPath(new URL("../../scripts/start.mjs", import.meta.url));
const nodes = ["node", runtimePath("node")];

describe("scripts/start.mjs", { skip: startSkipped("deno") || runtimeMissing("node") }, () => {
  let folder = "";
  // npm sets it for the command that runs the tests: the server would have its data in the repository.
  const { INIT_CWD: _, ...env } = process.env;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "thole-launcher-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  for (const [index, node] of nodes.entries()) {
    const by = index === 0 ? "the Node on PATH" : "the newer Node";
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      it(`ends the server gracefully on ${signal}, by ${by}`, async () => {
        const program = await startCommand([node, launcher, "--data-dir=data", "--secure-port=0"], { cwd: folder, env });
        try {
          await until(() => assert.match(program.output(), /^Thole serves on/m, program.errors()));
          program.signal("SIGHUP");
          program.signal(signal);
          assert.equal(await program.exited, 0, program.errors());
          assert.match(program.errors(), /"ended"/);
        } finally {
          program.signal("SIGTERM");
        }
      });
    }
    it(`starts in the caller's folder, as npm names it, by ${by}`, async () => {
      const program = await startCommand([node, launcher, "--data-dir=data", "--secure-port=0"], {
        cwd: tmpdir(),
        env: { ...process.env, INIT_CWD: folder },
      });
      try {
        await until(() => assert.match(program.output(), /^export KUBECONFIG=/m, program.errors()));
        assert.ok(program.output().includes(`export KUBECONFIG=${join(folder, "data/kubeconfig")}`), program.output());
      } finally {
        program.signal("SIGTERM");
        await program.exited;
      }
    });
    it(`writes the kubeconfig of a server in memory to a folder of its own, and removes both at the end, by ${by}`, async () => {
      const program = await startCommand([node, launcher, "--data-dir=:memory:", "--secure-port=0"], { cwd: folder });
      let path = "";
      try {
        await until(() => assert.match(program.output(), /^export KUBECONFIG=/m, program.errors()));
        path = /^export KUBECONFIG=(.*)$/m.exec(program.output())![1]!;
        assert.equal((await stat(path)).mode & 0o077, 0);
        assert.equal((await stat(dirname(path))).mode & 0o077, 0);
      } finally {
        program.signal("SIGTERM");
        assert.equal(await program.exited, 0);
      }
      await assert.rejects(stat(dirname(path)), /ENOENT|No such file/);
    });
    it(`returns the server's exit code and output, by ${by}`, async () => {
      const mistaken = await run(node, [launcher, "--no-such-flag"], { cwd: folder });
      assert.deepEqual([mistaken.code, mistaken.output], [1, ""]);
      assert.match(mistaken.errors, /^thole: unknown flag "--no-such-flag"/m);
      const version = await run(node, [launcher, "--version"], { cwd: folder });
      assert.equal(version.code, 0);
      assert.match(version.output, /^Thole /);
    });
  }
});
