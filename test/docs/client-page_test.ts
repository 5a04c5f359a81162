// The program of docs/client.md runs unchanged.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { clientFrom } from "../../client.ts";
import { start } from "../../mod.ts";
import { definePlugin, type Resource } from "../../plugin.ts";
import { blockOf } from "../../tools/docs/page-blocks.ts";

const page = "docs/client.md";

test("the program of the page changes the objects of a server by its kubeconfig", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-client-page-"));
  try {
    const code = ["client", "plugin"].reduce(
      (text, name) => text.replaceAll(`"thole/${name}"`, JSON.stringify(new URL(`../../${name}.ts`, import.meta.url).href)),
      blockOf(page, "import { clientFrom }").replace("const ships", "export const ships"),
    );
    const path = join(folder, "hoist.ts"), kubeconfig = join(folder, "kubeconfig");
    await writeFile(path, code);
    const { hoist, ships }: { hoist(sails: number, kubeconfig: string): Promise<void>; ships: Resource } = await import(
      pathToFileURL(path).href
    );
    const server = await start({
      settings: { "secure-port": 0, "data-dir": ":memory:", "authorization-mode": ["AlwaysAllow"] },
      plugins: [definePlugin({ name: "ships", summary: "For tests.", resources: [ships] })],
    });
    try {
      await writeFile(kubeconfig, server.kubeconfigText);
      await using client = await clientFrom({ kubeconfig });
      const fleet = client.of(ships);
      for (const [name, sails] of [["a", 1], ["b", 5]] as const) await fleet.create("sea", { metadata: { name }, spec: { sails } });
      await hoist(3, kubeconfig);
      const { items } = await fleet.list("");
      assert.deepEqual(items.map(({ spec }) => spec.sails), [3, 5]);
    } finally {
      await server.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
