/** Lists of indexes, such as `1,3-5,7`, with upstream's texts. Each function reads its texts once. */
import { goQuote } from "../../toolbox.ts";

interface Interval {
  readonly first: number;
  readonly last: number;
}
type Read = { readonly interval: Interval } | { readonly error: string };

/** Reads `3` or `3-5`. Indexes are less than `completions`. */
function readInterval(text: string, completions: number): Read {
  const parts = text.split("-");
  if (parts.length > 2) {
    return {
      error: `the fragment ${goQuote(text)} violates the requirement that an index interval can have at most two parts separated by '-'`,
    };
  }
  const numbers: number[] = [];
  for (const part of parts) {
    const number = integerOf(part);
    if (number === undefined) return { error: `cannot convert string to integer for index: ${goQuote(part)}` };
    if (number >= completions) return { error: `too large index: ${goQuote(part)}` };
    numbers.push(number);
  }
  const first = numbers[0]!, last = numbers[1] ?? first;
  if (parts.length > 1 && first >= last) return { error: `non-increasing order, previous: ${first}, current: ${last}` };
  return { interval: { first, last } };
}

const int64Max = 2n ** 63n - 1n;
/** The digits that the largest integer has, without leading zeros. */
const digitsMax = 19;

/** An integer as Go's Atoi reads it: digits with an optional sign. Minus signs separate indexes, so there are none. */
function integerOf(text: string): number | undefined {
  const digits = text.startsWith("+") ? text.slice(1) : text;
  if (!/^[0-9]+$/.test(digits)) return undefined;
  let at = 0;
  while (at < digits.length - 1 && digits[at] === "0") at++;
  const rest = digits.slice(at);
  return rest.length > digitsMax || BigInt(rest) > int64Max ? undefined : Number(rest);
}

/** Checks the form and the order of a list. Returns the error, or how many indexes it has. */
export function countIndexes(text: string, completions: number): { readonly error: string } | { readonly count: number } {
  let count = 0, last: number | undefined;
  for (const part of text === "" ? [] : text.split(",")) {
    const read = readInterval(part, completions);
    if ("error" in read) return read;
    const { interval } = read;
    if (last !== undefined && last >= interval.first) {
      return { error: `non-increasing order, previous: ${last}, current: ${interval.first}` };
    }
    count += interval.last - interval.first + 1;
    last = interval.last;
  }
  return { count };
}

/** Returns an index that is in both lists, where they are in order. Parts that cannot be read are left out. */
export function sharedIndex(completed: string, failed: string, completions: number): number | undefined {
  const intervalsOf = (text: string) =>
    (text === "" ? [] : text.split(",")).flatMap((part) => {
      const read = readInterval(part, completions);
      return "interval" in read ? [read.interval] : [];
    });
  const left = intervalsOf(completed), right = intervalsOf(failed);
  for (let i = 0, j = 0; i < left.length && j < right.length;) {
    const a = left[i]!, b = right[j]!;
    if (a.first <= b.last && b.first <= a.last) return Math.max(a.first, b.first);
    if (a.first <= b.first) i++;
    else j++;
  }
  return undefined;
}
