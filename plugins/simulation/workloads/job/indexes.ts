/** Sets of indexes, as the status of a job writes them: `1,3-5,7`. */

/** Reads a set of indexes below `completions`. What is no index is left out. */
export function readIndexes(text: string | null | undefined, completions: number): Set<number> {
  const found = new Set<number>();
  for (const part of (text ?? "").split(",")) {
    const [first = "", last = first] = part.split("-");
    if (!/^\d{1,10}$/.test(first) || !/^\d{1,10}$/.test(last)) continue;
    for (let index = Number(first); index <= Math.min(Number(last), completions - 1); index++) found.add(index);
  }
  return found;
}

/** Writes a set of indexes in ascending order. Three or more that follow each other are an interval. */
export function indexesText(indexes: ReadonlySet<number>): string {
  const sorted = [...indexes].sort((a, b) => a - b), parts: string[] = [];
  for (let at = 0; at < sorted.length;) {
    let end = at;
    while (sorted[end + 1] === sorted[end]! + 1) end++;
    if (end === at) parts.push(`${sorted[at]}`);
    else parts.push(`${sorted[at]}${end === at + 1 ? "," : "-"}${sorted[end]}`);
    at = end + 1;
  }
  return parts.join(",");
}
