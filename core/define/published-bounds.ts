import { patternOf } from "../custom/patterns.ts";
import type { Json } from "../json.ts";
import { type Field, type Node, resolve } from "../schema.ts";

type Tag = Node["tag"];

const texts: readonly Tag[] = ["string", "bytes", "quantity", "time", "microTime", "duration", "intOrString"];
const numbers: readonly Tag[] = ["int32", "int64", "double", "intOrString"];
/** Tags of nodes whose contents the tree of nodes does not describe. */
const free: readonly Tag[] = ["raw", "structural", "fieldsV1", "either"];

type Kind = readonly [what: string, tags: readonly Tag[], fits: (value: Json) => boolean];
const isCount = (value: Json) => Number.isSafeInteger(value) && (value as number) >= 0;
const isNumber = (value: Json) => typeof value === "number" && Number.isFinite(value);
const isFlag = (value: Json) => typeof value === "boolean";
const items: Kind = ["a number of items", ["list"], isCount];
const members: Kind = ["a number of members", ["record", "struct"], isCount];
const characters: Kind = ["a number of characters", texts, isCount];
const limit: Kind = ["a number", numbers, isNumber];
const isExclusive: Kind = ["true or false", numbers, isFlag];

const bounds: Readonly<Record<string, Kind>> = {
  maxItems: items,
  minItems: items,
  maxProperties: members,
  minProperties: members,
  maxLength: characters,
  minLength: characters,
  maximum: limit,
  minimum: limit,
  multipleOf: ["a positive number", numbers, (value) => isNumber(value) && (value as number) > 0],
  exclusiveMaximum: isExclusive,
  exclusiveMinimum: isExclusive,
  pattern: ["a regular expression of RE2", texts, (value) => typeof value === "string" && !("error" in patternOf(value))],
};

/** Returns the mistakes of the bounds that a field publishes: bounds that no value can exceed, and bounds that cannot be checked. */
export function boundMistakes({ node, publish = {} }: Field, path: string): readonly string[] {
  const { tag } = resolve(node), mistakes: string[] = [];
  for (const [key, value] of Object.entries(publish)) {
    if (key === "uniqueItems" && value === true) mistakes.push(`${path}: uniqueItems is not checked: use setOf() or mapBy()`);
    const bound = Object.hasOwn(bounds, key) ? bounds[key] : undefined;
    if (bound === undefined) continue;
    const [what, tags, fits] = bound;
    if (!tags.includes(tag) && !free.includes(tag)) mistakes.push(`${path}: ${key} is not a bound of ${tag}`);
    else if (!fits(value)) mistakes.push(`${path}: ${key} is not ${what}`);
  }
  return mistakes;
}
