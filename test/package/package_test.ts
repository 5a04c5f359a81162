// The package as used by others: a program, a plugin and a test that import it by name.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { httpsClient } from "../https.ts";
import { run, runtimePath, startRealServer, startSkipped, until } from "../real-server.ts";
import { example } from "./example.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("the package", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "thole-package-"));
    await mkdir(join(folder, "node_modules"));
    // As `npm install ../thole` links a folder into the dependencies.
    await symlink(root, join(folder, "node_modules/thole"));
    await writeFile(join(folder, "package.json"), '{"name":"theirs","type":"module","dependencies":{"thole":"*"}}');
    await writeFile(join(folder, "deno.json"), '{"nodeModulesDir":"manual"}');
    await writeFile(join(folder, "widgets.ts"), await example());
  });
  after(() => rm(folder, { recursive: true, force: true }));

  test("openTestServer() authorizes the given users", async () => {
    const { openTestServer } = await import("../../testing.ts");
    await using server = await openTestServer();
    const status = async (path: string, ...user: [] | [{ name: string; groups: string[] } | null]) =>
      (await server.handle(new Request(`https://test${path}`), ...user)).status;
    assert.equal(await status("/api/v1/namespaces/default"), 200);
    assert.equal(await status("/api/v1/namespaces/default", { name: "alice", groups: ["system:authenticated"] }), 403);
    assert.equal(await status("/api/v1/namespaces/default", null), 403);
    // The authorizer follows the stored roles, also those that were created at the start.
    await until(async () => assert.equal(await status("/version", null), 200));
    const stranger = new Request("https://test/version", { headers: { authorization: "Bearer nope" } });
    assert.equal((await server.handle(stranger)).status, 401, "an unknown token is refused, also without a token file");
  });

  for (const runtime of ["deno", "node"] as const) {
    const skip = startSkipped(runtime);
    const theirs = async (name: string, code: string) => {
      await writeFile(join(folder, name), code);
      const flags = runtime === "deno" ? ["run", "-A", "--no-check"] : ["--disable-warning=ExperimentalWarning"];
      // The program ends by itself: a remaining timer or socket would keep it, and fail the test.
      const { code: exit, output, errors } = await run(runtimePath(runtime), [...flags, join(folder, name)], {
        cwd: folder,
      });
      assert.equal(exit, 0, errors);
      return output;
    };

    test(
      `thole starts a server from a program of a few lines, and close() releases everything (${runtime})`,
      { skip },
      async () => {
        const output = await theirs(
          `start-${runtime}.ts`,
          [
            'import { builtInPlugins, start } from "thole";',
            'import { clientFrom } from "thole/client";',
            'import { widgetsPlugin } from "./widgets.ts";',
            'const server = await start({ plugins: [...builtInPlugins, widgetsPlugin], settings: { "data-dir": ":memory:", "secure-port": 0 } });',
            "const client = await clientFrom({ kubeconfigText: server.kubeconfigText });",
            'const { kind } = await client.apply("example.com/v1", "widgets", "default", "a", { spec: { millimetres: 3 } });',
            "await client.close();",
            "console.log(server.url, kind);",
            "await server.close();",
          ].join("\n"),
        );
        assert.match(output, /^https:\/\/127\.0\.0\.1:\d+ Widget\n$/);
      },
    );

    test(`thole/testing opens a server in a test, and close() releases everything (${runtime})`, { skip }, async () => {
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

    test(`--plugins accepts a module's path and serves its exported plugins (${runtime})`, { skip }, async () => {
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
