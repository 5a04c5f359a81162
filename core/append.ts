/** Appends all items of the sources. `list.push(...source)` overflows the stack at about 100,000 items; this takes any number. */
export function append<T>(list: T[], ...sources: readonly Iterable<T>[]): void {
  for (const source of sources) for (const item of source) list.push(item);
}
