/**
 * Counts the steps of code, without a clock. Modules are copied with a counter in each function, loop and spread; during an input, methods
 * of strings, arrays and patterns that process many items count them. Production code is not changed.
 */
import { parse } from "@babel/parser";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Thrown in instrumented code if an input exceeds its steps. */
export class TooMuchWork extends Error {}

/** The functions that the copies call. */
interface Counter {
  steps: number;
  most: number;
  /** One step. */
  t(): void;
  /** A list that is spread. */
  s<T>(items: T): T;
}

const counter: Counter = {
  steps: 0,
  most: Infinity,
  t() {
    if (++counter.steps > counter.most) throw new TooMuchWork(`more than ${counter.most} steps`);
  },
  s(items) {
    if (Array.isArray(items) || items instanceof Uint8Array || typeof items === "string") add(items.length);
    return items;
  },
};

function add(steps: number): void {
  counter.steps += steps;
  if (counter.steps > counter.most) throw new TooMuchWork(`more than ${counter.most} steps`);
}

/** Instrumented copies of modules and of everything that they import. */
export interface Instrumented {
  /** The copy of a module, by its path from the top of the repository. */
  load(path: string): Promise<any>;
  /** Runs the work and returns its steps. Throws TooMuchWork beyond `most`. */
  count(most: number, work: () => void): number;
  close(): void;
}

export function instrumentedCopies(): Instrumented {
  const folder = mkdtempSync(join(tmpdir(), "thole-fuzz-"));
  writeFileSync(join(folder, "package.json"), `{"type":"module"}`);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  (globalThis as Record<string, unknown>)["tholeWork"] = counter;
  return {
    load(path) {
      copy(folder, path);
      return import(pathToFileURL(join(folder, path)).href);
    },
    count(most, work) {
      [counter.steps, counter.most] = [0, most];
      const restore = countBuiltins();
      try {
        work();
        return counter.steps;
      } finally {
        restore();
        counter.most = Infinity;
      }
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Packages that decode bytes of clients: their steps count, too. */
const decodingPackages: Readonly<Record<string, string>> = { "js-yaml": "node_modules/js-yaml/dist/js-yaml.mjs" };

/** Copies a module and its imports that are not copied yet. */
function copy(folder: string, first: string): void {
  const waiting = [first];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const to = join(folder, path);
    if (existsSync(to)) continue;
    const { text, imports, packages } = instrument(readFileSync(join(root, path), "utf8"));
    write(to, text);
    for (const specifier of imports) waiting.push(relative(root, join(root, dirname(path), specifier)));
    for (const name of packages) copyPackage(join(folder, path.split("/", 1)[0]!, "node_modules", name), decodingPackages[name]);
  }
}

/** Copies a package of one module beside the copies of the top folder that imports it, where it is found before the real one. */
function copyPackage(to: string, source: string | undefined): void {
  if (source === undefined || existsSync(to)) return;
  write(join(to, "index.js"), instrument(readFileSync(join(root, source), "utf8")).text);
  writeFileSync(join(to, "package.json"), JSON.stringify({ type: "module", exports: "./index.js" }));
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** A node of the syntax tree with the used members. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** A module with calls of the counter, and what it imports. */
interface InstrumentedModule {
  readonly text: string;
  readonly imports: readonly string[];
  readonly packages: readonly string[];
}

export function instrument(text: string): InstrumentedModule {
  const program = parse(text, { sourceType: "module", plugins: ["typescript"] }).program as unknown as Node; // A node like any other.
  const inserts: { readonly at: number; readonly text: string; readonly closes: boolean }[] = [];
  const imports: string[] = [], packages: string[] = [];
  const wrap = (node: Node, before: string, after: string) => {
    inserts.push({ at: node.start, text: before, closes: false }, { at: node.end, text: after, closes: true });
  };
  const begin = (body: Node) => {
    if (body.type === "BlockStatement") inserts.push({ at: body.start + 1, text: "tholeWork.t();", closes: false });
    else if (body.type.endsWith("Statement")) wrap(body, "{tholeWork.t();", "}");
    else wrap(body, "(tholeWork.t(),", ")");
  };
  const waiting: unknown[] = [program];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== "object" || next === null) continue;
    if (Array.isArray(next)) {
      for (const item of next) waiting.push(item);
      continue;
    }
    const node = next as Node;
    const { source, body } = node as { source?: Node | null; body?: Node | null };
    if (/^(?:Import|Export)/.test(node.type) && node["importKind"] !== "type" && source?.type === "StringLiteral") {
      const specifier = String(source["value"]);
      (specifier.startsWith(".") ? imports : packages).push(specifier);
    }
    const runs = /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression|ObjectMethod|ClassMethod|ClassPrivateMethod)$/;
    const loops = /^(?:For|While|DoWhile|ForIn|ForOf)Statement$/;
    if ((runs.test(node.type) || loops.test(node.type)) && body) begin(body);
    if (node.type === "ArrayExpression" || node.type === "CallExpression" || node.type === "NewExpression") {
      for (const item of (node["elements"] ?? node["arguments"]) as readonly (Node | null)[]) {
        if (item?.type === "SpreadElement") wrap(item["argument"] as Node, "tholeWork.s(", ")");
      }
    }
    for (const [key, value] of Object.entries(node)) {
      if (typeof value === "object" && value !== null && key !== "loc" && !key.endsWith("Comments")) waiting.push(value);
    }
  }
  // From the end, so that positions stay valid; at one position closing texts precede opening ones.
  inserts.sort((a, b) => b.at - a.at || Number(a.closes) - Number(b.closes));
  let out = text;
  const pieces: string[] = [];
  let end = out.length;
  for (const { at, text: inserted } of inserts) {
    pieces.push(out.slice(at, end), inserted);
    end = at;
  }
  pieces.push(out.slice(0, end));
  out = pieces.reverse().join("");
  return { text: `const tholeWork = globalThis.tholeWork;${out}`, imports, packages };
}

/** Eight items of memory that are only moved count as one step. */
const moved = (length: number) => length >> 3;

/** Counts the items that built-in methods process, until the returned function is called. */
function countBuiltins(): () => void {
  const undo: (() => void)[] = [];
  const patch = (holder: any, name: string, cost: (self: any, args: any[], result: any) => number) => {
    const original = holder[name];
    holder[name] = function (this: any, ...args: any[]) {
      const result = original.apply(this, args);
      add(cost(this, args, result));
      return result;
    };
    undo.push(() => holder[name] = original);
  };
  const found = (self: string, args: any[], result: number) => (result < 0 ? self.length : result) - (Number(args[1]) || 0) + 1;
  const whole = (self: { length: number }) => self.length;
  patch(String.prototype, "indexOf", found);
  patch(String.prototype, "includes", (self, args, result) => result ? 1 : Math.max(0, self.length - (Number(args[1]) || 0)));
  patch(String.prototype, "lastIndexOf", (self, args, result) => Math.max(0, Math.min(self.length, Number(args[1] ?? Infinity)) - result));
  for (const name of ["split", "trim", "toLowerCase", "normalize"]) patch(String.prototype, name, whole);
  for (const name of ["indexOf", "includes", "join", "reverse", "sort", "toSorted", "flat"]) patch(Array.prototype, name, whole);
  for (const name of ["toSpliced", "shift", "unshift", "concat"]) patch(Array.prototype, name, (self) => moved(self.length));
  patch(Array.prototype, "slice", (_self, _args, result) => moved(result.length));
  // Only the items after the first removed one move.
  patch(Array.prototype, "splice", (self, [start]) => moved(start < 0 ? -start : Math.max(0, self.length - start)));
  for (const name of ["slice", "fill"]) patch(Uint8Array.prototype, name, (_self, _args, result) => moved(result.length));
  patch(Uint8Array.prototype, "set", (_self, args) => moved(args[0].length));
  patch(TextDecoder.prototype, "decode", (_self, args) => moved(args[0]?.length ?? 0));
  patch(TextEncoder.prototype, "encode", (_self, _args, result) => moved(result.length));
  return () => {
    for (const each of undo) each();
  };
}
