// Calls with small arguments and large results: their work is charged to the bound of an evaluation, before it is done.
// In Deno's suite only: steps are counted, which do not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Instrumented, instrumentedCopies } from "../fuzz/steps.ts";
import { celCallStepsMax } from "../../cel/evaluate/program.ts";

/** Counted steps that may stand for one charged step, and counted steps of any call. */
const stepsPerCharge = 64;
const stepsAtLeast = 200_000;
/** Bound of the calls that are stopped: a part of that of an evaluation, because counting takes time. */
const stopAfter = celCallStepsMax / 20;

type Call = readonly [name: string, ...args: unknown[]];

/** Modules that are loaded with counters. */
interface Loaded {
  readonly code: Instrumented;
  called(name: string, ...args: unknown[]): { readonly value: unknown };
  list(items: readonly unknown[]): unknown;
  runMetered<T>(steps: number, run: () => T): T | undefined;
}

async function load(code: Instrumented): Promise<Loaded> {
  const { called } = await code.load("cel/functions/test-call.ts");
  const { ArrayList } = await code.load("cel/value/collections.ts");
  const { runMetered } = await code.load("cel/value/work.ts");
  return { code, called, list: (items) => new ArrayList(items), runMetered };
}

const a = (length: number) => "a".repeat(length);
const repeated = <T>(count: number, item: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => item(index));

/** Calls that end within the bound, by what they are hostile with. */
const ending: Readonly<Record<string, (list: Loaded["list"]) => Call>> = {
  "a part that almost occurs everywhere": () => ["indexOf", a(300_000), `${a(20_000)}b`],
  "a part with a rare character in the middle": () => ["contains", a(300_000), `${a(20_000)}b${a(20_000)}`],
  "a part that almost occurs at the end": () => ["lastIndexOf", a(300_000), `b${a(20_000)}`],
  "a separator that almost occurs everywhere": () => ["split", a(300_000), `${a(20_000)}b`],
  "a replaced part that occurs everywhere": () => ["replace", a(300_000), "a", ""],
  "an empty separator": () => ["split", a(200_000), ""],
  "a join of many": (list) => ["join", list(repeated(50_000, () => "ab")), ", "],
  "white space": () => ["trim", " ".repeat(500_000)],
  "digits of a quantity": () => ["quantity", "1".repeat(500_000)],
  "fractions of a quantity": () => ["isQuantity", `0.${"1".repeat(500_000)}Ei`],
  "an exponent of a quantity": () => ["isQuantity", "1e2147483647"],
  "groups of an address": () => ["isIP", "1:".repeat(200_000)],
  "a zone": () => ["isIP", `fe80::1%${a(500_000)}`],
  "a prefix": () => ["isCIDR", `1.2.3.4/${"1".repeat(500_000)}`],
  "escapes of a path": () => ["url", `/${"%C3%A9".repeat(50_000)}`],
  "an address in brackets": () => ["isURL", `http://[${"1:".repeat(200_000)}]`],
  "identifiers of a version": () => ["semver", `1.2.3-${"a.".repeat(200_000)}a`, true],
  "zeros of a version": () => ["isSemver", "0".repeat(500_000), true],
  "labels of a name": (list) => ["validate", list, "a.".repeat(200_000)],
  "many distinct elements": (list) => ["distinct", list(repeated(3_000, BigInt))],
  "sets without a common element": (
    list,
  ) => ["sets.intersects", list(repeated(2_000, BigInt)), list(repeated(2_000, (index) => BigInt(-1 - index)))],
  "a sorted list": (list) => ["sort", list(repeated(50_000, (index) => BigInt(50_000 - index)))],
  "precise doubles": (list) => ["format", "%.32767f".repeat(200), list(repeated(200, () => 5e-324))],
};

/** Calls whose results are too large. */
const stopped: Readonly<Record<string, (list: Loaded["list"]) => Call>> = {
  "an empty part and a long replacement": () => ["replace", a(100_000), "", a(100_000)],
  "a short part and a long replacement": () => ["replace", a(100_000), "a", a(100_000)],
  "a long separator": (list) => ["join", list(repeated(50_000, () => "")), a(100_000)],
  "wide clauses": (list) => ["format", "%.65535e".repeat(2_000), list(repeated(2_000, () => 1))],
  "a pattern with a long prefix": () => ["findAll", a(1_000_000), `${a(16_000)}b${a(16_000)}`],
  "a long range": () => ["lists.range", 2n ** 62n],
  "a list of itself": (list) => {
    let nested = list(repeated(100, BigInt));
    for (let depth = 0; depth < 6; depth++) nested = list(repeated(100, () => nested));
    return ["flatten", nested, 10n];
  },
  "a text of lists of itself": (list) => {
    let nested = list(["a"]);
    for (let depth = 0; depth < 40; depth++) nested = list([nested, nested]);
    return ["format", "%s", list([nested])];
  },
  "elements of lists of itself": (list) => {
    let nested = list(repeated(100, BigInt));
    for (let depth = 0; depth < 6; depth++) nested = list(repeated(100, () => nested));
    return ["lastIndexOf", nested, 1n];
  },
};

async function run(check: (loaded: Loaded, call: Call, name: string) => void, calls: typeof ending): Promise<void> {
  const code = instrumentedCopies();
  try {
    const loaded = await load(code);
    const { value: format } = loaded.called("format.dns1123Subdomain");
    for (const [name, make] of Object.entries(calls)) {
      const [callee, ...args] = make(loaded.list);
      check(loaded, [callee, ...args.map((arg) => arg === loaded.list ? format : arg)], name);
    }
  } finally {
    code.close();
  }
}

test("the steps of hostile calls are in proportion to what is charged and to their arguments", () =>
  run(({ code, called, runMetered }, [callee, ...args], name) => {
    const characters = args.reduce((sum: number, arg) => sum + (typeof arg === "string" ? arg.length : 0), 0);
    const ends = (bound: number) => runMetered(bound, () => called(callee, ...args)) !== undefined;
    let charged = 1024;
    while (charged < celCallStepsMax && !ends(charged)) charged *= 2;
    assert.ok(charged <= celCallStepsMax, `${name}: within the bound`);
    const steps = code.count(Infinity, () => ends(charged));
    const allowed = stepsAtLeast + stepsPerCharge * (charged + characters);
    assert.ok(steps <= allowed, `${name}: ${steps} steps, ${charged} charged, ${characters} characters`);
  }, ending));

test("calls with too large results are stopped before they make them", () =>
  run(({ code, called, runMetered }, [callee, ...args], name) => {
    const steps = code.count(Infinity, () => {
      assert.equal(runMetered(stopAfter, () => called(callee, ...args)), undefined, name);
    });
    assert.ok(steps <= stepsPerCharge * stopAfter, `${name}: ${steps} steps`);
  }, stopped));
