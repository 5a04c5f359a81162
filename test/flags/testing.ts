/** Proofs of the flags for tests. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { accessIn } from "../../client/kubeconfig.ts";
import { start } from "../../mod.ts";
import { httpsClient } from "../https.ts";
import { ownRuntime, startProgram, until } from "../real-server.ts";
import { served, statusOf } from "./served.ts";

export const testing = {
  "test-control": async () => {
    await served([], async (server) => assert.equal(await statusOf(server, "/test/forks"), 404));
    const program = await startProgram(["--data-dir=:memory:", "--secure-port=0", "--test-control"], ownRuntime);
    try {
      const [, url = "", token = "", path = ""] = await until(() => {
        const printed = /^Thole serves on (.*)\nexport THOLE_TEST_URL=\1\/test\nexport THOLE_TEST_TOKEN=(.*)\nexport KUBECONFIG=(.*)$/m
          .exec(program.output());
        assert.ok(printed, program.output() + program.errors());
        return printed;
      });
      const { ca = "" } = await accessIn(await readFile(path, "utf8"));
      const client = httpsClient({ port: Number(new URL(url).port), ca, token });
      const fork = (await client.ask("/test/forks", { method: "POST" })).json();
      const ofFork = httpsClient({ port: Number(new URL(fork.url).port), ca, token });
      assert.equal((await ofFork.ask("/test/clock")).json().manual, false);
      for (const each of [client, ofFork]) each.close();
      assert.ok(!program.errors().includes(token), "the log has the token");
      program.signal("SIGTERM");
      assert.equal(await program.exited, 0);
      assert.equal(existsSync(path), false);
    } finally {
      program.signal("SIGKILL");
    }
    const refused = async (...args: string[]) => {
      const { exited, errors } = await startProgram(["--test-control", "--secure-port=0", ...args], ownRuntime);
      return [await exited, errors()];
    };
    const needsMemory =
      'thole: flag "--test-control": it is for servers that keep nothing: use "--data-dir=:memory:", and no "--etcd-servers"\n';
    assert.deepEqual(await refused(), [1, needsMemory]);
    assert.deepEqual(await refused("--data-dir=:memory:", "--etcd-servers=http://127.0.0.1:1"), [1, needsMemory]);
    const address = 'thole: flag "--test-control": "--bind-address" must be a loopback address, such as 127.0.0.1\n';
    for (const host of ["0.0.0.0", "::", "127.0.0.1.example.com", "192.0.2.1"]) {
      assert.deepEqual(await refused("--data-dir=:memory:", `--bind-address=${host}`), [1, address]);
    }
    await assert.rejects(
      start({ settings: { "data-dir": ":memory:", "secure-port": 0, "test-control": true } }),
      /only the program "thole serve" has it/,
    );
  },
};
