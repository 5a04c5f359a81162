/** The recorded cases: expressions and rules, with the results of kube-apiserver's own library. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Json } from "../../core/json.ts";
import type { StructuralSchema } from "../../core/structural-schema.ts";
import { readJson } from "../../core/tree/json.ts";
import { jsonFromTree } from "../../core/tree/values.ts";

interface CaseBase {
  readonly id: string;
  readonly group: string;
  readonly expect: Expected;
}
/** The compared fields; absent ones are not compared. */
export type Expected = { readonly [field: string]: Json };

/** A rule in the schema of a definition. */
export interface RuleCase extends CaseBase {
  readonly mode: "rule";
  readonly schema: StructuralSchema;
  readonly object?: Json;
  readonly oldObject?: Json;
}
/** An expression with the variables of admission policies. */
export interface PolicyCase extends CaseBase {
  readonly mode: "policy";
  readonly expression: string;
  readonly object?: Json;
  readonly oldObject?: Json;
  readonly params?: Json;
  readonly hasParams?: boolean;
  readonly namespaceObject?: Json;
  readonly request?: Json;
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
  readonly authorizer?: Json;
  readonly hasAuthorizer?: boolean;
  readonly patchTypes?: boolean;
  readonly patch?: "apply" | "json";
  readonly returns?: readonly string[];
}
export type OracleCase = RuleCase | PolicyCase;

const own = new URL("./cel-oracle.json", import.meta.url);
const shared = new URL("../../../shared/vectors/", import.meta.url);

/** Cases of this repository. */
export function ownCases(): readonly OracleCase[] {
  return casesOf(fileURLToPath(own));
}

/** A file of vectors beside this repository; undefined if it is not there. `revive`: see `JSON.parse`. */
export function sharedFile(name: string, revive?: (key: string, value: unknown) => unknown): unknown {
  const path = fileURLToPath(new URL(name, shared));
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8"), revive) : undefined;
}

/** Cases beside this repository; undefined if they are not there. */
export function sharedCases(): readonly OracleCase[] | undefined {
  const path = fileURLToPath(new URL("cel-oracle-others.json", shared));
  return existsSync(path) ? casesOf(path) : undefined;
}

function casesOf(path: string): readonly OracleCase[] {
  const { cases } = JSON.parse(readFileSync(path, "utf8")) as { readonly cases: readonly Record<string, Json>[] };
  return cases.map((each) => withTexts(each) as unknown as OracleCase); // checked by the tests that read it
}

const texts = new WeakMap<object, Record<string, Json>>();

/** The recorded text of a field; undefined if it was recorded as JSON. */
export function textOf(given: OracleCase, field: string): string | undefined {
  return texts.get(given)?.[`${field}Text`] as string | undefined; // a field of text
}

/** Fields that are given as text, because JavaScript's numbers would change them. */
function withTexts(fields: Record<string, Json>): Record<string, Json> {
  const result = { ...fields };
  for (const [key, value] of Object.entries(fields)) {
    if (!key.endsWith("Text") || typeof value !== "string") continue;
    const { tree } = readJson(value) as { readonly tree?: Parameters<typeof jsonFromTree>[0] };
    if (tree === undefined) throw new Error(`${String(fields["id"])}: ${key} is no JSON`);
    result[key.slice(0, -"Text".length)] = jsonFromTree(tree);
  }
  texts.set(result, fields);
  return result;
}
