/** `npm create thole-plugin`: from its packed tarball, and in a clone of the repository. */
import assert from "node:assert/strict";
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { run, runtimePath } from "../real-server.ts";
import { type Installed, root, withNode } from "./tarball.ts";

const minute = 60_000;
/** Asking a registry fails at once: nothing is downloaded or published. */
const offline = { npm_config_registry: "http://127.0.0.1:9/", npm_config_fetch_retries: "0", npm_config_update_notifier: "false" };
const quiet = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund"];

/** Runs a command that must end with 0, and returns its output. */
async function good(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { code, output, errors } = await run(command, args, { cwd, env: { ...withNode(runtimePath("node")), ...offline } });
  assert.equal(code, 0, `${command} ${args.join(" ")}: ${output}\n${errors}`);
  return output;
}

/** What `npm install` of a created plugin brings. */
async function installInto(plugin: string, project: string): Promise<void> {
  await mkdir(join(plugin, "node_modules/@types"), { recursive: true });
  await mkdir(join(plugin, "node_modules/.bin"));
  await symlink(join(project, "node_modules/thole"), join(plugin, "node_modules/thole"));
  await symlink(join(root, "node_modules/typescript/bin/tsc"), join(plugin, "node_modules/.bin/tsc"));
  for (const name of ["@types/node", "undici-types"]) await symlink(join(root, "node_modules", name), join(plugin, "node_modules", name));
}

function testPublished(installed: () => Installed): void {
  test("npm create thole-plugin writes plugins that pass their own tests and type check, and can be published", {
    timeout: 5 * minute,
  }, async () => {
    const node = runtimePath("node"), { project } = installed(), folder = join(project, "create");
    await mkdir(folder);
    await good("npm", ["pack", "--silent", "--pack-destination", folder], join(root, "create-thole-plugin"));
    const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz"))!;
    await good("tar", ["--extract", "--file", tarball], folder);
    const create = (...args: readonly string[]) => run(node, [join(folder, "package/create.mjs"), ...args], { cwd: folder });
    // A kind with a reserved word, and one with the name of a type.
    for (const [kind, plural] of [["Class.school.example.com", "classes"], ["Controller.example.com", "controllers"]] as const) {
      const own = join(folder, kind);
      assert.equal((await create(kind, `--kind=${kind}`)).code, 0);
      await installInto(own, project);
      assert.match(await good("npm", ["test"], own), /pass 5\b/);
      await good("npm", ["publish", "--dry-run"], own);
      const packed = JSON.parse(await good("npm", ["pack", "--json", "--silent"], own).then((text) => text.slice(text.indexOf("[")))) as {
        readonly filename: string;
        readonly files: readonly { readonly path: string }[];
      }[];
      assert.deepEqual(packed[0]!.files.map(({ path }) => path).filter((path) => /test|\.ts$/.test(path)), [
        "dist/controller.d.ts",
        "dist/kind.d.ts",
        "dist/plugin.d.ts",
      ]);
      const home = join(project, `node_modules/thole-plugin-${plural}`);
      await mkdir(home);
      await good("tar", ["--extract", "--strip-components=1", "--file", join(own, packed[0]!.filename)], home);
      assert.match(await good("npx", ["thole", "check", `--plugins=thole-plugin-${plural}`], project), new RegExp(`\\b${plural}\\)`));
      assert.match((await create(kind, `--kind=${kind}`)).errors, /is not empty: name a new folder/);
    }
    for (
      const [args, error] of [
        [["--kind=database.example.com"], /"database" is not a kind/],
        [["--kind=Database"], /"" is not a group/],
        [["--kind=Pod.apps.k8s.io"], /belongs to Kubernetes/],
        [["--knd=A.b.c"], /unknown flag/],
        [["a", "b"], /one folder only/],
        [[], /no terminal to ask/],
      ] as const
    ) {
      const { code, errors } = await create(...args);
      assert.equal(code, 1);
      assert.match(errors, error);
    }
  });
}

/** The block of the page that begins with these words. */
async function block(begins: string): Promise<string> {
  const page = await readFile(join(root, "docs/publishing-a-plugin.md"), "utf8");
  return page.split("```").find((each) => each.replace(/^[a-z]+\n/, "").startsWith(begins))!.replace(/^[a-z]+\n/, "");
}

function testPage(installed: () => Installed): void {
  test("the steps of publishing-a-plugin.md: a field that v1 loses fails a test, a kept one does not; a file configures the plugin", {
    timeout: 5 * minute,
  }, async () => {
    const node = runtimePath("node"), { project } = installed(), folder = join(project, "steps");
    // The program that the test above has unpacked.
    await good(node, [join(project, "create/package/create.mjs"), folder, "--kind=Database.db.example.com"], project);
    await installInto(folder, project);
    const path = join(folder, "src/kind.ts"), text = await readFile(path, "utf8"), at = text.indexOf("  class: field(3");
    const changed = text.slice(0, at) + await block("engine: field(4") + text.slice(at);
    await writeFile(path, changed);
    const { code, output } = await run("npm", ["test"], { cwd: folder, env: withNode(node) });
    assert.notEqual(code, 0);
    assert.match(output, /^✖ no encoding, patch or version of a database loses data/m);
    assert.match(output, /pass 4\b/);
    await writeFile(path, changed.replace(/^const newer = .*\n/m, await block("const newer")));
    assert.match(await good("npm", ["test"], folder), /pass 5\b/);
    await good(node, [join(root, "node_modules/typescript/bin/tsc"), "--project", "tsconfig.build.json"], folder);
    await symlink(folder, join(project, "node_modules/thole-plugin-databases"));
    await writeFile(join(project, "plugins.yaml"), await block("plugins: "));
    assert.match(await good("npx", ["thole", "check", "plugins.yaml"], project), /\bdatabases\)/);
  });
}

function testClone(installed: () => Installed): void {
  test("npm create thole-plugin works in a clone, and the plugin installs the package of that clone", { timeout: minute }, async () => {
    const clone = join(installed().project, "clone"), plugin = join(clone, "../boats"), generator = "create-thole-plugin";
    const { name, version, type, devDependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    await cp(join(root, generator), join(clone, generator), { recursive: true });
    const manifest = { name, version, type, devDependencies: { [generator]: devDependencies[generator] } };
    await writeFile(join(clone, "package.json"), JSON.stringify(manifest));
    await mkdir(join(clone, "scripts"));
    // Stands for the real one, whose tarball the other tests install.
    await writeFile(join(clone, "scripts/pack.mjs"), 'import { mkdirSync } from "node:fs";\nmkdirSync("build");\n');
    await good("npm", ["install", ...quiet], clone);
    await good("npm", ["create", "thole-plugin", "../boats", "--", "--kind=Boat.example.com"], clone);
    const made = JSON.parse(await readFile(join(plugin, "package.json"), "utf8"));
    assert.equal(resolve(plugin, made.devDependencies.thole.replace("file:", "")), join(clone, `build/thole-${version}.tgz`));
  });
}

function testProgram(installed: () => Installed): void {
  test("npx thole is the program in a clone, too", { timeout: minute }, async () => {
    const env = { ...withNode(runtimePath("node")), ...offline, npm_config_cache: join(installed().project, "npx") };
    const { code, output, errors } = await run("npx", ["thole", "check", "--plugins=cluster"], { cwd: root, env });
    assert.equal(code, 0, errors);
    assert.match(output, /The configuration is valid: .*cluster/);
  });
}

/** The tests of the generator. */
export function testCreate(installed: () => Installed): void {
  testPublished(installed);
  testPage(installed);
  testClone(installed);
  testProgram(installed);
}
