/** Writes the mistakes in an expression as the API server reports them: location, message, source line, and a caret below it. */
import type { Issue } from "./ast.ts";
import { bound } from "../core/bound.ts";
import { celIssuesMax } from "./bounds.ts";

/** Maximum UTF-8 bytes of a line of a CEL expression that is shown with a mistake. */
const celSnippetBytesMax = bound(16_384);

/** Writes all issues, ordered by position. Issues at the same position keep the order in which they were found. */
export function formatIssues(source: string, issues: readonly Issue[]): string {
  const sorted = issues.slice(0, celIssuesMax).sort((a, b) => a.position - b.position);
  const points = Array.from(source);
  const starts = lineStarts(points);
  const lines = new Map<number, readonly string[] | undefined>();
  const texts = sorted.map(({ message, position }) => {
    if (position < 0) return `ERROR: <input>:-1:0: ${message}`;
    const line = lineOf(starts, position);
    const column = position - starts[line]!;
    if (!lines.has(line)) lines.set(line, shownLine(points, starts[line]!, starts[line + 1]));
    // As upstream, the end of an empty text is in column 0.
    const head = `ERROR: <input>:${line + 1}:${points.length === 0 ? 0 : column + 1}: ${message}`;
    const shown = lines.get(line);
    return shown === undefined ? head : `${head}\n | ${shown.join("")}\n | ${caret(shown, column)}`;
  });
  if (issues.length > celIssuesMax) texts.push(`${issues.length - celIssuesMax} more errors were truncated`);
  return texts.join("\n");
}

/** Returns the index of the line that contains a position. */
function lineOf(starts: readonly number[], position: number): number {
  let line = 0;
  for (let end = starts.length; line + 1 < end;) {
    const middle = (line + end) >> 1;
    if (starts[middle]! <= position) line = middle;
    else end = middle;
  }
  return line;
}

/** Returns the characters of a line; undefined if the text is empty, or if the line is too long to be shown. */
function shownLine(points: readonly string[], start: number, next: number | undefined): readonly string[] | undefined {
  const text = points.slice(start, next === undefined ? undefined : next - 1);
  if (points.length === 0 || utf8Length(text) > celSnippetBytesMax) return undefined;
  return text.map((point) => point === "\t" ? " " : point);
}

/**
 * Writes dots up to the column and a caret. They are in full width where the line has wide characters. The column may be behind the line's
 * end.
 */
function caret(shown: readonly string[], column: number): string {
  const before = shown.slice(0, column).map((point) => isWide(point) ? "\uff0e" : ".");
  const at = shown[column];
  return `${before.join("")}${at !== undefined && isWide(at) ? "\uff3e" : "^"}`;
}

function lineStarts(points: readonly string[]): readonly number[] {
  const starts = [0];
  for (const [at, point] of points.entries()) if (point === "\n") starts.push(at + 1);
  return starts;
}

const isWide = (point: string) => point.codePointAt(0)! > 0x7f;

function utf8Length(points: readonly string[]): number {
  let bytes = 0;
  for (const point of points) {
    const code = point.codePointAt(0)!;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
