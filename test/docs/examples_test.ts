// The example on each plugin's page runs unchanged.
// In Deno's suite only: what kubectl gets does not depend on the runtime.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { kubectlMissing, kubectls } from "../clients/kubectl.ts";
import { inFolder } from "../flags/served.ts";
import { startTestServer } from "../harness.ts";
import { run } from "../real-server.ts";

const folder = fileURLToPath(new URL("../../plugins", import.meta.url));
/** Families that plugins/mod.ts registers. */
const registered = readFileSync(`${folder}/mod.ts`, "utf8");
const pages = readdirSync(folder).filter((name) => registered.includes(`"./${name}/mod.ts"`)).map((name) => `${name}/README.md`);
/** Flags for pages that need more than the defaults. */
const flags: Readonly<Record<string, readonly string[]>> = {
  "migration/README.md": ["--feature-gates=StorageVersionMigrator=true", "--runtime-config=storagemigration.k8s.io/v1beta1=true"],
  "simulation/README.md": ["--simulate"],
};

for (const page of pages) {
  test(`the example of plugins/${page} runs unchanged`, { skip: kubectlMissing() }, async () => {
    const text = readFileSync(`${folder}/${page}`, "utf8");
    const example = /^## Example$[\s\S]*?^```sh\n([\s\S]*?)^```$/m.exec(text)?.[1];
    assert.ok(example !== undefined, "a block of shell under the heading Example");
    for (const flag of flags[page] ?? []) assert.ok(text.includes(flag.split("=")[1] ?? flag), `the page names ${flag}`);
    await inFolder(async (home) => {
      const kubeconfig = join(home, "kubeconfig"), server = await startTestServer({ args: flags[page] ?? [] });
      try {
        await writeFile(kubeconfig, server.running.kubeconfigText, { mode: 0o600 });
        const env = { KUBECONFIG: kubeconfig, HOME: home, PATH: `${dirname(kubectls()[0]!)}:${process.env["PATH"]}` };
        const { code, output, errors } = await run("sh", ["-ec", example], { env });
        assert.equal(code, 0, `${output}${errors}`);
      } finally {
        await server.close();
      }
    });
  });
}
