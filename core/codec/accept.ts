/** The Accept header (RFC 9110 section 12.5.1) as kube-apiserver reads it. */

export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  /** Parameters except q. The last one of several with the same name. */
  readonly parameters: ReadonlyMap<string, string>;
}

const noParameters: ReadonlyMap<string, string> = new Map();

/** Clauses in order of preference. q=0 does not exclude a type, as upstream. */
export function parseAccept(header: string): readonly AcceptClause[] {
  const clauses: AcceptClause[] = [];
  for (const part of header.split(",")) {
    const [range = "", ...rest] = part.split(";");
    const clause = clauseOf(range, rest);
    if (clause !== undefined) clauses.push(clause);
  }
  return clauses.length <= insertionMax ? sortClauses(clauses) : clauses.toSorted((a, b) => b.quality - a.quality || vague(a) - vague(b));
}

/** Undefined for a word without a subtype (other than `*`) and for more than one slash. */
function clauseOf(range: string, rest: readonly string[]): AcceptClause | undefined {
  const slash = range.indexOf("/");
  const type = trimBlanks(slash < 0 ? range : range.slice(0, slash));
  const after = slash < 0 ? "" : trimEnd(range.slice(slash + 1));
  if (after === "" && type !== "*") return undefined;
  const second = after.indexOf("/");
  if (second >= 0 && second < after.length - 1) return undefined;
  const subtype = after === "" ? "*" : trimBlanks(second < 0 ? after : after.slice(0, second));
  if (rest.length === 0) return { type, subtype, quality: 1, parameters: noParameters };
  let quality = 1;
  const parameters = new Map<string, string>();
  for (const text of rest) {
    const [name = "", value = "", more = ""] = text.split("=", 3);
    // Ignore a parameter without a value or with more than one.
    if (value === "" || more !== "") continue;
    if (trimBlanks(name) === "q") quality = qualityOf(value);
    else parameters.set(trimBlanks(name), trimBlanks(value));
  }
  return { type, subtype, quality, parameters };
}

/** Parses as Go's strconv.ParseFloat with 32 bits, decimal numbers only; 0 for anything else. */
function qualityOf(text: string): number {
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Math.fround(Number(text)) : 0;
}

/** Go's sort is an insertion sort up to this number of clauses. Longer headers are sorted in another, stable order. */
const insertionMax = 12;

/**
 * Insertion sort with upstream's comparison. The comparison is not transitive (a named type precedes `*` at any quality, and a higher
 * quality precedes a lower one), so the result depends on the algorithm.
 */
function sortClauses(clauses: AcceptClause[]): readonly AcceptClause[] {
  for (let index = 1; index < clauses.length; index++) {
    for (let at = index; at > 0 && before(clauses[at]!, clauses[at - 1]!); at--) {
      [clauses[at], clauses[at - 1]] = [clauses[at - 1]!, clauses[at]!];
    }
  }
  return clauses;
}

function before(a: AcceptClause, b: AcceptClause): boolean {
  return a.quality > b.quality || (a.type !== "*" && b.type === "*") || (a.subtype !== "*" && b.subtype === "*");
}
function vague(clause: AcceptClause): number {
  return (clause.type === "*" ? 2 : 0) + (clause.subtype === "*" ? 1 : 0);
}

/** Removes leading and trailing spaces, not tabs, as upstream. */
export function trimBlanks(text: string): string {
  let from = 0;
  while (text[from] === " ") from++;
  return trimEnd(text.slice(from));
}
function trimEnd(text: string): string {
  let to = text.length;
  while (to > 0 && text[to - 1] === " ") to--;
  return text.slice(0, to);
}
