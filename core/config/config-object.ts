/** Decodes objects in configuration files, such as AuthenticationConfiguration, as strictly as upstream. */
import { DecodeError, decoder } from "../derive/decode.ts";
import type { Typed } from "../schema.ts";
import { goQuote } from "../tree/go-quote.ts";
import { readJson } from "../tree/json.ts";
import { TreeObject } from "../tree/tree.ts";
import { readYaml } from "../tree/yaml.ts";
import { type Fault, faultOf, FaultyText } from "./mistake.ts";

/** The expected kind of a file, in one of its versions. */
export interface ConfigKind<T> {
  /** "" for a document without kind and apiVersion. */
  readonly kind: string;
  /** The API group of the kind, such as `apiserver.config.k8s.io`. */
  readonly group: string;
  readonly versions: readonly string[];
  /** Older kinds that are accepted as well. */
  readonly older?: readonly Pick<ConfigKind<T>, "kind" | "group" | "versions">[];
  /** The schema of every version. It includes the fields kind and apiVersion. */
  readonly schema: Typed<T>;
}

/** What was read from a text, and the error if it cannot be used. */
export interface ReadConfig<T> {
  /** The object; absent if the text is of another kind. A field with an error counts as absent. */
  readonly object?: T;
  readonly error?: FaultyText;
}

/**
 * Decodes the object in a YAML or JSON text. The error says that the kind or version is another one, or which fields have a wrong type, are
 * unknown or are duplicate.
 */
export function decodeConfigObject<T>(text: string, expected: ConfigKind<T>): ReadConfig<T> {
  const wrong = (message: string, path?: string): ReadConfig<T> => ({
    error: new FaultyText(message, [path === undefined ? faultOf(message) : { text: message, path }]),
  });
  if (text === "") return wrong("empty config data");
  const reader = text.trimStart().startsWith("{") ? "json" : "yaml";
  const read = reader === "json" ? readJson(text) : readYaml(new TextEncoder().encode(text));
  if (!read.ok) return wrong(read.error);
  const { tree } = read, { schema } = expected;
  if (!(tree instanceof TreeObject)) {
    return wrong(expected.kind === "" ? "expected an object" : `expected an object of kind ${expected.kind}`);
  }
  const other = expected.kind === "" ? undefined : reasonAgainstKind(tree, expected);
  if (other !== undefined) return wrong(other.text, other.path);
  const findings: string[] = [], paths: string[] = [], wrongTypes: DecodeError[] = [];
  let object: T | undefined;
  try {
    object = decoder(schema)(tree, { reader, findings, paths, wrongTypes });
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    wrongTypes.push(error);
  }
  const found = [...read.duplicates, ...findings], [first] = wrongTypes;
  const message = first !== undefined ? first.message : found.length > 0 ? `strict decoding error: ${found.join(", ")}` : undefined;
  const faults: readonly Fault[] = [
    ...read.duplicates.map(faultOf),
    ...findings.map((text, index) => ({ text, path: paths[index]! })),
    ...wrongTypes.map(({ message: text, path }) => path === undefined ? { text } : { text, path }),
  ];
  return { ...(object === undefined ? {} : { object }), ...(message === undefined ? {} : { error: new FaultyText(message, faults) }) };
}

/** Why a document is not of the expected kind, with the field that says so. */
function reasonAgainstKind(
  tree: TreeObject,
  { kind, group, versions, older = [] }: Pick<ConfigKind<unknown>, "kind" | "group" | "versions" | "older">,
): { readonly text: string; readonly path?: string } | undefined {
  const given = wordOf(tree, "kind"), apiVersion = wordOf(tree, "apiVersion");
  if (given === "") return { text: `Object 'Kind' is missing: expected ${kind}` };
  if (apiVersion === "") return { text: `Object 'apiVersion' is missing: expected ${group}/${versions[0]}` };
  const accepted = [{ kind, group, versions }, ...older].map((each) => ({
    kind: each.kind,
    versions: each.versions.map((version) => `${each.group}/${version}`),
  }));
  if (accepted.some((each) => each.kind === given && each.versions.includes(apiVersion))) return undefined;
  const texts = accepted.map((each) => `${each.kind} in ${each.versions.join(", ")}`);
  return {
    text: `no kind ${goQuote(given)} is registered for version ${goQuote(apiVersion)}: expected ${texts.join(" or ")}`,
    path: accepted.some((each) => each.kind === given) ? "apiVersion" : "kind",
  };
}

/** Does the same as `decodeConfigObject`, but throws the error. */
export function readConfigObject<T>(text: string, kind: ConfigKind<T>): T {
  const { object, error } = decodeConfigObject(text, kind);
  if (error !== undefined) throw error;
  return object!; // if there is no error, there is an object
}

function wordOf(tree: TreeObject, key: string): string {
  const value = tree.get(key);
  return typeof value === "string" ? value : "";
}
