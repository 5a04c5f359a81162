// Checks of the documentation: links resolve, and flags exist.
// In Deno's suite only: it checks files of the repository.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { diagrams, drawing, pictureOf } from "../../tools/docs/diagrams.ts";
import { slugger } from "../../tools/docs/slugs.ts";
import { sourceFolders } from "../source-folders.ts";
import { type CommandName, commands, flagsOf } from "../../server/config/commands.ts";
import { settings } from "../../server/config/settings.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

function pages(): readonly string[] {
  const below = ["docs", "charts", "test", ...sourceFolders].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`)
  );
  return [...readdirSync(root), ...below].filter((path) => path.endsWith(".md")).toSorted();
}

/** Text without code blocks. */
const prose = (text: string) => text.replaceAll(/^```[\s\S]*?^```/gm, "");

/** The anchors of a page's headings. */
function anchors(text: string): ReadonlySet<string> {
  const slug = slugger();
  return new Set([...prose(text).matchAll(/^#+ +(.*)$/gm)].map(([, heading = ""]) => slug(heading)));
}

/** The broken links of a page. */
function broken(page: string, text: string): readonly string[] {
  const targets = [...prose(text).replaceAll(/`[^`\n]*`(?!\])/g, "").matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
  return targets.filter((target) => !/^[a-z]+:/.test(target)).flatMap((target) => {
    const [path = "", anchor] = target.split("#");
    const file = path === "" ? join(root, page) : resolve(root, dirname(page), path);
    if (!existsSync(file)) return [`${page}: ${target} does not exist`];
    if (anchor === undefined) return [];
    return anchors(readFileSync(file, "utf8")).has(anchor) ? [] : [`${page}: ${relative(root, file)} has no heading "${anchor}"`];
  });
}

test("broken() finds broken links", () => {
  const text =
    "[a](docs) [b](gone.md) [c](#one-two-1) [d](#three) [e](https://example.com/x)\n# One, two\n## One two\n```\n[f](no.md)\n```\n";
  assert.deepEqual(anchors("# One, two\n## `One` two\n"), new Set(["one-two", "one-two-1"]));
  assert.deepEqual(broken("x.md", text.replace("[c](#one-two-1) [d](#three) ", "")), ["x.md: gone.md does not exist"]);
  assert.deepEqual(broken("README.md", "[a](docs/README.md#nothing-of-the-kind)"), [
    'README.md: docs/README.md has no heading "nothing-of-the-kind"',
  ]);
});

test("links between pages resolve to files and headings", () => {
  assert.deepEqual(pages().flatMap((page) => broken(page, readFileSync(join(root, page), "utf8"))), []);
});

const sourcePath = new RegExp(`\\b(?:${[...sourceFolders, "test"].join("|")})/[\\w/.-]*\\.ts\\b`, "g");

/** Paths of the repository's own sources in a text. */
const sourcesIn = (text: string): readonly string[] => [...text.matchAll(sourcePath)].map(([path]) => path);

test("docs/concepts.md, the diagrams and the READMEs of the folders name sources that exist", () => {
  assert.deepEqual(sourcesIn("`kernel/a.ts`, kernel/b/c-d.ts<br>core/e.test.ts."), ["kernel/a.ts", "kernel/b/c-d.ts", "core/e.test.ts"]);
  const texts = [readFileSync(join(root, "docs/concepts.md"), "utf8"), ...diagrams().map(({ dot }) => dot)];
  const concepts = texts.flatMap(sourcesIn);
  assert.ok(concepts.length > 40);
  assert.deepEqual(concepts.filter((path) => !existsSync(join(root, path))), []);
  // A README names files from its own folder, from the folder above or from the top, so any of the three places counts.
  const missing = folderReadmes().flatMap((folder) => {
    const text = readFileSync(join(root, folder, "README.md"), "utf8");
    const named = [...text.matchAll(/`([\w/-][\w/.-]*\.ts)`/g)].map(([, path]) => path!);
    return named.filter((path) => ![folder, folder.split("/")[0]!, "."].some((base) => existsSync(join(root, base, path)))).map((path) =>
      `${folder}: ${path}`
    );
  });
  assert.deepEqual(missing, []);
});

/** The folders with a README: all that have no plugins, and each of their folders but those of `cel`, which its README describes. */
function folderReadmes(): readonly string[] {
  return sourceFolders.filter((folder) => !["plugins", "metrics", "health"].includes(folder)).flatMap((parent) => {
    const below = parent === "cel" ? [] : readdirSync(join(root, parent), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return [parent, ...below.map(({ name }) => `${parent}/${name}`)];
  });
}

test("the folders of the sources and each of their folders have a README of at most 25 lines: entry, callers, invariant", () => {
  for (const folder of folderReadmes()) {
    const text = readFileSync(join(root, folder, "README.md"), "utf8");
    assert.ok(text.trimEnd().split("\n").length <= 25, folder);
    for (const word of ["Entry:", "Callers:", "Invariant:"]) assert.ok(text.includes(`\n- ${word} `), `${folder} ${word}`);
  }
});

test("the functions that the READMEs of the folders name in parentheses after a file are exported by it", () => {
  const missing = folderReadmes().flatMap((folder) => {
    const text = readFileSync(join(root, folder, "README.md"), "utf8");
    return [...text.matchAll(/`([\w/-][\w/.-]*\.ts)` \(((?:`\w+`(?:, )?)+)/g)].flatMap(([, path, names]) => {
      const base = [folder, folder.split("/")[0]!, "."].find((each) => existsSync(join(root, each, path!)));
      const source = base === undefined ? "" : readFileSync(join(root, base, path!), "utf8");
      const exports = source.split("\n").filter((line) => /^export |^ {2}(?:type )?\w+,$/.test(line)).join("\n");
      return [...names!.matchAll(/\w+/g)].filter(([name]) => !new RegExp(`\\b${name}\\b`).test(exports) && name !== "dispatch").map((
        [name],
      ) => `${folder}: ${path} ${name}`);
    });
  });
  assert.deepEqual(missing, []);
});

for (const folder of ["kernel", "server"]) {
  test(`${folder}/README.md lists the layers of the folder in the order of their imports`, () => {
    const text = readFileSync(join(root, folder, "README.md"), "utf8");
    const layers = text.slice(text.indexOf("\nLayers")).split(":\n")[1]!.split(";").map((layer) =>
      [...layer.matchAll(/`([\w.-]+)`/g)].map(([, name]) => name!)
    );
    const level = new Map(layers.flatMap((names, index) => names.map((name) => [name, index] as const)));
    const sources = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts") && !path.endsWith("_test.ts") && !path.includes("/testing/"));
    const wrong = sources.flatMap((path) => {
      const own = path.split("/")[0]!;
      if (!level.has(own)) return [`${own} is missing`];
      return [...readFileSync(join(root, folder, path), "utf8").matchAll(/^(?:import|export) [^;]*? from "(\.[^"]+)"/gm)]
        .map(([, specifier]) => relative(join(root, folder), join(root, folder, dirname(path), specifier!)))
        .filter((target) => !target.startsWith("..")).map((target) => target.split("/")[0]!)
        .filter((target) => target !== own && !(level.get(target)! < level.get(own)!)).map((target) => `${path} imports ${target}`);
    });
    assert.deepEqual(wrong, []);
  });
}

test("the pictures of the diagrams are up to date (npm run diagrams), and a page shows each", async () => {
  const shown = pages().map((page) => readFileSync(join(root, page), "utf8")).join("\n");
  for (const { name, dot } of diagrams()) {
    assert.equal(readFileSync(pictureOf(name), "utf8"), await drawing(dot), name);
    assert.ok(shown.includes(`](pictures/${name}.svg)`), name);
  }
});

test("the index of docs/ names every page, once", () => {
  const index = readFileSync(join(root, "docs/README.md"), "utf8");
  for (const name of readdirSync(join(root, "docs")).filter((each) => each.endsWith(".md") && each !== "README.md")) {
    assert.equal(index.split(`](${name})`).length, 2, name);
  }
});

/** Flags of other programs that pages mention without a command. */
const others = [
  "--help",
  "--compat",
  "--area",
  "--rewrite",
  "--smoke",
  "--json",
  "--rounds",
  "--seconds",
  "--emulated-version",
  "--minutes",
  "--on",
  "--restarts",
  "--pace",
  "--only",
  "--write-pending",
];

const commandFlags = (Object.keys(commands) as CommandName[]).flatMap(flagsOf).map(({ name }) => `--${name}`); // Keys of the table.

test("flags that pages name exist", () => {
  const unknown = pages().filter((page) => !/^docs\/(?:decisions|measurements)\//.test(page) && page !== "CHANGELOG.md").flatMap((page) =>
    [...prose(readFileSync(join(root, page), "utf8")).matchAll(/`(--[a-z][a-z-]*)(=[^`\s]*)?`/g)]
      .map(([, flag]) => flag!).filter((flag) => !Object.hasOwn(settings, flag.slice(2)) && ![...others, ...commandFlags].includes(flag))
      .map((flag) => `${page}: ${flag}`)
  );
  assert.deepEqual(unknown, []);
});
