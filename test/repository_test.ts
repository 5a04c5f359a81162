// The files that editors, code hosts and contributors read from the repository.
// In Deno's suite only: it checks files of the repository.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { jsonFromTree } from "../core/tree/values.ts";
import { readYaml } from "../core/tree/yaml.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const text = (path: string) => readFileSync(`${root}/${path}`, "utf8");

test("the dev container has the Node of the image, and the commands of the README", () => {
  const { image, postCreateCommand } = JSON.parse(text(".devcontainer/devcontainer.json").replaceAll(/^ *\/\/.*$/gm, ""));
  const [, node] = /FROM docker\.io\/library\/node:([\d.]+)-/.exec(text("Containerfile"))!;
  assert.equal(image, `docker.io/library/node:${node}-bookworm`);
  assert.equal(postCreateCommand, "sh scripts/ensure-etcd.sh && npm ci");
});

test("the templates for issues are forms that code hosts accept", () => {
  const folder = ".github/ISSUE_TEMPLATE";
  const forms = readdirSync(`${root}/${folder}`).filter((name) => name !== "config.yml");
  assert.deepEqual(forms.toSorted(), ["bug.yml", "feature.yml"]);
  for (const name of forms) {
    const read = readYaml(text(`${folder}/${name}`));
    assert.ok(read.ok, name);
    const form = jsonFromTree(read.tree) as unknown as Form; // The assertions below are its shape.
    assert.ok(form.name !== "" && form.description !== "", name);
    const inputs = form.body.filter(({ type }) => type !== "markdown");
    assert.ok(inputs.length > 0 && inputs.every(({ id, attributes }) => id !== undefined && attributes.label !== undefined), name);
    assert.equal(new Set(inputs.map(({ id }) => id)).size, inputs.length, name);
  }
});

interface Form {
  readonly name: string;
  readonly description: string;
  readonly body: readonly { readonly type: string; readonly id?: string; readonly attributes: { readonly label?: string } }[];
}

test("editors use the line width of the formatter", () => {
  const [, width] = /^max_line_length = (\d+)$/m.exec(text(".editorconfig"))!;
  assert.equal(Number(width), JSON.parse(text("deno.json")).fmt.lineWidth);
});

const { changelogFor, compareVersions, newestRelease, places } = await import(
  new URL("../scripts/release-version.mjs", import.meta.url).href
) as {
  readonly changelogFor: (changelog: string, version: string, date: string) => string | undefined;
  readonly compareVersions: (one: string, other: string) => number;
  readonly newestRelease: (changelog: string) => string | undefined;
  readonly places: readonly {
    readonly path: string;
    readonly read: (text: string) => readonly string[];
    readonly write: (text: string, version: string) => string;
  }[];
};

const version = JSON.parse(text("package.json")).version;

test("every place has the version of the package", () => {
  for (const { path, read } of places) {
    const found = read(text(path));
    assert.ok(found.length > 0 && found.every((each) => each === version), `${path}: ${found}`);
  }
});

test("a release writes its version to every place, and nothing else", () => {
  for (const { path, read, write } of places) {
    const before = text(path), after = write(before, "71.72.73");
    assert.deepEqual(read(after), read(before).map(() => "71.72.73"), path);
    assert.equal(write(after, version), before, path);
  }
});

test("a release dates the unreleased changes", () => {
  const log = "# Changelog\n\n## Unreleased\n\n### Added\n\n- one\n\n## 0.1.0 (2026-01-02)\n\n- two\n";
  const next = changelogFor(log, "0.2.0", "2026-02-03")!;
  assert.equal(next, log.replace("## Unreleased\n", "## Unreleased\n\n## 0.2.0 (2026-02-03)\n"));
  assert.deepEqual([newestRelease(log), newestRelease(next)], ["0.1.0", "0.2.0"]);
  assert.equal(changelogFor(next, "0.3.0", "2026-02-03"), undefined, "nothing to release");
  assert.deepEqual(["0.10.0", "0.2.0", "0.2.1"].toSorted(compareVersions), ["0.2.0", "0.2.1", "0.10.0"]);
});

test("the generator of plugins says that an older Node cannot run what it writes", async () => {
  const { nodeNote } = await import(new URL("../create-thole-plugin/answers.mjs", import.meta.url).href) as {
    nodeNote(version: string): string | undefined;
  };
  assert.match(nodeNote("20.19.0")!, /need Node 24 or newer; this is 20\.19\.0/);
  assert.equal(nodeNote("24.0.0"), undefined);
});

test("a created plugin has the repository's versions of TypeScript and Node's types", async () => {
  const { versions } = await import(new URL("../create-thole-plugin/files.mjs", import.meta.url).href) as {
    readonly versions: Readonly<Record<string, string>>;
  };
  const { devDependencies } = JSON.parse(text("package.json"));
  for (const name of ["typescript", "@types/node"]) assert.equal(versions[name], devDependencies[name], name);
});
