/** Strings: `charAt`, `split`, `format` and others; upstream's library `cel.lib.ext.strings`. */
import { exactly, plus, rangeMax, scale, times, traversalFactor } from "../../cost/range.ts";
import type { Operand, Range } from "../../declarations.ts";
import { dynType, intType, listType, stringType } from "../../types.ts";
import { traversal } from "../../value/size.ts";
import type { ListValue, Value } from "../../values.ts";
import { type Costs, declare, readingReceiver, sizeOf } from "../costs.ts";
import type { Library } from "../library.ts";
import { elementsOf, readingElements } from "../lists/kubernetes.ts";
import { member, overload } from "../standard/overload.ts";
import { checkFormatCalls } from "./check-format.ts";
import { charAt, indexOf, join, lastIndexOf, lowerAscii, quote, replace, split, substring, trim, upperAscii } from "./edit.ts";
import { format } from "./format.ts";

/** The costs of reading the receiver, and of making the result from it. */
const rewriting = readingReceiver(2);

const replacing: Costs = {
  ...rewriting,
  estimate: ({ target, args: [part, replacement] }, estimator) => {
    if (target === undefined || part === undefined || replacement === undefined) return undefined;
    const size = estimator.sizeOf(target);
    const resultSize = sizeOfReplaced(size, estimator.sizeOf(part), estimator.sizeOf(replacement));
    return { cost: scale(size, 2 * traversalFactor), resultSize };
  },
};

/** Returns the shortest and the longest result of a replacement, by upstream's rule. */
function sizeOfReplaced(size: Range, part: Range, replacement: Range): Range {
  // An empty part is replaced before each character and at the end.
  const surrounding = (bound: bigint) => bound < rangeMax ? bound + 1n : bound;
  const counted = (bound: bigint, length: bigint) => BigInt(Math.ceil(Number(bound) / Number(length)));
  const longest = part.min === 0n
    ? [surrounding(size.max), size.max] as const
    : replacement.max <= part.min
    ? [0n, size.max] as const
    : [counted(size.max, part.min), 0n] as const;
  const shortest = part.max === 0n
    ? [surrounding(size.min), size.min] as const
    : part.max <= replacement.min
    ? [0n, size.min] as const
    : [counted(size.min, part.max), 0n] as const;
  const count: Range = { min: shortest[0], max: longest[0] < rangeMax ? longest[0] : rangeMax };
  return plus(times(count, replacement), { min: shortest[1], max: longest[1] });
}

const splitting: Costs = {
  ...rewriting,
  estimate: ({ target, args }, estimator) => {
    if (target === undefined) return undefined;
    const size = estimator.sizeOf(target), limit = args[1]?.expr;
    const isLiteral = limit?.tag === "constant" && typeof limit.value === "bigint";
    const max = isLiteral ? BigInt.asUintN(64, limit.value as bigint) : size.max;
    return { cost: scale(size, 2 * traversalFactor), resultSize: { min: 0n, max } };
  },
};

const joining: Costs = {
  cost: (_, _args, result) => Math.ceil(sizeOf(result) * 2 * traversalFactor),
  estimate: ({ target, args }, estimator) => {
    if (target === undefined) return undefined;
    const count = estimator.sizeOf(target), elements = elementsOf(target);
    let size: Range = elements === undefined ? exactly(0n) : times(count, estimator.sizeOf(elements));
    if (args[0] !== undefined) {
      const less = (bound: bigint) => bound > 0n ? bound - 1n : 0n;
      size = plus(size, times(estimator.sizeOf(args[0]), { min: less(count.min), max: less(count.max) }));
    }
    return { cost: scale(size, traversalFactor), resultSize: size };
  },
};

const formatting: Costs = {
  cost: (id, args) => id === "string_format" ? traversal(sizeOf(args[0])) : 1,
  // The size of the result is not known.
  estimate: ({ target }, estimator) => target && { cost: scale(estimator.sizeOf(target), traversalFactor) },
};

const quoting: Costs = {
  cost: (id, args) => id === "strings_quote" ? traversal(sizeOf(args[0])) : 1,
  estimate: ({ args }, estimator) => {
    const [text]: readonly (Operand | undefined)[] = args;
    if (text === undefined) return undefined;
    const { min, max } = estimator.sizeOf(text);
    const wrap = (bound: bigint) => BigInt.asUintN(64, bound);
    return { cost: scale({ min, max }, traversalFactor), resultSize: { min: wrap(min + 2n), max: wrap(max * 2n + 2n) } };
  },
};

const text = stringType, texts = listType(stringType);

export const stringsLibrary: Library = {
  name: "cel.lib.ext.strings",
  since: 0,
  validate: checkFormatCalls,
  functions: [
    declare("charAt", {}, member("string_char_at_int", [text, intType], text, (of, at) => charAt(of as string, at as bigint))),
    declare(
      "indexOf",
      readingElements,
      member("string_index_of_string", [text, text], intType, (of, part) => indexOf(of as string, part as string, 0n)),
      member(
        "string_index_of_string_int",
        [text, text, intType],
        intType,
        (of, part, from) => indexOf(of as string, part as string, from as bigint),
      ),
    ),
    declare(
      "lastIndexOf",
      readingElements,
      member("string_last_index_of_string", [text, text], intType, (of, part) => lastIndexOf(of as string, part as string, undefined)),
      member(
        "string_last_index_of_string_int",
        [text, text, intType],
        intType,
        (of, part, last) => lastIndexOf(of as string, part as string, last as bigint),
      ),
    ),
    declare("lowerAscii", readingReceiver(1), member("string_lower_ascii", [text], text, (of) => lowerAscii(of as string))),
    declare(
      "replace",
      replacing,
      member(
        "string_replace_string_string",
        [text, text, text],
        text,
        (of, part, replacement) => replace(of as string, part as string, replacement as string, -1n),
      ),
      member(
        "string_replace_string_string_int",
        [text, text, text, intType],
        text,
        (of, part, replacement, max) => replace(of as string, part as string, replacement as string, max as bigint),
      ),
    ),
    declare(
      "split",
      splitting,
      member("string_split_string", [text, text], texts, (of, separator) => split(of as string, separator as string, -1n)),
      member(
        "string_split_string_int",
        [text, text, intType],
        texts,
        (of, separator, max) => split(of as string, separator as string, max as bigint),
      ),
    ),
    declare(
      "substring",
      readingReceiver(1),
      member("string_substring_int", [text, intType], text, (of, start) => substring(of as string, start as bigint, undefined)),
      member(
        "string_substring_int_int",
        [text, intType, intType],
        text,
        (of, start, end) => substring(of as string, start as bigint, end as bigint),
      ),
    ),
    declare("trim", readingReceiver(1), member("string_trim", [text], text, (of) => trim(of as string))),
    declare("upperAscii", readingReceiver(1), member("string_upper_ascii", [text], text, (of) => upperAscii(of as string))),
    declare(
      "format",
      formatting,
      {
        ...member("string_format", [text, listType(dynType)], text, (of, args) => format(of as string, args as ListValue)),
        variadic: true,
      },
    ),
    declare("strings.quote", quoting, overload("strings_quote", [text], text, (of) => quote(of as string))),
    declare(
      "join",
      joining,
      member("list_join", [texts], text, (list) => join(list as ListValue, "")),
      member("list_join_string", [texts, text], text, (list: Value | undefined, separator) => join(list as ListValue, separator as string)),
    ),
  ],
};
