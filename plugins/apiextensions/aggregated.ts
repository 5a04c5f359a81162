/** Several errors as one text, each once: `[a, b]`, or `a` alone. */
export function joinErrors(texts: readonly string[]): string {
  const unique = [...new Set(texts)];
  return unique.length === 1 ? unique[0]! : `[${unique.join(", ")}]`;
}
