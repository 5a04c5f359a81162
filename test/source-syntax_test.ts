// Patterns of the server's own code are linear, no unbounded list is spread into a call, and functions fit on a page.
// In Deno's suite only: it checks files of the repository.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { isSafePattern } from "redos-detector";
import { sourceFolders } from "./source-folders.ts";
import { findingsIn } from "./source-syntax.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const ofTests = /_test\.ts$|_bench\.ts$|\/(?:testing\/|test-)[^/]+\.ts$/;

/** Spreads of lists that are short, with the reason. */
const shortLists: Readonly<Record<string, string>> = {
  "kernel/cache/index/key-index.ts toSpliced": "one chunk or its halves",
  "kernel/nonresource/discovery/documents.ts fromCharCode": "eight bytes of a digest",
  "kernel/store/etcd/endpoints.ts min": "one item for each endpoint of etcd",
  "plugins/certificates/request-rules.ts fromCharCode": "8192 bytes",
  "plugins/pods/security/policy.ts max": "the minor releases of a constant table",
  "protocols/x509/der.ts push": "the groups of one number of an object identifier",
  "server/listen/verify-peer.ts min": "the certificates of one path",
};

/**
 * Places that use the engine's functions for values, with the reason. They throw for integers beyond 2^53 and deep values, round numbers, and
 * read some keys wrongly: values of users go through `valueText` and `plainJson`.
 */
const engineUses: Readonly<Record<string, string>> = {
  "core/derive/canonical-bytes.ts parse": "text that the scan has recognised: plain numbers, no repeated keys, at most 100 levels",
  "core/value-text.ts stringify": "writes what it cannot write with a writer of our own",
  "core/tree/exact-json.ts parse": "the value counts only if it is written as it was read",
  "core/tree/exact-json.ts stringify": "compares with the text that was read",
  "core/tree/json-text.ts stringify": "one string",
  "core/tree/json.ts parse": "one string",
  "core/tree/plain-json.ts parse": "a text that `isInexact` has checked",
  "kernel/cache/index/attributes.ts parse": "metadata and selectable fields, which are strings",
  "kernel/objects/objects.ts parse": "a text that the writer of the kind made, with numbers that it checked",
  "kernel/observe/log.ts stringify": "log lines: integers beyond 2^53 are written as text",
  "metrics/define.ts stringify": "texts of definitions of metrics",
  "metrics/registry.ts stringify": "labels of metrics",
  "health/health.ts stringify": "names of checks",
};
/** Texts that are no objects of users: settings, tokens, messages of our own threads and of other programs, which are checked after it. */
const parsesOwnText =
  /^(?:commands\/|protocols\/remote\/|server\/(?:config|process|webhooks|workers)\/|plugins\/(?:authentication\/(?:delegation\/cluster-trust|jwt\/document|signed-token)|cluster\/legacy-token-controller|migration\/alpha|pods\/connections\/websocket\/outcome)\.ts)/;

/** Maximum number of lines of a function. */
const functionLinesMax = 60;
/** Functions with more lines, with the reason. */
const longFunctions: Readonly<Record<string, string>> = {
  "core/derive/openapi.ts partsOf": "a fold: one entry for each kind of schema",
  "core/tree/json.ts scanDocument":
    "one loop over the text, called for every body and stored object: its state is in local variables, because members of an object are slower",
  "metrics/series.ts seriesTable":
    "`at` of each metric is called for each request, and metrics pass it on without an object: it must be a function with its state around it",
};

const sources = sourceFolders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`)
).filter((path) => path.endsWith(".ts") && !ofTests.test(path)).sort();
const findings = sources.map((path) => ({ path, ...findingsIn(readFileSync(join(root, path), "utf8")) }));

/** Whether matching takes linear time for every input. Proved by a bound on the ways in which a prefix can match. */
function isLinear(source: string, flags: string): boolean {
  // A sticky pattern is tried at one position only, any other at all positions: the library adds that to a pattern without an anchor.
  return isSafePattern(flags.includes("y") ? `^(?:${source})` : source, {
    caseInsensitive: flags.includes("i"),
    unicode: /[uv]/.test(flags),
    dotAll: flags.includes("s"),
    multiLine: flags.includes("m"),
    maxSteps: 6_000,
    maxScore: 50,
  }).safe;
}

test("findingsIn() finds patterns and spreads in the syntax tree only", () => {
  const text = `
    // const a = /no+/; \`/no/\`
    const part = "[a-z]", whole = new RegExp(\`^\${part}+$\`, "u"), raw = RegExp(String.raw\`\\d\`);
    const divided = 4 / 2 / 1, text = "/no/", found = text.match("x+").length / 2 + /y*/g.exec(text).index;
    let other = text; const late = new RegExp(other), long = new RegExp(text + part);
    list.push(...many); Math.max(0, ...many); new Set([...many]); f(...many); new Thing(...many); String.fromCharCode(...many);
  `;
  const { patterns, unknown, spreads } = findingsIn(text);
  assert.deepEqual(patterns.map(({ source, flags }) => `/${source}/${flags}`).sort(), ["/\\d/", "/^[a-z]+$/u", "/x+/", "/y*/g"]);
  assert.deepEqual(unknown, [5, 5]);
  assert.deepEqual(spreads.map(({ callee }) => callee).sort(), ["Thing", "fromCharCode", "max", "push"]);
});

test("isLinear() rejects patterns that backtrack", () => {
  for (
    const [source, flags] of [
      ["(a+)+$", ""],
      ["^a*a*b$", ""],
      ["\\s+$", ""],
      ["iqn\\.\\d{4}-\\d{2}\\.[A-Za-z0-9.-]+(:[^,;*&$|\\s]+)$", ""],
      ["^(.+?)\\['([^]*)'\\]$", ""],
      ["^([+-]?)([0-9]*)(?:\\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$", ""],
      ["<[^>]*>", "g"],
      ["a[A]*b", "i"],
      ["^a.*b.*c", "s"],
    ] as const
  ) assert.equal(isLinear(source, flags), false, source);
  for (const source of ["^a+$", "^[^:]*:$", "^(?:[a-z](?:[-a-z]*[a-z])?)(?:\\.[a-z](?:[-a-z]*[a-z])?)*$", '["\\\\]|[^\\p{L}]']) {
    assert.equal(isLinear(source, "u"), true, source);
  }
});

test("every pattern is proved to be linear", () => {
  const known = new Map<string, boolean>();
  const wrong = findings.flatMap(({ path, patterns }) =>
    patterns.filter(({ source, flags }) => {
      const key = `/${source}/${flags}`;
      const linear = known.get(key) ?? isLinear(source, flags);
      known.set(key, linear);
      return !linear;
    }).map(({ line, source, flags }) => `${path}:${line}: /${source}/${flags}`)
  );
  assert.deepEqual(wrong, [], "replace these by scans");
  assert.deepEqual(findings.flatMap(({ path, unknown }) => unknown.map((line) => `${path}:${line}`)), [], "these are not constant");
  assert.ok(known.size > 100, `${known.size} patterns were found`);
});

test("no unbounded list is spread into a call", () => {
  const found = findings.flatMap(({ path, spreads }) => spreads.map(({ line, callee }) => ({ key: `${path} ${callee}`, line })));
  assert.deepEqual(found.filter(({ key }) => !Object.hasOwn(shortLists, key)), [], "use append() or a loop");
  const keys = new Set(found.map(({ key }) => key));
  assert.deepEqual(Object.keys(shortLists).filter((key) => !keys.has(key)), [], "these need their exception no longer");
});

test("values of users are read and written by the modules that know them", () => {
  const found = findings.flatMap(({ path, engine }) => engine.map(({ line, callee }) => ({ path, key: `${path} ${callee}`, line })));
  const wrong = found.filter(({ path, key }) => !Object.hasOwn(engineUses, key) && !(key.endsWith(" parse") && parsesOwnText.test(path)));
  assert.deepEqual(wrong.map(({ key, line }) => `${key}, line ${line}`), [], "use valueText() or plainJson()");
  const keys = new Set(found.map(({ key }) => key));
  assert.deepEqual(Object.keys(engineUses).filter((key) => !keys.has(key)), [], "these need their exception no longer");
});

test("findingsIn() finds the lines of functions, by their names", () => {
  const text = `
    function one() {
    }
    class Some {
      #two() {}
      three = async () => {

      };
    }
    const four = (
    ) => ({ five() {}, six: function () {
    } });
  `;
  const found = findingsIn(text).functions.map(({ name, line, lines }) => `${name} ${line} ${lines}`);
  assert.deepEqual(found.sort(), ["five 11 1", "four 10 3", "one 2 2", "six 11 2", "three 6 3", "two 5 1"]);
});

test(`functions have at most ${functionLinesMax} lines, but for those with a reason`, () => {
  const long = findings.flatMap(({ path, functions }) =>
    functions.filter(({ lines }) => lines > functionLinesMax).map(({ name, line, lines }) => ({ key: `${path} ${name}`, line, lines }))
  );
  const wrong = long.filter(({ key }) => !Object.hasOwn(longFunctions, key)).map(({ key, line, lines }) =>
    `${key}, line ${line}: ${lines}`
  );
  assert.deepEqual(wrong, [], "cut these into named steps, or make classes of factories that hold state");
  const keys = new Set(long.map(({ key }) => key));
  assert.deepEqual(Object.keys(longFunctions).filter((key) => !keys.has(key)), [], "these need their exception no longer");
});
