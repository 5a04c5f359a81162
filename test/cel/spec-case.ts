/** Runs one conformance test of the language. An API server checks each expression before it runs, and so do these. */
import { analyse, compileChecked } from "../../cel/compile.ts";
import { typeText } from "../../cel/check/type-text.ts";
import type { FunctionDeclaration } from "../../cel/declarations.ts";
import { environment, libraries } from "../../cel/environment.ts";
import { literalsLibrary } from "../../cel/functions/literals.ts";
import { messageOf } from "../../cel/messages.ts";
import {
  boolType,
  bytesType,
  doubleType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  objectType,
  opaqueType,
  parameterType,
  stringType,
  type Type,
  uintType,
} from "../../cel/types.ts";
import { ArrayList, EntryMap } from "../../cel/value/collections.ts";
import { durationOf } from "../../cel/value/time.ts";
import { CelError, Uint, type Value } from "../../cel/values.ts";
import type { Json } from "../../core/json.ts";
import { bytesOf, parseBase64 } from "../../core/scalars/base64.ts";
import { Unreadable } from "../../core/scalars/unreadable.ts";
import { tagged } from "./values.ts";

/** A test of the language, as `cel-spec.json` has it. */
export interface SpecCase {
  readonly file: string;
  readonly section: string;
  readonly name: string;
  readonly expr: string;
  readonly container?: string;
  readonly typeEnv?: readonly SpecDeclaration[];
  readonly bindings?: { readonly [name: string]: TaggedValue };
  readonly disableCheck?: boolean;
  readonly checkOnly?: boolean;
  readonly needsProto?: boolean;
  /** `error`: any error is right. */
  readonly expect: { readonly value?: Json; readonly error?: readonly string[]; readonly type?: string };
}
interface SpecDeclaration {
  readonly name: string;
  readonly type?: string;
  readonly overloads?: readonly {
    readonly id: string;
    readonly member: boolean;
    readonly params: readonly string[];
    readonly result: string;
  }[];
}
type TaggedValue = { readonly [tag: string]: Json };

/** The result of a test, in the form of `expect`. */
export function runSpecCase({ expr, container = "", typeEnv = [], bindings = {}, checkOnly }: SpecCase): SpecCase["expect"] {
  const variables = typeEnv.flatMap(({ name, type }) => type === undefined ? [] : [{ name, type: typeOfText(type) }]);
  const functions = typeEnv.flatMap(functionsOf);
  const declared = environment({
    // The language's own lists and maps may mix types.
    libraries: [...libraries.filter((each) => each !== literalsLibrary), { name: "test", since: 0, functions }],
    variables,
    container,
  });
  const analysed = analyse(expr, declared);
  if (!analysed.ok) return { error: analysed.issues.map(({ message }) => message) };
  const type = typeText(analysed.checked.outputType);
  if (checkOnly === true) return { type };
  const compiled = compileChecked(analysed.checked, declared);
  if (compiled.tag !== "program") return { error: [JSON.stringify(compiled)] };
  const values = new Map(Object.entries(bindings).map(([name, value]): [string, Value] => [name, untagged(value)]));
  const { value } = compiled.program.evaluate((name) => values.get(name));
  return value instanceof CelError ? { error: [value.message] } : { type, value: tagged(value) };
}

function functionsOf({ name, overloads }: SpecDeclaration): readonly FunctionDeclaration[] {
  if (overloads === undefined) return [];
  return [{
    name,
    overloads: overloads.map(({ id, member, params, result }) => ({
      id,
      member,
      args: params.map(typeOfText),
      result: typeOfText(result),
    })),
    call: () => new CelError("not implemented"),
  }];
}

const simpleTypes: ReadonlyMap<string, Type> = new Map<string, Type>([
  ["bool", boolType],
  ["bytes", bytesType],
  ["double", doubleType],
  ["dyn", dynType],
  ["int", intType],
  ["null", nullType],
  ["string", stringType],
  ["uint", uintType],
]);

/** The type of a text such as `map(string, list(T))`. */
function typeOfText(text: string): Type {
  const open = text.indexOf("(");
  if (open < 0) return simpleTypes.get(text) ?? (text.length === 1 ? parameterType(text) : messageOf(text)?.type ?? objectType(text));
  const name = text.slice(0, open), parameters = partsOf(text.slice(open + 1, -1)).map(typeOfText);
  const [first = dynType, second = dynType] = parameters;
  return name === "list" ? listType(first) : name === "map" ? mapType(first, second) : opaqueType(name, ...parameters);
}

/** The parts between commas that stand in no parentheses. */
function partsOf(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0, start = 0;
  for (const [at, each] of [...text].entries()) {
    if (each === "(") depth++;
    else if (each === ")") depth--;
    else if (each === "," && depth === 0) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return [...parts, text.slice(start).trim()];
}

/** The value of a tagged form. */
function untagged(form: Json): Value {
  const [[tag, content] = ["", null]] = Object.entries(form as TaggedValue);
  const text = String(content);
  switch (tag) {
    case "null":
      return null;
    case "bool":
      return content === true;
    case "int":
      return BigInt(text);
    case "uint":
      return new Uint(BigInt(text));
    case "double":
      return Number(text);
    case "string":
      return text;
    case "duration":
      return durationOf(text) ?? new CelError(`${text} is no duration`);
    case "bytes":
      return bytesOfText(text);
    case "list":
      return new ArrayList((content as readonly Json[]).map(untagged));
    case "map":
      return mapOf(content as readonly (readonly [Json, Json])[]);
    default:
      throw new Error(`no value for ${JSON.stringify(form)}`);
  }
}

function bytesOfText(text: string): Uint8Array {
  const base64 = parseBase64(text);
  if (base64 instanceof Unreadable) throw new Error(`${text} is no base64`);
  return bytesOf(base64);
}

function mapOf(entries: readonly (readonly [Json, Json])[]): EntryMap {
  const map = new EntryMap();
  for (const [key, value] of entries) map.set(untagged(key), untagged(value));
  return map;
}
