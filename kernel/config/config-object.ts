/** Decodes objects in configuration files, such as AuthenticationConfiguration, as strictly as upstream. */
import { DecodeError, decoder } from "../../core/derive/decode.ts";
import type { Typed } from "../../core/schema.ts";
import { goQuote } from "../../core/tree/go-quote.ts";
import { readJson } from "../../core/tree/json.ts";
import { TreeObject } from "../../core/tree/tree.ts";
import { readYaml } from "../../core/tree/yaml.ts";

/** The expected kind of a file, in one of its versions. */
export interface ConfigKind<T> {
  readonly kind: string;
  /** `apiserver.config.k8s.io` */
  readonly group: string;
  readonly versions: readonly string[];
  /** The schema of every version. Includes the fields kind and apiVersion. */
  readonly schema: Typed<T>;
}

/**
 * The object in a YAML or JSON text. Throws an Error for another kind or version, a field of the wrong type, and unknown and duplicate
 * fields.
 */
export function readConfigObject<T>(text: string, { kind, group, versions, schema }: ConfigKind<T>): T {
  if (text === "") throw new Error("empty config data");
  const reader = text.trimStart().startsWith("{") ? "json" : "yaml";
  const read = reader === "json" ? readJson(text) : readYaml(new TextEncoder().encode(text));
  if (!read.ok) throw new Error(read.error);
  const { tree } = read;
  if (!(tree instanceof TreeObject)) throw new Error(`expected an object of kind ${kind}`);
  const given = wordOf(tree, "kind"), apiVersion = wordOf(tree, "apiVersion");
  if (given === "") throw new Error(`Object 'Kind' is missing: expected ${kind}`);
  if (apiVersion === "") throw new Error(`Object 'apiVersion' is missing: expected ${group}/${versions[0]}`);
  const isServed = versions.some((version) => apiVersion === `${group}/${version}`);
  if (given !== kind || !isServed) {
    throw new Error(
      `no kind ${goQuote(given)} is registered for version ${goQuote(apiVersion)}: expected ${kind} in ${
        versions.map((version) => `${group}/${version}`).join(", ")
      }`,
    );
  }
  const report = { reader, findings: [] as string[] } as const;
  try {
    const object = decoder(schema)(tree, report);
    const findings = [...read.duplicates, ...report.findings];
    if (findings.length > 0) throw new DecodeError(`strict decoding error: ${findings.join(", ")}`);
    return object;
  } catch (error) {
    throw error instanceof DecodeError ? new Error(error.message) : error;
  }
}

function wordOf(tree: TreeObject, key: string): string {
  const value = tree.get(key);
  return typeof value === "string" ? value : "";
}
