// Documentation that can be checked: links lead somewhere, and the flags that pages name exist.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { settings } from "../../kernel/config/settings.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

function pages(): readonly string[] {
  const below = ["docs", "plugins", "charts", "test", "core", "kernel"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`)
  );
  return [...readdirSync(root), ...below].filter((path) => path.endsWith(".md")).toSorted();
}

/** Text without blocks of code. */
const prose = (text: string) => text.replaceAll(/^```[\s\S]*?^```/gm, "");

/** The anchors of a page, as its headings give them. */
function anchors(text: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  return new Set([...prose(text).matchAll(/^#+ +(.*)$/gm)].map(([, heading = ""]) => {
    const plain = heading.replaceAll(/[`*]/g, "").toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");
    const count = seen.get(plain) ?? 0;
    seen.set(plain, count + 1);
    return count === 0 ? plain : `${plain}-${count}`;
  }));
}

/** What is wrong with the links of a page. */
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

test("broken() finds links that lead nowhere", () => {
  const text =
    "[a](docs) [b](gone.md) [c](#one-two-1) [d](#three) [e](https://example.com/x)\n# One, two\n## One two\n```\n[f](no.md)\n```\n";
  assert.deepEqual(anchors("# One, two\n## `One` two\n"), new Set(["one-two", "one-two-1"]));
  assert.deepEqual(broken("x.md", text.replace("[c](#one-two-1) [d](#three) ", "")), ["x.md: gone.md does not exist"]);
  assert.deepEqual(broken("README.md", "[a](docs/README.md#nothing-of-the-kind)"), [
    'README.md: docs/README.md has no heading "nothing-of-the-kind"',
  ]);
});

test("links between pages lead to files and headings that are there", () => {
  assert.deepEqual(pages().flatMap((page) => broken(page, readFileSync(join(root, page), "utf8"))), []);
});

test("the index of docs/ names every page, once", () => {
  const index = readFileSync(join(root, "docs/README.md"), "utf8");
  for (const name of readdirSync(join(root, "docs")).filter((each) => each.endsWith(".md") && each !== "README.md")) {
    assert.equal(index.split(`](${name})`).length, 2, name);
  }
});

/** Words of other programs, which pages name alone. */
const others = ["--help", "--area", "--rewrite", "--smoke", "--json", "--write-pending"];

test("flags that pages name exist", () => {
  const unknown = pages().filter((page) => !page.startsWith("docs/decisions/") && page !== "CHANGELOG.md").flatMap((page) =>
    [...prose(readFileSync(join(root, page), "utf8")).matchAll(/`(--[a-z][a-z-]*)(=[^`\s]*)?`/g)]
      .map(([, flag]) => flag!).filter((flag) => !Object.hasOwn(settings, flag.slice(2)) && !others.includes(flag)).map((flag) =>
        `${page}: ${flag}`
      )
  );
  assert.deepEqual(unknown, []);
});
