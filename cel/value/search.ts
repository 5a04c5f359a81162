/** Search for a text in a text in linear time. The search of engines takes quadratic time for some texts. */
import { spend } from "./work.ts";

/** Returns the index of the next occurrence from an index on, or -1. */
export type Search = (from: number) => number;

/** Products of lengths up to this are searched by the engine, in units compared. */
const engineProductMax = 65_536;
/** Parts up to this length are always searched by the engine. */
const shortPart = 8;

/** Returns a search for a part of a text. */
export function searchIn(text: string, part: string): Search {
  spend(1 + (text.length >> 4));
  if (part.length <= shortPart || part.length * text.length <= engineProductMax) return (from) => text.indexOf(part, from);
  const borders = bordersOf(part);
  return (from) => indexOf(text, part, borders, from);
}

/** Returns the index of the last occurrence that begins at an index or before it, or -1. */
export function lastIndexIn(text: string, part: string, last: number): number {
  spend(1 + (text.length >> 4));
  if (part.length <= shortPart || part.length * text.length <= engineProductMax) return last < 0 ? -1 : text.lastIndexOf(part, last);
  const search = searchIn(text, part);
  let found = -1;
  for (let next = search(0); next >= 0 && next <= last; next = search(next + 1)) found = next;
  return found;
}

/** Returns, for each length of a prefix, the length of its longest proper prefix that is also its end (Knuth, Morris and Pratt). */
function bordersOf(part: string): Int32Array {
  spend(part.length);
  const borders = new Int32Array(part.length);
  let length = 0;
  for (let at = 1; at < part.length; at++) {
    const unit = part.charCodeAt(at);
    while (length > 0 && part.charCodeAt(length) !== unit) length = borders[length - 1]!;
    if (part.charCodeAt(length) === unit) length++;
    borders[at] = length;
  }
  return borders;
}

function indexOf(text: string, part: string, borders: Int32Array, from: number): number {
  let length = 0;
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    while (length > 0 && part.charCodeAt(length) !== unit) length = borders[length - 1]!;
    if (part.charCodeAt(length) === unit) length++;
    if (length === part.length) return at - length + 1;
  }
  return -1;
}
