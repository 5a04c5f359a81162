/**
 * Where the numbers of one metric are kept: one cell per label set, found by walking a tree of maps, a level per label.
 * A library's own recording path joins all label values into one string for every observation, which costs more than
 * the rest of a small request's bookkeeping, and which two label sets can share.
 */

/** A value for every label. */
export type Labels<Label extends string> = Readonly<Record<Label, string>>;

/** One label set and what was counted for it. */
export interface Series<Cell> {
  readonly labels: Readonly<Record<string, string>>;
  readonly cell: Cell;
}

export interface SeriesTable<Cell> {
  /** The cell of a label set, made when it is new; a set that is frozen is remembered by its identity and found at once. A label
   *  without a string value is a bug and throws TypeError. */
  readonly at: (labels: Readonly<Record<string, string>>) => Cell;
  /** In order of first use. */
  readonly all: () => readonly Series<Cell>[];
  /** Forgets all label sets; cells that somebody keeps count for nothing from then on. */
  readonly clear: () => void;
}

/** Values of labels are cut at this many UTF-16 units: what names things is shorter, what clients invent may not be. */
export const labelLengthMax = 256;
/** What every label of the shared series says, once a metric has too many label sets; upstream's word for such values. */
export const unexpected = "unexpected";

type Branch<Cell> = Map<string, Branch<Cell> | Cell>;

export interface SeriesRules {
  readonly names: readonly string[];
  readonly seriesMax: number;
  /** Values that labels may take; the others become `unexpected`. */
  readonly allowed?: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  /** Told each time that a label set was beyond the bound. */
  readonly overflowed: () => void;
  /** Told each time that a value was not allowed. */
  readonly refused: () => void;
}

/**
 * Cells by label set, at most `seriesMax` of them and one more: label sets beyond the bound share a series whose labels
 * all say `unexpected`.
 */
export function seriesTable<Cell extends object>(
  { names, seriesMax, allowed, overflowed, refused }: SeriesRules,
  makeCell: () => Cell,
): SeriesTable<Cell> {
  const root: Branch<Cell> = new Map();
  const list: Series<Cell>[] = [];
  let remembered = new WeakMap<object, Cell>();

  function at(labels: Readonly<Record<string, string>>): Cell {
    const known = remembered.get(labels);
    if (known !== undefined) return known;
    let here: Branch<Cell> | Cell = root;
    for (const name of names) {
      // Every level but the last holds branches, the last one holds cells: there are as many levels as names.
      const next: Branch<Cell> | Cell | undefined = (here as Branch<Cell>).get(labels[name]!);
      if (next === undefined) return grow(labels);
      here = next;
    }
    const cell = here as Cell;
    if (Object.isFrozen(labels)) remembered.set(labels, cell);
    return cell;
  }

  function grow(labels: Readonly<Record<string, string>>): Cell {
    const clean = Object.freeze(Object.fromEntries(names.map((name) => [name, allowedValue(name, cleanValue(name, labels[name]))])));
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
    for (const name of names.slice(0, -1)) {
      const value = labels[name]!;
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
    remembered = new WeakMap();
    list.length = 0;
  }

  return { clear, at: names.length === 0 ? () => list[0]?.cell ?? insert({}) : at, all: () => list };
}

/** Two values that would be written alike must be one: a lone surrogate becomes the replacement character on the wire. */
function cleanValue(name: string, value: string | undefined): string {
  if (typeof value !== "string") throw new TypeError(`Cannot record: label "${name}" has the value ${String(value)}, not a string`);
  return value.slice(0, labelLengthMax).toWellFormed();
}
