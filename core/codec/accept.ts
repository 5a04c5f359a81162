/** The Accept header (RFC 9110 section 12.5.1) as kube-apiserver reads it. */

export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  /** Parameters other than q; of several with one name the last. */
  readonly parameters: ReadonlyMap<string, string>;
}

const noParameters: ReadonlyMap<string, string> = new Map();

/** Clauses in the order of preference. q=0 does not exclude. */
export function parseAccept(header: string): readonly AcceptClause[] {
  const clauses: AcceptClause[] = [];
  for (const part of header.split(",")) {
    const [range = "", ...rest] = part.split(";");
    const clause = clauseOf(range, rest);
    if (clause !== undefined) clauses.push(clause);
  }
  return clauses.length <= insertionMax ? inserted(clauses) : clauses.toSorted((a, b) => b.quality - a.quality || vague(a) - vague(b));
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
    // A parameter without a value, or with more than one, counts as absent.
    if (value === "" || more !== "") continue;
    if (trimBlanks(name) === "q") quality = qualityOf(value);
    else parameters.set(trimBlanks(name), trimBlanks(value));
  }
  return { type, subtype, quality, parameters };
}

/** As strconv.ParseFloat for decimal numbers of 32 bits; 0 for anything else. */
function qualityOf(text: string): number {
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Math.fround(Number(text)) : 0;
}

/** Up to this many clauses Go's sort is an insertion sort; with more, another stable order is used here. */
const insertionMax = 12;

/**
 * Insertion sort with upstream's comparison, which is no order: a named type comes before `*` whatever their qualities, and
 * a higher quality comes first. The result therefore depends on the algorithm.
 */
function inserted(clauses: AcceptClause[]): readonly AcceptClause[] {
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

/** Without the blanks around it; tabs stay, as upstream. */
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
