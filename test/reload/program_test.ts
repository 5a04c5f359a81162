// The program reads its configuration file again on SIGHUP and when a mounted file changes.
import assert from "node:assert/strict";
import { mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { inFolder } from "../flags/served.ts";
import { httpsClient } from "../https.ts";
import { run, type Runtime, startRealServer, startSkipped, until } from "../real-server.ts";

const kubectlMissing = (await run("kubectl", ["version", "--client"]).then(({ code }) => code, () => 1)) === 0
  ? false
  : "no kubectl on PATH";

for (const runtime of ["deno", "node"] satisfies readonly Runtime[]) {
  test(`${runtime}: SIGHUP reloads the file, kubectl sees removed and added kinds, and a mistake has no effect`, {
    skip: startSkipped(runtime) || kubectlMissing,
  }, () =>
    inFolder(async (folder) => {
      const file = join(folder, "thole.yaml");
      await writeFile(file, "");
      const server = await startRealServer({ runtime, args: [`--config=${file}`] });
      const kinds = async () =>
        (await run("kubectl", [
          `--kubeconfig=${server.kubeconfig}`,
          `--cache-dir=${folder}`,
          "api-resources",
          "--cached=false",
          "-o",
          "name",
        ]))
          .output.split("\n");
      try {
        assert.ok((await kinds()).includes("configmaps"));
        await writeFile(file, "plugins: [-configmaps]\n");
        server.signal("SIGHUP");
        await until(async () => assert.ok(!(await kinds()).includes("configmaps")));
        await writeFile(file, "plugins: [configmap]\n");
        server.signal("SIGHUP");
        await until(() => assert.match(server.errors(), /rejected; the previous one stays active.*did you mean \\?"configmaps/));
        assert.ok((await kinds()).includes("leases.coordination.k8s.io"));
        await writeFile(file, "plugins: []\n");
        server.signal("SIGHUP");
        await until(async () => assert.ok((await kinds()).includes("configmaps")));
      } finally {
        await server.close();
      }
    }));

  test(
    `${runtime}: a mounted ConfigMap that changes by its ..data link is reloaded automatically`,
    { skip: startSkipped(runtime) },
    () =>
      inFolder(async (folder) => {
        const show = async (version: string, text: string) => {
          await mkdir(join(folder, version));
          await writeFile(join(folder, version, "thole.yaml"), text);
          await symlink(version, join(folder, "..next"));
          await rename(join(folder, "..next"), join(folder, "..data"));
        };
        await show("..1", "");
        await symlink(join("..data", "thole.yaml"), join(folder, "thole.yaml"));
        const server = await startRealServer({ runtime, args: [`--config=${join(folder, "thole.yaml")}`] });
        const client = httpsClient(server);
        const status = async () => (await client.ask("/api/v1/configmaps")).status;
        try {
          assert.equal(await status(), 200);
          await show("..2", "runtime-config: {v1/configmaps: false}\n");
          await until(async () => assert.equal(await status(), 404));
          await show("..3", "runtime-config: {v1/configmaps: true}\n");
          await until(async () => assert.equal(await status(), 200));
        } finally {
          client.close();
          await server.close();
        }
      }),
  );
}
