/** Joins errors to one text without duplicates: `[a, b]`, or `a` if there is only one. */
export function joinErrors(texts: readonly string[]): string {
  const unique = [...new Set(texts)];
  return unique.length === 1 ? unique[0]! : `[${unique.join(", ")}]`;
}
