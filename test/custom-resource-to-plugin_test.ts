// A custom resource becomes a kind of a plugin: the stored bytes stay the same.
// In Deno's suite only: what the API answers does not depend on the runtime.
import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Plugin } from "../core/plugin.ts";
import { definedResource } from "../plugin.ts";
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

/** The plugin of docs/writing-a-plugin.md, from the block with this mark. */
async function pluginOfThePage(folder: string, mark: "things" | "made"): Promise<Plugin> {
  const page = await readFile(new URL("../docs/writing-a-plugin.md", import.meta.url), "utf8");
  const code = new RegExp(`^\`\`\`ts ${mark}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(page)?.[1];
  assert.ok(code !== undefined, "a block of the plugin");
  const file = join(folder, `${mark}.ts`);
  await writeFile(file, code.replaceAll('"thole/plugin"', JSON.stringify(new URL("../plugin.ts", import.meta.url).href)));
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  const module: { readonly thingsPlugin: Plugin } = await import(pathToFileURL(file).href);
  return module.thingsPlugin;
}

/** Runs a server over the folder. */
async function inRun(folder: string, served: typeof plugins, work: (client: Client) => Promise<void>): Promise<void> {
  const server = await startTestServer({ args: [`--data-dir=${folder}`], plugins: served });
  const client = httpsClient({ port: server.port, ca: server.ca, token: server.tokens.admin });
  try {
    await work(client);
  } finally {
    client.close();
    await server.close();
  }
}

test("a kind of a plugin serves the objects of a definition, whose stored bytes stay, also without the definition", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-grown-")), code = await mkdtemp(join(tmpdir(), "thole-things-"));
  try {
    const withPlugin = [...plugins, await pluginOfThePage(code, "things")];
    let before: ReturnType<Answer["json"]>;
    await inRun(folder, plugins, async (client) => {
      assert.equal((await client.ask(definitions, { method: "POST", body: definition })).status, 201);
      await until(async () => assert.equal((await client.ask(things)).status, 200));
      const body = { apiVersion: home, kind: "Thing", metadata: { name: "one" }, spec: { size: 3, color: "red" } };
      assert.equal((await client.ask(things, { method: "POST", body })).status, 201);
      before = (await client.ask(`${things}/one`)).json();
    });
    const bytes = await storedThings(folder);
    assert.equal(bytes.length, 1);
    await inRun(folder, withPlugin, async (client) => {
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
    await inRun(folder, withPlugin, async (client) => {
      assert.deepEqual((await client.ask(`${things}/one`)).json(), before);
      assert.equal((await client.ask(definitions, { method: "POST", body: definition })).status, 201);
      await until(async () => {
        const { conditions } = (await client.ask(`${definitions}/things.example.com`)).json().status;
        assert.ok(conditions.some(({ type, status }: { type: string; status: string }) => type === "Established" && status === "True"));
      });
    });
    assert.deepEqual(await storedThings(folder), bytes);
    // And back: the definition that was created again.
    await inRun(folder, plugins, (client) => until(async () => assert.deepEqual((await client.ask(`${things}/one`)).json(), before)));
    assert.deepEqual(await storedThings(folder), bytes);
  } finally {
    await rm(folder, { recursive: true, force: true });
    await rm(code, { recursive: true, force: true });
  }
});

/** With every part that a definition may have. */
const complete = {
  ...definition,
  spec: {
    ...definition.spec,
    names: { ...definition.spec.names, shortNames: ["th"], categories: ["all"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            description: "A thing.",
            required: ["spec"],
            properties: {
              spec: {
                type: "object",
                required: ["color"],
                "x-kubernetes-validations": [{ rule: "self.color == oldSelf.color", message: "the color cannot change" }],
                properties: {
                  color: { type: "string", maxLength: 6, pattern: "^[a-z]+$" },
                  size: { type: "integer", minimum: 1, default: 2 },
                  port: { "x-kubernetes-int-or-string": true },
                  parts: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    items: {
                      type: "object",
                      required: ["name"],
                      properties: { name: { type: "string" }, on: { type: "boolean", nullable: true } },
                    },
                  },
                  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                },
              },
              status: { type: "object", properties: { size: { type: "integer" } } },
            },
          },
        },
        subresources: { status: {}, scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" } },
        selectableFields: [{ jsonPath: ".spec.color" }],
        additionalPrinterColumns: [{ name: "Color", type: "string", jsonPath: ".spec.color" }],
      },
      {
        name: "v1alpha1",
        served: true,
        storage: false,
        deprecated: true,
        schema: {
          openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties: { color: { type: "string" } } } } },
        },
      },
    ],
  },
};

/** Requests whose responses a definition and a plugin made of it share. */
const requests: readonly (readonly [path: string, init?: Parameters<Client["ask"]>[1]])[] = (() => {
  const thing = (spec: unknown, name = "two") => ({ apiVersion: home, kind: "Thing", metadata: { name }, spec });
  const dry = `${things}?dryRun=All`, merge = { "content-type": "application/merge-patch+json" };
  return [
    [`${things}/one`],
    [things.replace("v1", "v1alpha1")],
    [`${things}?fieldSelector=spec.color%3Dred`],
    [`${things}/one/scale`],
    [things, { headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } }],
    [`/apis/${home}`],
    [`/openapi/v3/apis/${home}`],
    [dry, { method: "POST", body: thing({ color: "Too long", size: 0, port: true, parts: [{}, { name: "a" }, { name: "a" }], extra: 1 }) }],
    [dry, { method: "POST", body: thing({ size: "x" }) }],
    [dry, { method: "POST", body: thing(undefined) }],
    [`${things}/one?dryRun=All`, { method: "PATCH", headers: merge, body: { spec: { color: "blue" } } }],
    [`${things}/one?dryRun=All&fieldValidation=Strict`, { method: "PATCH", headers: merge, body: { spec: { other: 1 } } }],
    [`${things}/one/scale?dryRun=All`, { method: "PATCH", headers: merge, body: { spec: { replicas: -1 } } }],
    [`${things}/one?dryRun=All`, { method: "PATCH", headers: { "content-type": "application/strategic-merge-patch+json" }, body: {} }],
  ];
})();

test("a plugin made of a definition has its paths, its validation and its stored bytes", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-made-")), code = await mkdtemp(join(tmpdir(), "thole-code-"));
  const answers = async (client: Client) => {
    const found: unknown[] = [];
    for (const [path, init] of requests) {
      const answer = await client.ask(path, init);
      found.push([
        path,
        answer.status,
        answer.headers.warning,
        JSON.parse(answer.text.replaceAll(/"(uid|resourceVersion)":"[^"]*"/g, '"$1":""')),
      ]);
    }
    return found;
  };
  const update = async (client: Client, size: number) => {
    const found: ReturnType<Answer["json"]> = (await client.ask(`${things}/one`)).json();
    const { status } = await client.ask(`${things}/one`, { method: "PUT", body: { ...found, spec: { ...found.spec, size } } });
    assert.equal(status, 200);
  };
  try {
    let before: readonly unknown[] = [];
    await inRun(folder, plugins, async (client) => {
      assert.equal((await client.ask(definitions, { method: "POST", body: complete })).status, 201);
      await until(async () => assert.equal((await client.ask(things)).status, 200));
      const spec = { color: "red", port: "http", parts: [{ name: "a", on: null }], free: { b: 1, a: null } };
      assert.equal(
        (await client.ask(things, { method: "POST", body: { apiVersion: home, kind: "Thing", metadata: { name: "one" }, spec } })).status,
        201,
      );
      await update(client, 3);
      before = await answers(client);
    });
    const bytes = await storedThings(folder);
    await writeFile(join(code, "things.example.com.json"), JSON.stringify(complete));
    const withPlugin = [...plugins, await pluginOfThePage(code, "made")];
    await inRun(folder, withPlugin, async (client) => {
      assert.deepEqual(await answers(client), before);
      await update(client, 3);
      const { status, text } = await client.ask(things, {
        method: "POST",
        body: { apiVersion: home, kind: "Thing", metadata: { name: "none" }, spec: {} },
      });
      assert.deepEqual([status, text.includes("none is reserved"), text.includes("spec.color")], [422, true, true]);
      assert.equal((await client.ask(`${definitions}/things.example.com`, { method: "DELETE" })).status, 200);
      await until(async () => assert.equal((await client.ask(`${definitions}/things.example.com`)).status, 404));
      assert.deepEqual(await answers(client), before);
    });
    assert.deepEqual(await storedThings(folder), bytes);
  } finally {
    await rm(folder, { recursive: true, force: true });
    await rm(code, { recursive: true, force: true });
  }
});

test("definedResource() rejects a definition with a conversion webhook, or without a stored version", () => {
  const { spec } = definition, [version] = spec.versions;
  assert.throws(
    () => definedResource({ spec: { ...spec, conversion: { strategy: "Webhook" } } }),
    /things\.example\.com is converted by a webhook/,
  );
  assert.throws(
    () => definedResource({ spec: { ...spec, versions: [{ ...version!, storage: false }] } }),
    /exactly one version that is stored/,
  );
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
