// The package as others use it: a program, a plugin and a test of theirs, each importing it by its name.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { httpsClient } from "../https.ts";
import { run, runtimeMissing, runtimePath, startRealServer } from "../real-server.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The example of docs/writing-a-plugin.md: the first block of code that defines a plugin. */
async function example(): Promise<string> {
  const text = await readFile(join(root, "docs/writing-a-plugin.md"), "utf8");
  const block = [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!).find((code) => code.includes("definePlugin("));
  assert.ok(block !== undefined, "the page shows a plugin");
  return block;
}

describe("the package", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "thole-package-"));
    await mkdir(join(folder, "node_modules"));
    // As `npm install ../thole` puts a folder into another's dependencies.
    await symlink(root, join(folder, "node_modules/thole"));
    await writeFile(join(folder, "package.json"), '{"name":"theirs","type":"module","dependencies":{"thole":"*"}}');
    await writeFile(join(folder, "deno.json"), '{"nodeModulesDir":"manual"}');
    await writeFile(join(folder, "widgets.ts"), await example());
  });
  after(() => rm(folder, { recursive: true, force: true }));

  test("docs/writing-a-plugin.md shows a plugin that does what it says", async () => {
    const copy = join(folder, "copy.ts");
    await writeFile(copy, (await example()).replaceAll('"thole/plugin"', JSON.stringify(pathToFileURL(join(root, "plugin.ts")).href)));
    const { widgetsPlugin } = await import(pathToFileURL(copy).href);
    const { openTestServer } = await import("../../testing.ts");
    await using server = await openTestServer({ plugins: [widgetsPlugin] });
    const url = "https://test/apis/example.com/v1/namespaces/default/widgets";
    const post = (body: unknown, query = "") =>
      server.handle(
        new Request(url + query, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
      );

    const made = await post({ metadata: { name: "a" }, spec: { millimetres: 12 } });
    assert.equal(made.status, 201);
    const object = await made.json();
    assert.deepEqual(object.spec, { colour: "green", millimetres: 12 });

    const watch = await server.handle(new Request(`${url}?watch=1&resourceVersion=${object.metadata.resourceVersion}`));
    const events = watch.body!.getReader();
    object.spec.colour = "blue";
    const put = await server.handle(
      new Request(`${url}/a`, { method: "PUT", body: JSON.stringify(object), headers: { "content-type": "application/json" } }),
    );
    assert.equal(put.status, 200);
    const event = JSON.parse(new TextDecoder().decode((await events.read()).value));
    assert.deepEqual([event.type, event.object.spec.colour], ["MODIFIED", "blue"]);
    await events.cancel();

    const wrong = await (await post({ metadata: { name: "b" }, spec: { colour: "mauve", millimetres: 0 } })).json();
    assert.equal(wrong.code, 422);
    assert.deepEqual(wrong.details.causes.map((cause: { field: string }) => cause.field), ["spec.colour", "spec.millimetres"]);
    const longer = { ...(await put.json()), spec: { millimetres: 13 } };
    await assert.rejects(server.api.update("example.com/v1", "widgets", "default", "a", longer), /spec\.millimetres: .*field is immutable/);
    const strict = await (await post({ metadata: { name: "c" }, spec: { color: "red", millimetres: 1 } }, "?fieldValidation=Strict"))
      .json();
    assert.deepEqual([strict.code, /unknown field "spec\.color"/.test(strict.message)], [400, true]);

    const table = await (await server.handle(
      new Request(url, { headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } }),
    )).json();
    assert.deepEqual(table.columnDefinitions.map((column: { name: string }) => column.name), ["Name", "Colour", "Age"]);
    assert.deepEqual(table.rows[0].cells.slice(0, 2), ["a", "blue"]);

    const openapi = await (await server.handle(new Request("https://test/openapi/v3/apis/example.com/v1"))).json();
    const described = Object.entries<{ properties?: { colour?: { description: string; default: string } } }>(openapi.components.schemas)
      .find(([name]) => name.endsWith("WidgetSpec"))![1].properties!.colour!;
    assert.match(described.description, /^What it is painted with\./);
    assert.equal(described.default, "green");
    const resources = await (await server.handle(new Request("https://test/apis/example.com/v1"))).json();
    assert.deepEqual(resources.resources.map(({ name, shortNames }: { name: string; shortNames: string[] }) => [name, shortNames]), [[
      "widgets",
      ["wd"],
    ]]);
  });

  test("openTestServer() authorizes whom it is told of", async () => {
    const { openTestServer } = await import("../../testing.ts");
    await using server = await openTestServer();
    const status = async (path: string, ...user: [] | [{ name: string; groups: string[] } | null]) =>
      (await server.handle(new Request(`https://test${path}`), ...user)).status;
    assert.equal(await status("/api/v1/namespaces/default"), 200);
    assert.equal(await status("/api/v1/namespaces/default", { name: "alice", groups: ["system:authenticated"] }), 403);
    assert.equal(await status("/api/v1/namespaces/default", null), 403);
    assert.equal(await status("/version", null), 200);
    const stranger = new Request("https://test/version", { headers: { authorization: "Bearer nope" } });
    assert.equal((await server.handle(stranger)).status, 200, "without a token file nobody reads tokens");
  });

  for (const runtime of ["deno", "node"] as const) {
    const skip = runtimeMissing(runtime);
    const theirs = async (name: string, code: string) => {
      await writeFile(join(folder, name), code);
      const flags = runtime === "deno" ? ["run", "-A", "--no-check"] : ["--disable-warning=ExperimentalWarning"];
      // The program ends by itself: a timer or socket that is left would keep it, and fail the test.
      const { code: exit, output, errors } = await run(runtimePath(runtime), [...flags, join(folder, name)], {
        timeoutMs: 20_000,
        cwd: folder,
      });
      assert.equal(exit, 0, errors);
      return output;
    };

    test(
      `thole starts a server from a program of a few lines, and nothing of it is left after close() (${runtime})`,
      { skip },
      async () => {
        const output = await theirs(
          `start-${runtime}.ts`,
          [
            'import { builtInPlugins, start } from "thole";',
            'import { widgetsPlugin } from "./widgets.ts";',
            'const server = await start({ plugins: [...builtInPlugins, widgetsPlugin], settings: { "data-dir": ":memory:", "secure-port": 0 } });',
            'console.log(server.url, server.catalog.endpoint("example.com", "v1", "widgets")?.kind);',
            "await server.close();",
          ].join("\n"),
        );
        assert.match(output, /^https:\/\/127\.0\.0\.1:\d+ Widget\n$/);
      },
    );

    test(`thole/testing opens a server in a test, and nothing of it is left after close() (${runtime})`, { skip }, async () => {
      const output = await theirs(
        `testing-${runtime}.ts`,
        [
          'import { openTestServer } from "thole/testing";',
          'import { widgetsPlugin } from "./widgets.ts";',
          "const server = await openTestServer({ plugins: [widgetsPlugin], bare: true });",
          'const watch = await server.handle(new Request("https://test/apis/example.com/v1/widgets?watch=1"));',
          'const groups = await (await server.handle(new Request("https://test/apis"))).json();',
          "console.log(watch.status, groups.groups.map((group) => group.name).join());",
          "await server.close();",
        ].join("\n"),
      );
      assert.equal(output, "200 example.com\n");
    });

    test(`--plugins takes a module's path and serves what it exports (${runtime})`, { skip }, async () => {
      const server = await startRealServer({ runtime, args: [`--plugins=${join(folder, "widgets.ts")}`] });
      const client = httpsClient(server);
      try {
        assert.equal((await client.ask("/apis/example.com/v1/widgets")).json().kind, "WidgetList");
        assert.equal((await client.ask("/api/v1/configmaps")).status, 200, "beside the built-in ones");
      } finally {
        client.close();
        await server.close();
      }
    });
  }
});
