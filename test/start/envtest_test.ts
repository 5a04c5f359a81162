// `thole envtest`: the programs of its folder, started as envtest starts them. The Go test of examples/controller-test-go uses the folder whole.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { serverArguments } from "../../commands/envtest/stand-in.ts";
import { httpsClient } from "../https.ts";
import { freePort } from "../ports.ts";
import { run, type Runtime, runtimePath, startCommand, startSkipped, until } from "../real-server.ts";

const main = fileURLToPath(new URL("../../server/main.ts", import.meta.url));
const maps = "/api/v1/namespaces/default/configmaps";

async function withLayout(runtime: Runtime, flags: readonly string[], use: (folder: string, said: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-envtest-"));
  const words = runtime === "deno" ? ["run", "-A", "--no-check"] : ["--disable-warning=ExperimentalWarning"];
  try {
    const made = await run(runtimePath(runtime), [...words, main, "envtest", `--dir=${join(folder, "it's assets")}`, ...flags]);
    assert.equal(made.code, 0, made.errors);
    assert.equal(made.output, `export KUBEBUILDER_ASSETS=${join(folder, "it's assets")}\n`);
    await use(join(folder, "it's assets"), made.errors);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

for (const runtime of ["deno", "node"] as const) {
  test(`envtest on ${runtime}: without etcd, the stand-in is healthy, and the server keeps its objects in its folder`, {
    skip: startSkipped(runtime),
  }, () =>
    withLayout(runtime, ["--without-etcd"], async (assets, said) => {
      assert.match(said, /etcd is a stand-in/);
      const data = join(assets, "..", "etcd data"), url = `http://127.0.0.1:${await freePort()}`, port = await freePort();
      const tokens = join(assets, "..", "tokens.csv");
      await writeFile(tokens, "a-token-of-this-test,admin,1,system:masters\n");
      const etcd = await startCommand([
        join(assets, "etcd"),
        "--unsafe-no-fsync",
        `--advertise-client-urls=${url}`,
        `--listen-client-urls=${url}`,
        "--listen-peer-urls=http://localhost:0",
        `--data-dir=${data}`,
      ], {});
      await until(async () => assert.equal((await fetch(`${url}/health`)).status, 200));
      assert.equal((await fetch(`${url}/v3/kv/range`, { method: "POST" })).status, 404);
      const flags = [
        `--etcd-servers=${url}`,
        `--secure-port=${port}`,
        "--bind-address=127.0.0.1",
        `--token-auth-file=${tokens}`,
        "--authorization-mode=RBAC",
      ];
      for (const round of [1, 2]) {
        const server = await startCommand([join(assets, "kube-apiserver"), ...flags], {});
        const kubeconfig = join(data, "thole", "kubeconfig");
        await until(() => assert.ok(existsSync(kubeconfig) && server.output().includes("serves on"), server.errors()));
        const [, ca = ""] = /certificate-authority-data: "?([A-Za-z0-9+/=]+)/.exec(await readFile(kubeconfig, "utf8")) ?? [];
        const client = httpsClient({ port, ca: atob(ca), token: "a-token-of-this-test" });
        await until(async () => assert.equal((await client.ask("/readyz")).status, 200));
        if (round === 1) assert.equal((await client.ask(maps, { method: "POST", body: { metadata: { name: "kept" } } })).status, 201);
        assert.equal((await client.ask(`${maps}/kept`)).status, 200);
        client.close();
        server.signal("SIGTERM");
        assert.equal(await server.exited, 0, server.errors());
      }
      etcd.signal("SIGTERM");
      assert.equal(await etcd.exited, 0);
    }));
}

test("envtest: with an etcd on PATH, its script is that etcd; a folder is made again, without calling itself", {
  skip: startSkipped("node"),
}, () =>
  withLayout("node", [], async (assets, said) => {
    assert.match(said, /etcd is /);
    const again = await run(runtimePath("node"), [main, "envtest", "--dir", assets], { env: { PATH: assets } });
    assert.equal(again.code, 0, again.errors);
    assert.match(again.errors, /etcd is a stand-in[\s\S]*kubectl is not on PATH/);
    assert.ok(!existsSync(join(assets, "kubectl")));
    const version = await run(join(assets, "etcd"), ["--version"]);
    assert.match(version.output, /^etcd Version: 3\.6\.0/);
    await writeFile(join(assets, "kubectl"), "#!/bin/bash\necho the only one\n");
    const refused = await run(runtimePath("node"), [main, "envtest", "--dir", assets], { env: { PATH: assets } });
    assert.notEqual(refused.code, 0);
    assert.match(refused.errors, /kubectl" is another program, and is not replaced/);
    assert.match(await readFile(join(assets, "kubectl"), "utf8"), /the only one/);
    const none = await run(runtimePath("node"), [main, "envtest"]);
    assert.notEqual(none.code, 0);
    assert.match(none.errors, /--dir/);
  }));

test("serverArguments() keeps the etcd of a command line unless a stand-in answers there", async () => {
  const args = ["--etcd-servers", `http://127.0.0.1:${await freePort()}`, "--secure-port=1"];
  assert.deepEqual(await serverArguments(args), ["--compat=kube-apiserver", ...args]);
});
