/** Keeps the lines of a document that a change does not concern as they were written: the library writes all of them in its own layout. */
import { append } from "../../core/append.ts";
import { bound } from "../../core/bound.ts";

/** Product of the changed lines of a document before and after, up to which all unchanged lines are found. */
export const manifestLinePairsMax = bound(4_000_000);
/** Lines that the search for the next unchanged line looks ahead in a document with more changed lines. */
const manifestLookAheadLinesMax = bound(60);

/**
 * Returns `changed` with each line that is also in `plain` replaced by that line of `source`. `plain` is the source as the library
 * writes it, without the change.
 */
export function keptLines(source: string, plain: string, changed: string): string {
  const own = source.split("\n"), library = plain.split("\n"), next = changed.split("\n");
  const squeezed = (lines: readonly string[]) => lines.map((line) => line.replaceAll(/\s+/g, ""));
  const origin = new Map(pairs(squeezed(library), squeezed(own))), same = new Map(pairs(next, library));
  const origins = next.map((_, index) => origin.get(same.get(index) ?? -1));
  const columns = columnsBelow(next, origins.map((at) => at === undefined ? undefined : own[at]));
  const gaps = gapsOf(library.length, origin);
  const kept: string[] = [], indentation = new Indentation();
  for (let index = 0; index < next.length; index++) {
    const line = next[index]!, from = same.get(index), at = origins[index];
    if (at !== undefined) {
      kept.push(own[at]!);
      indentation.kept(line, own[at]!);
      // What the library writes in another number of lines: empty lines, folded text, a comment behind a field.
      const gap = gaps.get(from!), length = gap?.length ?? 0;
      if (gap === undefined || !isUnchanged(same, index, from!, length)) continue;
      append(kept, own.slice(at + 1, gap.ownEnd));
      index += length;
    } else if (from === undefined || line !== "") kept.push(indentation.moved(line, columns[index]));
  }
  return kept.join("\n");
}

/** Returns a text without carriage returns, with those of the lines that it shares with `source`; other lines end as the line before them. */
export function withLineEnds(source: string, text: string): string {
  if (!source.includes("\r\n")) return text;
  const own = source.split("\n"), lines = text.split("\n");
  const isReturned = (line: string) => line.endsWith("\r");
  const origin = new Map(pairs(lines, own.map((line) => isReturned(line) ? line.slice(0, -1) : line)));
  let returns = isReturned(own[0]!); // split() has at least one part.
  return lines.map((line, index) => {
    const at = origin.get(index);
    if (at !== undefined) returns = isReturned(own[at]!);
    return returns && index < lines.length - 1 ? `${line}\r` : line;
  }).join("\n");
}

/**
 * Returns, for each line of the library that is in the source, how many lines follow until the next such line, and the number of that
 * line in the source.
 */
function gapsOf(
  lines: number,
  origin: ReadonlyMap<number, number>,
): ReadonlyMap<number, { readonly length: number; readonly ownEnd: number }> {
  const gaps = new Map<number, { length: number; ownEnd: number }>();
  let next = -1;
  for (let at = lines - 1; at >= 0; at--) {
    const own = origin.get(at);
    if (own === undefined) continue;
    if (next >= 0) gaps.set(at, { length: next - at - 1, ownEnd: origin.get(next)! });
    next = at;
  }
  return gaps;
}

/** Whether the `length` lines that follow one in the library's layout follow it in the changed document; without such lines whether the next one does. */
function isUnchanged(same: ReadonlyMap<number, number>, index: number, from: number, length: number): boolean {
  for (let step = 1; step <= Math.max(1, length); step++) if (same.get(index + step) !== from + step) return false;
  return true;
}

const indentOf = (line: string) => line.length - line.trimStart().length;

/** Returns, for each line, the column in the source of the next line of the same block that is kept. */
function columnsBelow(lines: readonly string[], kept: readonly (string | undefined)[]): readonly (number | undefined)[] {
  const open: { readonly library: number; readonly own: number }[] = [], columns: (number | undefined)[] = [];
  for (let index = lines.length - 1; index >= 0; index--) {
    const line = lines[index]!, own = kept[index];
    if (line === "") continue;
    const library = indentOf(line);
    while (open.length > 0 && open.at(-1)!.library > library) open.pop();
    const below = open.at(-1)?.library === library ? open.pop() : undefined;
    columns[index] = below?.own;
    if (own !== undefined) open.push({ library, own: indentOf(own) });
    else if (below !== undefined) open.push(below);
  }
  return columns;
}

/** Indents new lines as the kept lines around them are. */
class Indentation {
  /** Columns of the blocks that are open, outermost first: in the library's layout, and in the source. */
  readonly #open: { readonly library: number; readonly own: number }[] = [];

  kept(library: string, own: string): void {
    if (library === "") return;
    this.#push(indentOf(library), indentOf(own));
    this.#pushItems(library, indentOf(own) - indentOf(library));
  }

  /** The line with the indentation of the source. `known`: that of a later line of the same block. */
  moved(line: string, known: number | undefined): string {
    if (line === "") return line;
    const column = indentOf(line);
    while (this.#open.length > 0 && this.#open.at(-1)!.library > column) this.#open.pop();
    const { library, own } = this.#open.at(-1) ?? { library: 0, own: 0 }, at = known ?? Math.max(0, own + column - library);
    this.#push(column, at);
    this.#pushItems(line, at - column);
    return " ".repeat(at) + line.slice(column);
  }

  #push(library: number, own: number): void {
    while (this.#open.length > 0 && this.#open.at(-1)!.library >= library) this.#open.pop();
    this.#open.push({ library, own });
  }

  /** The fields of an item begin behind its dash. */
  #pushItems(line: string, shift: number): void {
    for (let at = indentOf(line); line.startsWith("- ", at);) {
      at += 2;
      this.#open.push({ library: at, own: at + shift });
    }
  }
}

/**
 * Returns increasing pairs of indexes of lines that both have: a longest common subsequence, or for a long changed part those that a
 * short look ahead finds.
 */
function pairs(a: readonly string[], b: readonly string[]): readonly (readonly [number, number])[] {
  const found: (readonly [number, number])[] = [];
  let start = 0, endA = a.length, endB = b.length;
  while (start < endA && start < endB && a[start] === b[start]) found.push([start, start++]);
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) found.push([--endA, --endB]);
  const middle = { a: a.slice(start, endA), b: b.slice(start, endB) };
  const isShort = middle.a.length * middle.b.length <= manifestLinePairsMax;
  for (const [x, y] of isShort ? longest(middle.a, middle.b) : nearest(middle.a, middle.b)) found.push([start + x, start + y]);
  return found;
}

function* longest(a: readonly string[], b: readonly string[]): Generator<readonly [number, number]> {
  // lengths[row][column]: the longest common subsequence of what follows.
  const width = b.length + 1, lengths = new Uint32Array((a.length + 1) * width);
  for (let row = a.length - 1; row >= 0; row--) {
    for (let column = b.length - 1; column >= 0; column--) {
      lengths[row * width + column] = a[row] === b[column]
        ? lengths[(row + 1) * width + column + 1]! + 1
        : Math.max(lengths[(row + 1) * width + column]!, lengths[row * width + column + 1]!);
    }
  }
  for (let row = 0, column = 0; row < a.length && column < b.length;) {
    if (a[row] === b[column]) yield [row++, column++];
    else if (lengths[(row + 1) * width + column]! >= lengths[row * width + column + 1]!) row++;
    else column++;
  }
}

function* nearest(a: readonly string[], b: readonly string[]): Generator<readonly [number, number]> {
  for (let row = 0, column = 0; row < a.length && column < b.length;) {
    if (a[row] === b[column]) {
      yield [row++, column++];
      continue;
    }
    const [rows, columns] = nextEqual(a, row, b, column);
    row += rows;
    column += columns;
  }
}

/** Returns the lines to skip on each side until the next equal line; one on each side if none is near. */
function nextEqual(a: readonly string[], row: number, b: readonly string[], column: number): readonly [number, number] {
  for (let distance = 1; distance <= manifestLookAheadLinesMax; distance++) {
    for (let rows = 0; rows <= distance; rows++) {
      const x = row + rows, y = column + distance - rows;
      if (x < a.length && y < b.length && a[x] === b[y]) return [rows, distance - rows];
    }
  }
  return [1, 1];
}
