/** The functions of templates: those of Go, and those of Sprig and kwok that stages use. */
import type { Json, JsonObject } from "../../../core/json.ts";
import { goJson } from "../../../core/tree/json-text.ts";
import { sameValue } from "../../../core/derive/same-value.ts";
import { writeYaml } from "../../../core/codec/yaml.ts";
import { isTruth, printed, TemplateError, type TemplateFunctions, templateOutputMax } from "./template.ts";

/** What the functions about the cluster return. */
export interface TemplateCluster {
  /** The present time, as RFC 3339. */
  now(): string;
  /** The address of a node; "" if it has none. */
  nodeAddress(name: string): string;
  /** The address of the pod that is rendered on its node. */
  podAddress(node: string, hostNetwork: boolean): string;
  /** The conditions of a healthy node. */
  readonly nodeConditions: readonly JsonObject[];
  /** The name of the node that is rendered; "" for other kinds. */
  readonly nodeName: string;
}

const text = (value: Json | undefined): string => typeof value === "string" ? value : printed(value ?? null);
const number = (value: Json | undefined): number => {
  const read = Number(value ?? 0);
  if (Number.isNaN(read)) throw new TemplateError(`${text(value)} is no number`);
  return read;
};
const equal = (a: Json | undefined, b: Json | undefined): boolean => sameValue(a ?? null, b ?? null);
function order(a: Json | undefined, b: Json | undefined): number {
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
  return number(a) - number(b);
}

function indexed(of: Json | undefined, keys: readonly Json[]): Json {
  let at = of ?? null;
  for (const key of keys) {
    if (at === null || typeof at !== "object") return null;
    at = Array.isArray(at) ? at[number(key)] ?? null : Object.hasOwn(at, text(key)) ? (at as JsonObject)[text(key)] ?? null : null;
  }
  return at;
}

function quoted(value: Json | undefined): string {
  return goJson(typeof value === "string" ? value : goJson(value ?? null));
}

/** As Go's Sprintf, with the verbs of texts and whole numbers. */
function formatted([format, ...args]: readonly Json[]): string {
  const parts = text(format).split("%"), rest = [...args];
  let output = parts[0] ?? "";
  for (let i = 1; i < parts.length; i++) {
    const part = parts[i]!, verb = part[0];
    if (verb === undefined) output += `%${parts[++i] ?? ""}`;
    else if ("svd".includes(verb)) output += text(rest.shift()) + part.slice(1);
    else if (verb === "q") output += quoted(text(rest.shift())) + part.slice(1);
    else throw new TemplateError(`the verb %${verb} is not supported`);
  }
  return output;
}

function yaml(value: Json | undefined, indent: Json | undefined): string {
  const written = writeYaml(value ?? null);
  if (indent === undefined || number(indent) <= 0) return written;
  const lines = `\n${written}`.split("\n"), spaces = Math.min(100, Math.trunc(number(indent))) * 2;
  // Each line becomes longer: a value that is within the bound of steps could be a hundred times as much.
  if (written.length + lines.length * spaces > templateOutputMax) {
    throw new TemplateError(`more than ${templateOutputMax} characters of output`);
  }
  return lines.join(`\n${" ".repeat(spaces)}`);
}

const pure: TemplateFunctions = {
  not: (value) => !isTruth(value ?? null),
  eq: (first, ...others) => others.some((each) => equal(first, each)),
  ne: (a, b) => !equal(a, b),
  lt: (a, b) => order(a, b) < 0,
  le: (a, b) => order(a, b) <= 0,
  gt: (a, b) => order(a, b) > 0,
  ge: (a, b) => order(a, b) >= 0,
  index: (of, ...keys) => indexed(of, keys),
  len: (of) => of === null || of === undefined ? 0 : typeof of === "string" ? of.length : Object.keys(of as object).length,
  print: (...args) => args.map(text).join(""),
  printf: (...args) => formatted(args),
  dict: (...pairs) => Object.fromEntries(pairs.flatMap((key, i) => i % 2 === 0 ? [[text(key), pairs[i + 1] ?? null]] : [])),
  list: (...items) => [...items],
  default: (otherwise, value) => isTruth(value ?? null) ? value! : otherwise ?? null,
  coalesce: (...values) => values.find(isTruth) ?? null,
  empty: (value) => !isTruth(value ?? null),
  ternary: (yes, no, which) => (isTruth(which ?? null) ? yes : no) ?? null,
  hasKey: (of, key) => of !== null && typeof of === "object" && Object.hasOwn(of, text(key)),
  get: (of, key) => indexed(of, [key ?? ""]),
  quote: quoted,
  upper: (value) => text(value).toUpperCase(),
  lower: (value) => text(value).toLowerCase(),
  trim: (value) => text(value).trim(),
  toString: text,
  int: (value) => Math.trunc(number(value)),
  add: (...values) => values.reduce<number>((sum, each) => sum + number(each), 0),
  sub: (a, b) => number(a) - number(b),
  contains: (part, whole) => text(whole).includes(text(part)),
  hasPrefix: (part, whole) => text(whole).startsWith(text(part)),
  hasSuffix: (part, whole) => text(whole).endsWith(text(part)),
  toJson: (value) => goJson(value ?? null),
  Quote: quoted,
  YAML: yaml,
};

/** Returns the functions of a template for one object. */
export function templateFunctions(cluster: TemplateCluster): TemplateFunctions {
  const all = (address: string): Json => address === "" ? [] : [address];
  const pod = (node: Json | undefined, host: Json | undefined) => cluster.podAddress(text(node), host === true);
  return {
    ...pure,
    Now: () => cluster.now(),
    StartTime: () => cluster.now(),
    Version: () => "simulated",
    NodeConditions: () => cluster.nodeConditions as readonly Json[],
    NodeName: () => cluster.nodeName,
    NodePort: () => 0,
    NodeIP: () => cluster.nodeAddress(cluster.nodeName),
    NodeIPs: () => all(cluster.nodeAddress(cluster.nodeName)),
    NodeIPWith: (node) => cluster.nodeAddress(text(node)),
    NodeIPsWith: (node) => all(cluster.nodeAddress(text(node))),
    PodIPWith: (node, host) => pod(node, host),
    PodIPsWith: (node, host) => all(pod(node, host)),
  };
}
