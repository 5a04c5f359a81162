// Every block of code of every page has a row that says how it is checked.
// In Deno's suite only: it checks files of the repository.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Check, followed, rows } from "../../tools/docs/checked-blocks.ts";
import { type Block, blocksIn, blocksOf, pages, root } from "../../tools/docs/page-blocks.ts";

test("blocksIn() reads blocks of lists without their indentation", () => {
  const text = "a\n```sh\nls\n\n  x\n```\n1. b\n\n   ```yaml policy\n   a: 1\n     b\n   ```\n";
  assert.deepEqual(blocksIn("p", text), [
    { page: "p", line: 2, mark: "sh", text: "ls\n\n  x\n" },
    { page: "p", line: 9, mark: "yaml policy", text: "a: 1\n  b\n" },
  ]);
});

const blocks = pages.flatMap(blocksOf);
const place = ({ page, line }: Block) => `${page}:${line}`;

test("every block of the pages has one row, or is among the followed commands", () => {
  const wrong = blocks.filter(({ page, text }) => !(text.startsWith("$ ") && Object.hasOwn(followed, page))).flatMap((block) => {
    const found = rows.filter(({ page, begins }) => page === block.page && block.text.startsWith(begins));
    return found.length === 1 ? [] : [`${place(block)} has ${found.length} rows in tools/docs/checked-blocks.ts`];
  });
  assert.deepEqual(wrong, []);
});

test("every row has its block: one, unless it is for all", () => {
  const wrong = rows.flatMap(({ page, begins, all = false }) => {
    const count = blocks.filter((block) => block.page === page && block.text.startsWith(begins)).length;
    return all ? (count > 1 ? [] : [`${page} ${begins}`]) : (count === 1 ? [] : [`${page} ${begins}: ${count}`]);
  });
  assert.deepEqual(wrong, []);
});

/** What is wrong with the check of a block. */
function mistakes(check: Check, page: string): readonly string[] {
  if ("notRun" in check) return check.notRun.length > 20 ? [] : ["a reason is a sentence"];
  const file = "test" in check ? check.test : check.file;
  if (!existsSync(join(root, file))) return [`${file} does not exist`];
  const text = readFileSync(join(root, file), "utf8");
  if ("words" in check) return check.words.filter((word) => !text.includes(word)).map((word) => `${file} lacks ${word}`);
  // The test, or what it imports for that, reads the page.
  const imports = [...text.matchAll(/ from "(\.[^"]+)"/g)].map(([, path]) => join(root, file, "..", path!)).filter((path) =>
    existsSync(path)
  );
  const reads = [text, ...imports.map((path) => readFileSync(path, "utf8"))];
  return reads.some((each) => each.includes(page.split("/").at(-1)!)) ? [] : [`${file} does not name ${page}`];
}

test("the tests and files of the rows exist, and have what the rows say", () => {
  const wrong = rows.flatMap(({ page, begins, check }) => mistakes(check, page).map((mistake) => `${page} ${begins}: ${mistake}`));
  assert.deepEqual(wrong, []);
  assert.equal(mistakes({ file: "README.md", words: ["no such words"] }, "README.md").length, 1);
  assert.equal(mistakes({ test: "test/ports.ts" }, "docs/quotas.md").length, 1);
});

test("words of a row are words of its block", () => {
  const wrong = rows.flatMap(({ page, begins, check }) => {
    if (!("words" in check)) return [];
    const block = blocks.find((each) => each.page === page && each.text.startsWith(begins));
    return check.words.filter((word) => !block?.text.includes(word)).map((word) => `${page} ${begins}: ${word}`);
  });
  assert.deepEqual(wrong, []);
});

test("scripts of npm that pages name exist", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const named = [...pages, "CONTRIBUTING.md"].flatMap((page) =>
    [...readFileSync(join(root, page), "utf8").matchAll(/\bnpm run ([a-z][a-z:-]*\w)/g)].map(([, name]) => [page, name!] as const)
  );
  assert.ok(named.length > 30);
  assert.deepEqual(named.filter(([, name]) => !Object.hasOwn(scripts, name)), []);
});
