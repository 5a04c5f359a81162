// A short run of every target, with a new seed in each run: THOLE_SEED repeats it. `npm run fuzz` runs for longer.
// In Deno's suite only: decoders use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomOf } from "../../core/random.ts";
import { seedOfRun } from "../../core/derive/test-random.ts";
import { bytesOf, fuzz, FuzzFailure, type Target, unless, unlessRefused } from "./fuzz.ts";
import { generator, mutated, pumped } from "./grammar.ts";
import { instrument, type Instrumented, instrumentedCopies, TooMuchWork } from "./steps.ts";
import { targets } from "./targets/mod.ts";

const seed = seedOfRun();
/** Inputs of each target: all together take a few seconds. */
const inputsEach = 120;

async function withCode(work: (code: Instrumented) => Promise<void>): Promise<void> {
  const code = instrumentedCopies();
  try {
    await work(code);
  } finally {
    code.close();
  }
}

test(`every decoder handles generated inputs with linear work, and throws its own errors only (seed ${seed})`, () =>
  withCode(async (code) => {
    for (const target of targets) {
      const { inputs } = await fuzz(target, code, seed, (count) => count < inputsEach);
      assert.ok(inputs >= inputsEach, target.name);
    }
  }));

const target = (run: (input: string) => void): Target => ({
  name: "test",
  grammar: { start: ["ab", (w) => `<${w.many("start")}>`] },
  start: "start",
  binary: false,
  stepsPerCharacter: 50,
  open: () => Promise.resolve(run),
});

test("fuzz() finds quadratic work, wrong errors and failed assertions, and reports how to reproduce them", () =>
  withCode(async (code) => {
    const quadratic = (input: string) => {
      for (let at = 0; at < input.length; at++) input.indexOf("x", at);
    };
    const wrongError = (input: string) => void unlessRefused(() => input.length > 5 && input.repeat(-1));
    const all: [(input: string) => void, RegExp][] = [[quadratic, /more than \d+ steps/], [wrongError, /RangeError/]];
    for (const [run, message] of all) {
      await assert.rejects(() => fuzz(target(run), code, 1, (count) => count < 300), (error) => {
        assert.ok(error instanceof FuzzFailure);
        assert.match(error.message, message);
        assert.match(error.message, /^target test, seed 1, input of \d+ characters "/);
        return true;
      });
    }
    const fine = await fuzz(target((input) => void input.indexOf("x")), code, 1, (count) => count < 300);
    assert.ok(fine.inputs >= 300 && fine.worst > 0);
  }));

test("fuzz() rejects a grammar with unreachable productions", () =>
  withCode(async (code) => {
    const without: Target = { ...target(() => {}), grammar: { start: ["a"], unused: ["b"] } };
    await assert.rejects(() => fuzz(without, code, 1, () => false), /never written: unused 0/);
  }));

test("generator() uses every production, and is deterministic for a seed", () => {
  const grammar = { list: ["[]", "[<item>]", (w: { many(symbol: string): string }) => `[${w.many("item")}]`], item: ["1", "<list>"] };
  const made = generator(grammar, "list", randomOf(3));
  const first = Array.from({ length: 20 }, () => made.input(5));
  assert.deepEqual([...made.unused], []);
  const again = generator(grammar, "list", randomOf(3));
  assert.deepEqual(Array.from({ length: 20 }, () => again.input(5)), first);
  const random = randomOf(4);
  assert.equal(pumped("", random, 100), "");
  assert.ok(Math.abs(pumped("abc", random, 1000).length - 1000) < 20);
  assert.ok(Array.from({ length: 50 }, () => mutated("abcdef", random, true)).some((text) => text !== "abcdef"));
});

test("instrument() counts functions, loops and spreads, and preserves the behaviour of the code", () => {
  const source = `
    |import { a } from "./a.ts"; |import type { B } from "./b.ts"; |export { c } from "./c.ts";
    const f = (x: number): number => x + 1, g = () => ({ y: [...[1, 2]] });
    function h(): void { for (let i = 0; i < 3; i++) f(i); do f(0); while (false); }
    class K { m() { return f(...[1]); } get n() { return 1; } }
  `.replaceAll("|", ""); // The bar prevents that these lines are read as imports of this file.
  const { text, imports } = instrument(source);
  assert.deepEqual([...imports].sort(), ["./a.ts", "./c.ts"]);
  assert.equal(text.split("tholeWork.t()").length - 1, 7);
  assert.equal(text.split("tholeWork.s(").length - 1, 2);
});

test("count() stops work beyond its bound, and counts the items that built-in methods process", () =>
  withCode(async (code) => {
    const { parseQuantity } = await code.load("core/scalars/quantity.ts");
    const steps = (length: number) => code.count(Infinity, () => parseQuantity("1".repeat(length)));
    assert.ok(steps(2000) > 2000 && steps(4000) < 3 * steps(2000));
    assert.throws(() => code.count(1000, () => parseQuantity("1".repeat(2000))), TooMuchWork);
    assert.ok(code.count(Infinity, () => "a".repeat(1000).indexOf("b")) >= 1000);
    const before = String.prototype.indexOf;
    assert.equal(unless([TooMuchWork], () => 1), 1);
    assert.equal(String.prototype.indexOf, before);
    assert.deepEqual([...bytesOf("a\xff")], [97, 255]);
  }));
