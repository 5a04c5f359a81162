/** `make`, called at the first use. */
export function once<T>(make: () => T): () => T {
  const made: { value?: T } = {};
  return () => made.value ??= make();
}
