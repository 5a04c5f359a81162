/** Reads an object of options from the query of a URL, by its schema. */
import { type Node, resolve, type StructNode } from "../schema.ts";
import { parseTime } from "../scalars/time.ts";
import { Unreadable } from "../scalars/unreadable.ts";
import { goQuote } from "../tree/go-quote.ts";

/** The query of a URL. */
export interface QueryValues {
  /** Whether the query has the key. */
  has(key: string): boolean;
  /** All values of a key. */
  all(key: string): readonly string[];
}

/** A value that cannot be read. The message is upstream's. */
export class OptionError extends Error {}

/** Returns the options. Keys of the query that are no fields are ignored. Throws an OptionError for a number or time that cannot be read. */
export function optionsOfQuery(schema: StructNode, query: QueryValues): Readonly<Record<string, unknown>> {
  const options: Record<string, unknown> = {};
  for (const [name, { node }] of Object.entries(schema.fields)) {
    if (!query.has(name)) continue;
    const value = valueOf(resolve(node), query.all(name));
    if (value !== undefined) options[name] = value;
  }
  return options;
}

function valueOf(node: Node, texts: readonly string[]): unknown {
  const [first = ""] = texts;
  switch (node.tag) {
    case "boolean":
      return first !== "0" && first.toLowerCase() !== "false";
    case "string":
      return first;
    case "int32":
      return numberOf(first, 32, "ParseInt");
    case "int64":
      return numberOf(first, 64, "ParseInt");
    case "time":
      return timeOf(first);
    case "list": {
      const of = resolve(node.of);
      return texts.map((text) => valueOf(of, [text]));
    }
    default:
      throw new Error(`An option in a query cannot be of the type ${node.tag}`);
  }
}

/** Longer texts are no number of 64 bits, unless they begin with zeros. */
const digitsMax = 40;

function numberOf(text: string, bits: 32 | 64, by: string): number | bigint {
  const fail = (why: string): OptionError => new OptionError(`strconv.${by}: parsing ${goQuote(text)}: ${why}`);
  if (!/^[+-]?[0-9]+$/.test(text)) throw fail("invalid syntax");
  if (text.length > digitsMax) throw fail("value out of range");
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text), most = 2n ** BigInt(bits - 1);
  if (value >= most || value < -most) throw fail("value out of range");
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function timeOf(text: string): string | undefined {
  if (text === "" || text === "null") return undefined;
  const time = parseTime(text);
  if (time instanceof Unreadable) throw new OptionError(time.error);
  return time ?? undefined;
}
