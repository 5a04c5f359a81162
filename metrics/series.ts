/**
 * The values of one metric: one cell for each label set, in a tree of maps with one level for each label. Joining all label
 * values into one string at every observation would be slow, and two different label sets could give the same string.
 */

/** A value for each label. */
export type Labels<Label extends string> = Readonly<Record<Label, string>>;

/** One label set and its cell. */
export interface Series<Cell> {
  readonly labels: Readonly<Record<string, string>>;
  readonly cell: Cell;
}

export interface SeriesTable<Cell> {
  /** The cell of a label set; a new set gets a new cell. The cell of a frozen set is cached by the object's identity. Throws TypeError
   *  if a label has no string value. */
  readonly at: (labels: Readonly<Record<string, string>>) => Cell;
  /** All series, in the order of their first use. */
  readonly all: () => readonly Series<Cell>[];
  /** Removes all label sets. Cells obtained before are no longer part of `all`. */
  readonly clear: () => void;
}

/** Maximum length of a label value in UTF-16 units. Longer values, which clients can send, are truncated. */
export const labelLengthMax = 256;
/** The value of every label of the shared overflow series, and of a label value that is not allowed. Upstream's constant. */
export const unexpected = "unexpected";

type Branch<Cell> = Map<string, Branch<Cell> | Cell>;

export interface SeriesRules {
  readonly names: readonly string[];
  readonly seriesMax: number;
  /** Allowed values by label; other values become `unexpected`. */
  readonly allowed?: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  /** Called for each use of a label set beyond `seriesMax`. */
  readonly overflowed: () => void;
  /** Called for each use of a value that is not allowed. */
  readonly refused: () => void;
}

/**
 * Makes a table of at most `seriesMax` + 1 cells. The last one is shared by all label sets beyond the bound; its labels are all
 * `unexpected`.
 */
export function seriesTable<Cell extends object>(
  { names, seriesMax, allowed, overflowed, refused }: SeriesRules,
  makeCell: () => Cell,
): SeriesTable<Cell> {
  const root: Branch<Cell> = new Map();
  const list: Series<Cell>[] = [];
  /** Made at the first frozen set: most metrics of most servers are not recorded. */
  let cached: WeakMap<object, Cell> | undefined;

  function at(labels: Readonly<Record<string, string>>): Cell {
    const known = cached?.get(labels);
    if (known !== undefined) return known;
    let here: Branch<Cell> | Cell = root;
    for (let level = 0; level < names.length; level++) {
      // `as`: there is one level for each name. Only the last level holds cells.
      const next: Branch<Cell> | Cell | undefined = (here as Branch<Cell>).get(labels[names[level]!]!);
      if (next === undefined) return grow(labels);
      here = next;
    }
    const cell = here as Cell;
    if (Object.isFrozen(labels)) (cached ??= new WeakMap()).set(labels, cell);
    return cell;
  }

  function grow(labels: Readonly<Record<string, string>>): Cell {
    const clean: Record<string, string> = {};
    for (const name of names) clean[name] = allowedValue(name, cleanValue(name, labels[name]));
    Object.freeze(clean);
    const known = find(clean);
    if (known !== undefined) return known;
    if (list.length < seriesMax) return insert(clean);
    overflowed();
    const shared = Object.fromEntries(names.map((name) => [name, unexpected]));
    return find(shared) ?? insert(Object.freeze(shared));
  }

  function allowedValue(name: string, value: string): string {
    const values = allowed?.get(name);
    if (values === undefined || values.has(value)) return value;
    refused();
    return unexpected;
  }

  function find(labels: Readonly<Record<string, string>>): Cell | undefined {
    if (names.length === 0) return list[0]?.cell;
    let here: Branch<Cell> | Cell | undefined = root;
    for (const name of names) here = (here as Branch<Cell> | undefined)?.get(labels[name]!);
    return here as Cell | undefined;
  }

  function insert(labels: Readonly<Record<string, string>>): Cell {
    const cell = makeCell();
    list.push({ labels, cell });
    let here = root;
    for (let level = 0; level < names.length - 1; level++) {
      const value = labels[names[level]!]!;
      let next = here.get(value) as Branch<Cell> | undefined;
      if (next === undefined) here.set(value, next = new Map());
      here = next;
    }
    const last = names.at(-1);
    if (last !== undefined) here.set(labels[last]!, cell);
    return cell;
  }

  function clear(): void {
    root.clear();
    cached = undefined;
    list.length = 0;
  }

  return { clear, at: names.length === 0 ? () => list[0]?.cell ?? insert({}) : at, all: () => list };
}

/** Truncates and cleans a label value. Lone surrogates are replaced here, as UTF-8 encoding would do, so that two values with the same
 *  encoding share a series. */
function cleanValue(name: string, value: string | undefined): string {
  if (typeof value !== "string") throw new TypeError(`Cannot record: label "${name}" has the value ${String(value)}, not a string`);
  return value.slice(0, labelLengthMax).toWellFormed();
}
