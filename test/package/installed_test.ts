// The packed tarball, installed in a fresh project: its size, its program, its modules and its types.
// In Deno's suite only: it starts the programs of both runtimes.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { run, runtimeMissing, runtimePath, signal, startCommand, startSkipped, until } from "../real-server.ts";
import { testCreate } from "./create.ts";
import { example } from "./example.ts";
import { testExamples } from "./examples.ts";
import { install, type Installed, root, withNode } from "./tarball.ts";

const packedBytesMax = 1_700_000;
const installedBytesMax = 20_000_000;
const modulesMax = 100;
const readyMsMax = 60_000;

const start = [
  'import { builtInPlugins, start } from "thole";',
  'import { clientFrom } from "thole/client";',
  'import { widgetsPlugin } from "./widgets.ts";',
  'const server = await start({ plugins: [...builtInPlugins, widgetsPlugin], settings: { "data-dir": ":memory:", "secure-port": 0 } });',
  "const client = await clientFrom({ kubeconfigText: server.kubeconfigText });",
  'const { kind } = await client.apply("example.com/v1", "widgets", "default", "a", { spec: { millimetres: 3 } });',
  "await client.close();",
  "console.log(server.url, kind);",
  "await server.close();",
].join("\n");

const tests = [
  'import assert from "node:assert/strict";',
  'import { test } from "node:test";',
  'import { type ApiObject, definePlugin, StatusError } from "thole/plugin";',
  'import { openTestServer } from "thole/testing";',
  'import { widgetsPlugin } from "./widgets.ts";',
  'test("the server lists widgets", async () => {',
  "  await using server = await openTestServer({ plugins: [widgetsPlugin] });",
  '  const response = await server.handle(new Request("https://test/apis/example.com/v1/widgets"));',
  '  assert.equal((await response.json() as { kind: string }).kind, "WidgetList");',
  "});",
  // The server answers an error of another copy of the class with 500.
  'test("thole/plugin and thole/testing share their classes", async () => {',
  "  const mutate = (next: ApiObject) => {",
  '    if (next.metadata.name === "a") throw new StatusError("Conflict", "no");',
  "    return next;",
  "  };",
  '  const step = { name: "Step", resources: "all" as const, mutate };',
  '  await using server = await openTestServer({ plugins: [definePlugin({ name: "step", summary: "A step.", admission: [step] })] });',
  '  const body = JSON.stringify({ metadata: { name: "a" } });',
  '  const init = { method: "POST", headers: { "content-type": "application/json" }, body };',
  '  const response = await server.handle(new Request("https://test/api/v1/namespaces/default/configmaps", init));',
  "  assert.equal(response.status, 409);",
  "});",
].join("\n");

/** A program of the oldest supported Node line on PATH; undefined without one. */
async function node22(): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    for (const name of ["node", "node22", "node-22"]) {
      const path = join(folder, name);
      if (existsSync(path) && /^v22\./.test((await run(path, ["--version"])).output)) return path;
    }
  }
  return undefined;
}

const npmMissing = await run("npm", ["--version"]).then(() => false as const, () => "no npm on PATH");
const oldest = await node22();
const runtimes = [
  { name: "Node 24", path: runtimePath("node"), skip: runtimeMissing("node") },
  { name: "Node 22", path: oldest ?? "", skip: oldest === undefined ? "no Node 22 on PATH" : false },
];

describe("the packed tarball", { skip: npmMissing || startSkipped("deno") || runtimeMissing("node") }, () => {
  let installed: Installed;
  let project = "";
  before(async () => {
    installed = await install();
    project = installed.project;
    const tsconfig = { compilerOptions: { strict: true, module: "nodenext", target: "es2024", lib: ["esnext", "dom"], types: ["node"] } };
    for (
      const [name, text] of Object.entries({
        "widgets.ts": await example(),
        "start.ts": start,
        "widgets_test.ts": tests,
        "tsconfig.json": JSON.stringify(tsconfig),
        "deno.json": '{"nodeModulesDir":"manual"}',
      })
    ) await writeFile(join(project, name), text);
  });
  after(() => installed?.remove());

  testExamples(() => installed);
  testCreate(() => installed);

  test("is below its size bounds and contains no tests", () => {
    assert.ok(installed.packedBytes < packedBytesMax, `${installed.packedBytes} bytes packed`);
    assert.ok(installed.installedBytes < installedBytesMax, `${installed.installedBytes} bytes installed`);
    assert.deepEqual(installed.files.filter((path) => /_(test|bench)\.|.\/testing\/|^test\//.test(path)), []);
    assert.deepEqual(installed.files.filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts")), []);
  });

  test("has a source map for each module, a program and no dependency on Deno", async () => {
    const manifest = JSON.parse(await readFile(join(project, "node_modules/thole/package.json"), "utf8"));
    assert.deepEqual(Object.keys(manifest.dependencies), [
      "@noble/ciphers",
      "croner",
      "entities",
      "jose",
      "js-yaml",
      "protobufjs",
      "re2js",
      "yaml",
    ]);
    assert.deepEqual([manifest.bin, manifest.private], [{ "thole": "bin/thole.js", "kube-apiserver": "bin/thole.js" }, undefined]);
    const files = new Set(installed.files);
    const modules = installed.files.filter((path) => path.endsWith(".js") && !path.startsWith("bin/"));
    assert.deepEqual(modules.filter((path) => !files.has(`${path}.map`)), []);
    for (
      const name of [
        "mod.js",
        "mod.d.ts",
        "client.js",
        "client.d.ts",
        "plugin.js",
        "plugin.d.ts",
        "toolbox.js",
        "toolbox.d.ts",
        "testing.js",
        "testing.d.ts",
      ]
    ) {
      assert.ok(files.has(name), name);
    }
    assert.ok(modules.length < modulesMax, `${modules.length} modules`);
    assert.equal(manifest.man, "./man/thole.1");
    assert.ok(files.has("man/thole.1"));
  });

  test("built-in definitions are frozen without a check, and those of others are checked", async () => {
    const script = installed.files.find((path) => /^server-\w+\.cjs$/.test(path))!;
    const text = await readFile(join(project, "node_modules/thole", script), "utf8");
    assert.doesNotMatch(text, /= define(Resource|Plugin)\(/);
    assert.match(text, /Plugin = deepFreeze\(/);
    await writeFile(
      join(project, "definitions.mjs"),
      [
        'import { builtInPlugins } from "thole";',
        'import { definePlugin } from "thole/plugin";',
        "console.log(builtInPlugins.every((each) => Object.isFrozen(each) && (each.resources ?? []).every((one) => Object.isFrozen(one.served))));",
        'try { definePlugin({ name: "Wrong", summary: "" }); } catch (error) { console.log(error.mistakes.length); }',
      ].join("\n"),
    );
    const { code, output, errors } = await run(runtimePath("node"), ["definitions.mjs"], { cwd: project });
    assert.deepEqual([code, output], [0, "true\n2\n"], errors);
  });

  test("a stack trace shows file and line of the source with --enable-source-maps", async () => {
    await writeFile(
      join(project, "mistake.mjs"),
      'import { definePlugin } from "thole/plugin";\ndefinePlugin({ name: "A", summary: "" });\n',
    );
    const { code, errors } = await run(runtimePath("node"), ["--enable-source-maps", "mistake.mjs"], { cwd: project });
    assert.equal(code, 1);
    assert.match(errors, /at definePlugin \(.*node_modules\/thole\/core\/define\/define\.ts:\d+/);
  });

  for (const { name, path, skip } of runtimes) {
    test(`npx thole --data-dir=:memory: serves (${name})`, { skip }, async () => {
      const env = { ...process.env, ...withNode(path) };
      // Node 22 strips types of modules outside node_modules only with a flag; compiled plugins need none.
      const plugins = name === "Node 22" ? [] : ["--plugins=./widgets.ts"];
      const program = await startCommand(["npx", "--offline", "thole", "--data-dir=:memory:", "--secure-port=0", ...plugins], {
        cwd: project,
        env,
      });
      let exited = false;
      program.exited.then(() => exited = true);
      try {
        const ready = () => assert.match(program.output(), /^Thole serves on https:\/\/127\.0\.0\.1:\d+$/m, program.errors());
        await until(() => exited || ready(), readyMsMax);
        ready();
      } finally {
        // npx does not pass signals on; the log has the process id of the server.
        const pid = / (\d+) server\] "starting"/.exec(program.errors())?.[1];
        if (pid !== undefined) signal(Number(pid), "SIGTERM");
        else program.signal("SIGKILL");
        await program.exited;
      }
    });
  }

  test("the link kube-apiserver accepts kube-apiserver's flags, ends with SIGTERM, and leaves no folder behind", async () => {
    const [node] = runtimes;
    const program = await startCommand(
      [
        join(project, "node_modules/.bin/kube-apiserver"),
        "--secure-port=0",
        "--allow-privileged=true",
        "--service-cluster-ip-range",
        "10.0.0.0/24",
      ],
      { cwd: project, env: { ...process.env, ...withNode(node!.path) } },
    );
    await until(() => assert.match(program.output(), /^Thole serves on/m, program.errors()), readyMsMax);
    assert.doesNotMatch(program.errors(), /ExperimentalWarning/);
    assert.match(program.errors(), /have no effect" flags=\["--allow-privileged"\]/);
    program.signal("SIGTERM");
    assert.equal(await program.exited, 0);
    assert.equal(existsSync(join(project, "thole-data")), false);
  });

  test("a second start in a data folder writes Node's compile cache there, and later ones use it", async () => {
    const data = join(project, "data"), command = [join(project, "node_modules/.bin/thole"), `--data-dir=${data}`, "--secure-port=0"];
    const serve = async () => {
      // The suite on Node has a cache of its own.
      const { NODE_COMPILE_CACHE: _, ...inherited } = process.env;
      // Without a home.
      const env = { ...inherited, ...withNode(runtimePath("node")), NODE_DEBUG_NATIVE: "COMPILE_CACHE", HOME: "", XDG_CACHE_HOME: "" };
      const program = await startCommand(command, { cwd: project, env });
      await until(() => assert.match(program.output(), /^Thole serves on/m, program.errors()), readyMsMax);
      program.signal("SIGTERM");
      assert.equal(await program.exited, 0);
      assert.doesNotMatch(program.errors(), /ExperimentalWarning/, "of the thread of the store");
      return program.errors();
    };
    /** When the code of the server's script was written. V8's rejection of it would have it written again. */
    const codeWritten = async () => {
      const [file, ...more] = (await readdir(join(data, "compile-cache"), { recursive: true })).filter((name) =>
        name.endsWith(".cjs.code")
      );
      assert.deepEqual(more, []);
      assert.ok(file !== undefined, "there is a file");
      return (await stat(join(data, "compile-cache", file))).mtimeMs;
    };
    assert.doesNotMatch(await serve(), /reading cache/);
    assert.equal(existsSync(join(data, "compile-cache")), false);
    assert.doesNotMatch(await serve(), /main\.js.* was accepted/);
    const written = await codeWritten();
    assert.match(await serve(), /main\.js.* was accepted/);
    assert.equal(await codeWritten(), written);
  });

  test("a server in memory writes its code to the cache folder of the user when it is ready and quiet, also if it is killed", async () => {
    const cache = join(project, "user-cache"),
      command = [join(project, "node_modules/.bin/thole"), "--data-dir=:memory:", "--secure-port=0"];
    await mkdir(cache, { mode: 0o700 });
    const { NODE_COMPILE_CACHE: _, ...inherited } = process.env;
    const env = { ...inherited, ...withNode(runtimePath("node")), XDG_CACHE_HOME: cache };
    const program = await startCommand(command, { cwd: project, env });
    const codes = async () => (await readdir(cache, { recursive: true })).filter((name) => name.endsWith(".cjs.code"));
    await until(async () => assert.equal((await codes()).length, 1, program.errors()), readyMsMax);
    program.signal("SIGKILL");
    await program.exited;
    assert.equal((await codes()).length, 1);
  });

  for (
    const { name, path, skip, flags, testFlags } of [
      ...runtimes.map((each) => {
        const strip = ["--disable-warning=ExperimentalWarning", ...(each.name === "Node 22" ? ["--experimental-transform-types"] : [])];
        // The default target of the type transform keeps `using`, which Node 22 lacks: its tests are compiled by others.
        return { ...each, flags: strip, testFlags: each.name === "Node 22" ? undefined : strip };
      }),
      {
        name: "Deno",
        path: runtimePath("deno"),
        skip: false,
        flags: ["run", "-A", "--no-check", "--cached-only"],
        testFlags: ["test", "-A", "--no-check", "--cached-only"],
      },
    ]
  ) {
    test(`a program starts a server with the page's plugin (${name})`, { skip }, async () => {
      const { code, output, errors } = await run(path, [...flags, "start.ts"], { cwd: project });
      assert.equal(code, 0, errors);
      assert.match(output, /^https:\/\/127\.0\.0\.1:\d+ Widget\n$/);
    });

    if (testFlags === undefined) continue;
    test(`its tests run with thole/testing (${name})`, { skip }, async () => {
      const { code, output, errors } = await run(path, [...testFlags, "widgets_test.ts"], { cwd: project, env: { NODE_TEST_CONTEXT: "" } });
      assert.equal(code, 0, output + errors);
      assert.match(output, /the server lists widgets/);
    });
  }

  for (const exact of [false, true]) {
    test(`the project type-checks under strict${exact ? " and exactOptionalPropertyTypes" : ""}`, async () => {
      const tsc = join(root, "node_modules/typescript/bin/tsc");
      const flags = ["--noEmit", "--allowImportingTsExtensions", "--exactOptionalPropertyTypes", String(exact)];
      const { code, output } = await run(runtimePath("node"), [tsc, "-p", ".", ...flags], { cwd: project });
      assert.equal(code, 0, output);
    });
  }
});
