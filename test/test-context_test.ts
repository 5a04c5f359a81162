// Node's test runner with scripts/test-context.mjs: it knows the test of each call and error, and no failure is lost.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ownRuntime, run, runtimePath } from "./real-server.ts";

const skip = ownRuntime === "node" ? false : "it is of Node's runner";
const context = pathToFileURL(fileURLToPath(new URL("../scripts/test-context.mjs", import.meta.url))).href;

/** The report of a file with these lines, and its exit code. */
async function reported(
  lines: readonly string[],
  preloads: readonly string[],
): Promise<{ readonly code: number; readonly tests: readonly string[] }> {
  const folder = await mkdtemp(join(tmpdir(), "thole-test-context-")), file = join(folder, "a.mjs");
  try {
    await writeFile(file, ['import { after, before, describe, it, test } from "node:test";', ...lines].join("\n"));
    const args = [...preloads.map((each) => `--import=${each}`), "--test-reporter=tap", file];
    const { code, output } = await run(runtimePath("node"), args, { env: { NODE_TEST_CONTEXT: "" }, timeoutMs: 60_000 });
    const told = output.split("\n").filter((line) => /^ *((not )?ok |error: |failureType: |# (pass|fail|cancelled) )/.test(line));
    return { code: code ?? -1, tests: told };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const cases: Readonly<Record<string, readonly string[]>> = {
  "tests within tests, also after waits": [
    'test("outer", async (t) => {',
    "  await new Promise((resolve) => setTimeout(resolve, 5));",
    '  await t.test("by its context", async () => void await null);',
    '  await test("by the function", async () => void await test("innermost", () => {}));',
    "});",
    'test("next", () => {});',
  ],
  "suites with hooks": [
    'describe("outer", () => {',
    "  before(async () => void await null);",
    '  it("first", () => {});',
    '  describe("inner", async () => {',
    "    await null;",
    '    it("second", async () => void await null);',
    "  });",
    '  after(() => { throw new Error("of the hook"); });',
    "});",
  ],
  "errors of timers and promises": [
    "const wait = () => new Promise((resolve) => setTimeout(resolve, 50));",
    'test("timer", async () => { setTimeout(() => { throw new Error("late"); }, 5); await wait(); });',
    'test("promise", async () => { Promise.reject(new Error("unhandled")); await wait(); });',
    'test("good", async () => { await wait(); });',
  ],
  "an error after the end of its test": [
    'test("early", () => { setTimeout(() => { throw new Error("too late"); }, 20); });',
    'test("later", () => new Promise((resolve) => setTimeout(resolve, 60)));',
  ],
};
for (const [what, lines] of Object.entries(cases)) {
  test(`the test context reports as Node's hooks do: ${what}`, { skip }, async () => {
    const [own, expected] = await Promise.all([reported(lines, [context]), reported(lines, [])]);
    assert.deepEqual(own, expected);
    assert.ok(own.tests.length > 3, own.tests.join("\n"));
  });
}
