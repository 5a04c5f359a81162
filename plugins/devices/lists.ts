/** Checks of lists and maps. A list that is too long gives one error; its items are then not checked. */
import { duplicate, type FieldError } from "../../plugin.ts";
import { append, tooMany, utf8Length } from "../../toolbox.ts";

export type Check<T> = (item: T, path: string) => readonly FieldError[];

/** Checks a list that has at most `max` items. */
export function validateList<T>(list: readonly T[] = [], max: number, check: Check<T>, path: string): readonly FieldError[] {
  if (list.length > max) return [tooMany(path, list.length, max)];
  const errors: FieldError[] = [];
  for (const [i, item] of list.entries()) append(errors, check(item, `${path}[${i}]`));
  return errors;
}

/** As `validateList`, for items with different keys. `shownKeyOf`: the key as errors show it. */
export function validateSet<T>(
  list: readonly T[] = [],
  max: number,
  check: Check<T>,
  keyOf: (item: T) => string,
  path: string,
  shownKeyOf: (item: T) => unknown = keyOf,
): readonly FieldError[] {
  if (list.length > max) return [tooMany(path, list.length, max)];
  const errors = [...validateList(list, max, check, path)], seen = new Set<string>();
  for (const [i, item] of list.entries()) {
    const key = keyOf(item);
    if (seen.has(key)) errors.push(duplicate(`${path}[${i}]`, shownKeyOf(item)));
    seen.add(key);
  }
  return errors;
}

/** Checks a map with at most `max` entries, in the order of its keys. Paths show at most `shownMax` bytes of a key. */
export function validateMap<T>(
  map: Readonly<Record<string, T>> = {},
  { max = Infinity, shownMax, key, value, path }: {
    readonly max?: number;
    readonly shownMax: number;
    readonly key: Check<string>;
    readonly value: Check<T>;
    readonly path: string;
  },
): readonly FieldError[] {
  const names = Object.keys(map);
  if (names.length > max) return [tooMany(path, names.length, max)];
  const errors: FieldError[] = [];
  for (const name of names.sort()) {
    append(errors, key(name, path));
    append(errors, value(map[name]!, `${path}[${shortened(name, shownMax)}]`));
  }
  return errors;
}

/** The text without its middle if it is longer than `max` bytes. */
function shortened(text: string, max: number): string {
  if (utf8Length(text) <= max) return text;
  const kept = max - 3, half = Math.floor(kept / 2);
  return `${text.slice(0, kept - half)}...${text.slice(text.length - half)}`;
}
