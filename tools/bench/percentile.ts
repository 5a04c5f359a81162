/** The value at that share of an ascending list; NaN for an empty one. */
export function percentile(ascending: readonly number[], share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? NaN;
}

/** Sorts the latencies, and returns the usual percentiles. */
export function percentiles(latencies: number[]): { readonly p50: number; readonly p99: number; readonly p999: number } {
  latencies.sort((a, b) => a - b);
  return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99), p999: percentile(latencies, 0.999) };
}

export function median(values: readonly number[]): number {
  return percentile(values.toSorted((a, b) => a - b), 0.5);
}
