/** Finds regular expressions and risky calls in TypeScript source, from its syntax tree. */
import { parse } from "@babel/parser";

/** A regular expression with its location, or an expression that is not constant. */
export interface FoundPattern {
  readonly line: number;
  readonly source: string;
  readonly flags: string;
}
export interface Findings {
  readonly patterns: readonly FoundPattern[];
  /** Lines that build a regular expression from a non-constant value. */
  readonly unknown: readonly number[];
  /** Calls that spread a list into arguments, such as `push(...list)`, by line and callee. */
  readonly spreads: readonly { readonly line: number; readonly callee: string }[];
  /** Uses of the engine's own functions for values: `JSON.parse`, `JSON.stringify` and `structuredClone`. */
  readonly engine: readonly { readonly line: number; readonly callee: string }[];
  /** Functions and methods, with the number of lines from their first to their last one. */
  readonly functions: readonly { readonly name: string; readonly line: number; readonly lines: number }[];
}

/** A node of the syntax tree with the used members. */
interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Callees whose arguments are items: they overflow the stack when a long list is spread into them. */
const itemCallees = ["push", "unshift", "concat", "splice", "toSpliced", "max", "min", "fromCharCode", "fromCodePoint", "of"];
/** Methods of strings that convert a string, their only argument, to a regular expression. */
const patternMethods = ["match", "matchAll", "search"];

export function findingsIn(text: string): Findings {
  const program = parse(text, { sourceType: "module", plugins: ["typescript"] }).program as unknown as Node; // A node like any other.
  const nodes = nodesOf(program);
  const constants = constantsOf(nodes);
  const patterns: FoundPattern[] = [];
  const unknown: number[] = [];
  const spreads: { line: number; callee: string }[] = [];
  const engine: { line: number; callee: string }[] = [];
  const functions = nodes.flatMap((node) => functionsOf(node));
  for (const node of nodes) {
    const used = engineFunction(node);
    if (used !== undefined) engine.push({ line: lineOf(node), callee: used });
    if (node.type === "RegExpLiteral") patterns.push({ line: lineOf(node), source: String(node["pattern"]), flags: String(node["flags"]) });
    if (node.type !== "NewExpression" && node.type !== "CallExpression" && node.type !== "OptionalCallExpression") continue;
    const callee = calleeOf(node), [first, second] = node["arguments"] as readonly Node[]; // Both nodes have them.
    if (callee === "RegExp" || patternMethods.includes(callee) && second === undefined && isText(first)) {
      const source = textOf(first, constants), flags = second === undefined ? "" : textOf(second, constants);
      if (first?.type === "RegExpLiteral") continue;
      if (source === undefined || flags === undefined) unknown.push(lineOf(node));
      else patterns.push({ line: lineOf(node), source, flags });
    }
    const spread = (node["arguments"] as readonly Node[]).some(({ type }) => type === "SpreadElement");
    if (spread && (itemCallees.includes(callee) || node.type === "NewExpression")) spreads.push({ line: lineOf(node), callee });
  }
  return { patterns, unknown, spreads, engine, functions };
}

/** The function that a node declares, with the name by which it is known. */
function functionsOf(node: Node): Findings["functions"] {
  const { type, id, key, init, value } = node as Node & Readonly<Partial<Record<"id" | "key" | "init" | "value", Node>>>;
  const isDeclared = type === "FunctionDeclaration" || type === "ClassMethod" || type === "ClassPrivateMethod" || type === "ObjectMethod";
  const named = isDeclared ? node : [init, value].find((each) => isFunction(each));
  if (named === undefined) return [];
  const { start, end } = named["loc"] as Readonly<Record<"start" | "end", { readonly line: number }>>; // Each node has it.
  const { name = "" } = (key?.type === "PrivateName" ? key["id"] : key ?? id ?? {}) as { readonly name?: string };
  return [{ name, line: start.line, lines: end.line - start.line + 1 }];
}
function isFunction(node: Node | null | undefined): boolean {
  return node?.type === "ArrowFunctionExpression" || node?.type === "FunctionExpression";
}

/** `JSON.stringify`, also where it is passed on as a value. */
function engineFunction(node: Node): string | undefined {
  if (node.type === "MemberExpression") {
    const { object, property } = node as unknown as { readonly object: Node; readonly property: Node };
    const name = property["name"];
    return object["name"] === "JSON" && (name === "stringify" || name === "parse") ? name : undefined;
  }
  return node.type === "CallExpression" && calleeOf(node) === "structuredClone" ? "structuredClone" : undefined;
}

/** Every node of the tree. Without recursion: trees of long expressions are deep. */
function nodesOf(root: Node): Node[] {
  const found: Node[] = [];
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (Array.isArray(next)) { for (const item of next) waiting.push(item); }
    else if (isNode(next)) {
      found.push(next);
      for (const [key, value] of Object.entries(next)) {
        if (typeof value === "object" && value !== null && key !== "loc" && !key.endsWith("Comments")) waiting.push(value);
      }
    }
  }
  return found;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}

/** Constants with string values, by name. A name that is bound more than once in the file is not constant. */
function constantsOf(nodes: readonly Node[]): ReadonlyMap<string, Node> {
  const constants = new Map<string, Node>();
  const bound = new Set<string>();
  for (const { type, kind, declarations } of nodes) {
    if (type !== "VariableDeclaration") continue;
    for (const { id, init } of declarations as readonly { readonly id: Node; readonly init: Node | null }[]) {
      const name = String(id["name"]);
      if (kind === "const" && init !== null && !bound.has(name)) constants.set(name, init);
      else constants.delete(name);
      bound.add(name);
    }
  }
  return constants;
}

/** The constant text of an expression, if known. */
function textOf(node: Node | undefined, constants: ReadonlyMap<string, Node>, depth = 0): string | undefined {
  if (node === undefined || depth > 10) return undefined;
  switch (node.type) {
    case "StringLiteral":
      return String(node["value"]);
    case "Identifier":
      return textOf(constants.get(String(node["name"])), constants, depth + 1);
    case "TaggedTemplateExpression":
      return textOfTemplate(node["quasi"] as Node, "raw", constants, depth);
    case "TemplateLiteral":
      return textOfTemplate(node, "cooked", constants, depth);
    default:
      return undefined;
  }
}

function textOfTemplate(node: Node, form: "raw" | "cooked", constants: ReadonlyMap<string, Node>, depth: number): string | undefined {
  const quasis = node["quasis"] as readonly { readonly value: Readonly<Record<"raw" | "cooked", string>> }[];
  const inner = (node["expressions"] as readonly Node[]).map((each) => textOf(each, constants, depth + 1));
  if (inner.includes(undefined)) return undefined;
  return quasis.map(({ value }, at) => value[form] + (inner[at] ?? "")).join("");
}

function isText(node: Node | undefined): boolean {
  return node?.type === "StringLiteral" || node?.type === "TemplateLiteral";
}

/** The last name of the callee: `fromCharCode` of `String.fromCharCode`. */
function calleeOf({ callee }: Node): string {
  const { name, property } = callee as Node;
  return typeof name === "string" ? name : isNode(property) && typeof property["name"] === "string" ? property["name"] : "";
}

function lineOf({ loc }: Node): number {
  return (loc as { readonly start: { readonly line: number } }).start.line;
}
