// A custom resource becomes a kind of a plugin: the stored bytes stay the same.
import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Plugin } from "../core/plugin.ts";
import { plugins } from "../plugins/mod.ts";
import { startTestServer } from "./harness.ts";
import { type Answer, type Client, httpsClient } from "./https.ts";
import { until } from "./real-server.ts";

const home = "example.com/v1";
const things = `/apis/${home}/namespaces/default/things`;
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.example.com" },
  spec: {
    group: "example.com",
    names: { plural: "things", kind: "Thing" },
    scope: "Namespaced",
    versions: [{
      name: "v1",
      served: true,
      storage: true,
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: { spec: { type: "object", properties: { color: { type: "string" }, size: { type: "integer", format: "int32" } } } },
        },
      },
    }],
  },
};

/** The plugin of docs/writing-a-plugin.md, from the block marked `things`. */
async function pluginOfThePage(folder: string): Promise<Plugin> {
  const page = await readFile(new URL("../docs/writing-a-plugin.md", import.meta.url), "utf8");
  const code = /^```ts things\n([\s\S]*?)^```$/m.exec(page)?.[1];
  assert.ok(code !== undefined, "a block of the plugin");
  const file = join(folder, "things.ts");
  await writeFile(file, code.replaceAll('"thole/plugin"', JSON.stringify(new URL("../plugin.ts", import.meta.url).href)));
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  const module: { readonly thingsPlugin: Plugin } = await import(pathToFileURL(file).href);
  return module.thingsPlugin;
}

test("a kind of a plugin serves the objects of a definition, whose stored bytes stay, also without the definition", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-grown-")), code = await mkdtemp(join(tmpdir(), "thole-things-"));
  const inRun = async (served: typeof plugins, work: (client: Client) => Promise<void>) => {
    const server = await startTestServer({ args: [`--data-dir=${folder}`], plugins: served });
    const client = httpsClient({ port: server.port, ca: server.ca, token: server.tokens.admin });
    try {
      await work(client);
    } finally {
      client.close();
      await server.close();
    }
  };
  try {
    const withPlugin = [...plugins, await pluginOfThePage(code)];
    let before: ReturnType<Answer["json"]>;
    await inRun(plugins, async (client) => {
      assert.equal((await client.ask(definitions, { method: "POST", body: definition })).status, 201);
      await until(async () => assert.equal((await client.ask(things)).status, 200));
      const body = { apiVersion: home, kind: "Thing", metadata: { name: "one" }, spec: { size: 3, color: "red" } };
      assert.equal((await client.ask(things, { method: "POST", body })).status, 201);
      before = (await client.ask(`${things}/one`)).json();
    });
    const bytes = await storedThings(folder);
    assert.equal(bytes.length, 1);
    await inRun(withPlugin, async (client) => {
      const found: ReturnType<Answer["json"]> = (await client.ask(`${things}/one`)).json();
      assert.deepEqual(found, before);
      // An update that changes nothing writes nothing.
      const { metadata: { resourceVersion } } = (await client.ask(`${things}/one`, { method: "PUT", body: found })).json();
      assert.equal(resourceVersion, found.metadata.resourceVersion);
      assert.equal(
        (await client.ask(`/openapi/v3/apis/${home}`)).json().components.schemas["com.example.v1.ThingSpec"] !== undefined,
        true,
      );
      // The definition is deleted and the objects stay.
      assert.equal((await client.ask(`${definitions}/things.example.com`, { method: "DELETE" })).status, 200);
      await until(async () => assert.equal((await client.ask(`${definitions}/things.example.com`)).status, 404));
      assert.deepEqual((await client.ask(`${things}/one`)).json(), before);
    });
    assert.deepEqual(await storedThings(folder), bytes);
    await inRun(withPlugin, async (client) => {
      assert.deepEqual((await client.ask(`${things}/one`)).json(), before);
      assert.equal((await client.ask(definitions, { method: "POST", body: definition })).status, 201);
      await until(async () => {
        const { conditions } = (await client.ask(`${definitions}/things.example.com`)).json().status;
        assert.ok(conditions.some(({ type, status }: { type: string; status: string }) => type === "Established" && status === "True"));
      });
    });
    assert.deepEqual(await storedThings(folder), bytes);
    // And back: the definition that was created again.
    await inRun(plugins, (client) => until(async () => assert.deepEqual((await client.ask(`${things}/one`)).json(), before)));
    assert.deepEqual(await storedThings(folder), bytes);
  } finally {
    await rm(folder, { recursive: true, force: true });
    await rm(code, { recursive: true, force: true });
  }
});

/** Key, value and revision of every stored thing. */
async function storedThings(folder: string): Promise<readonly unknown[]> {
  const name = (await readdir(folder)).find((each) => /\.(db|sqlite)$/.test(each));
  assert.ok(name !== undefined, (await readdir(folder)).join(" "));
  const database = new DatabaseSync(join(folder, name));
  try {
    return database.prepare("SELECT live.key, history.value, live.revision FROM live JOIN history USING (revision)").all()
      .map(({ key, value, revision }) => [Buffer.from(key as Uint8Array).toString(), Buffer.from(value as Uint8Array).toString(), revision]) // `as`: blobs
      .filter(([key]) => String(key).includes("/example.com/things/"));
  } finally {
    database.close();
  }
}
