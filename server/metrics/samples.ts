/** Reads samples out of the text of a scrape: what reads metrics reads what everybody scrapes. */

export interface Sample {
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

/** The samples of these metrics in a text in Prometheus' format 0.0.4, by name. A metric without samples has an empty list. */
export function samplesOf(text: string, names: readonly string[]): ReadonlyMap<string, readonly Sample[]> {
  const found = new Map<string, Sample[]>(names.map((name) => [name, []]));
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start), end = newline < 0 ? text.length : newline;
    if (text[start] !== "#") {
      const line = text.slice(start, end);
      const brace = line.indexOf("{"), space = line.lastIndexOf(" ");
      found.get(line.slice(0, brace < 0 ? space : brace))?.push({
        labels: labelsOf(line, brace, space),
        value: Number(line.slice(space + 1)),
      });
    }
    start = end + 1;
  }
  return found;
}

/** The labels between `{` and `}`. Values are quoted; `\\`, `\"` and `\n` are escapes. */
export function labelsOf(line: string, brace: number, space: number): ReadonlyMap<string, string> {
  const labels = new Map<string, string>();
  if (brace < 0) return labels;
  for (let at = brace + 1; at < space && line[at] !== "}";) {
    const equals = line.indexOf("=", at);
    if (equals < 0) break;
    let value = "", next = equals + 2;
    for (; next < space && line[next] !== '"'; next++) {
      if (line[next] !== "\\") value += line[next];
      else value += line[++next] === "n" ? "\n" : line[next];
    }
    labels.set(line.slice(at, equals), value);
    at = next + (line[next + 1] === "," ? 2 : 1);
  }
  return labels;
}

/** The sum of the samples that a condition selects. */
export function sumOf(samples: readonly Sample[], select: (labels: ReadonlyMap<string, string>) => boolean = () => true): number {
  return samples.reduce((sum, { labels, value }) => select(labels) ? sum + value : sum, 0);
}

/**
 * A quantile of a histogram, in the unit of its buckets: the samples of `NAME_bucket`, summed by their bound, minus an earlier sum. Undefined without observations.
 * As Prometheus' histogram_quantile: linear within a bucket; the last finite bound for what is above it.
 */
export function quantileOf(buckets: ReadonlyMap<number, number>, quantile: number): number | undefined {
  const sorted = [...buckets].toSorted(([one], [other]) => one - other);
  const total = sorted.at(-1)?.[1] ?? 0;
  if (total <= 0) return undefined;
  const wanted = total * quantile;
  let lower = 0, below = 0;
  for (const [bound, count] of sorted) {
    if (count >= wanted) {
      return bound === Infinity ? lower : lower + (bound - lower) * (count === below ? 1 : (wanted - below) / (count - below));
    }
    lower = bound;
    below = count;
  }
  return lower;
}

/** Cumulative counts by the bound `le`, summed over the other labels. */
export function bucketsOf(
  samples: readonly Sample[],
  select: (labels: ReadonlyMap<string, string>) => boolean,
): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  for (const { labels, value } of samples) {
    if (!select(labels)) continue;
    const text = labels.get("le"), bound = text === "+Inf" ? Infinity : Number(text);
    sums.set(bound, (sums.get(bound) ?? 0) + value);
  }
  return sums;
}

/** Counts since an earlier scrape. */
export function since(now: ReadonlyMap<number, number>, before: ReadonlyMap<number, number>): ReadonlyMap<number, number> {
  return new Map([...now].map(([bound, count]) => [bound, count - (before.get(bound) ?? 0)]));
}
