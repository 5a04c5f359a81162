/** Suggests the right name for a mistyped one. */

/** Returns the candidate with the smallest edit distance; undefined if this distance is large for the length of the word. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let fewest = Infinity;
  for (const candidate of candidates) {
    const edits = distance(word.toLowerCase(), candidate.toLowerCase());
    if (edits < fewest) [best, fewest] = [candidate, edits];
  }
  return best !== undefined && fewest <= Math.max(2, Math.floor(best.length / 3)) ? best : undefined;
}

/** Returns the Levenshtein distance; swapping two neighbours counts as one edit. Words are cut to 200 characters. */
function distance(left: string, right: string): number {
  const a = left.slice(0, 200), b = right.slice(0, 200);
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j]!, before[j - 2]! + 1);
    }
    [before, last] = [last, row];
  }
  return last[b.length]!;
}
