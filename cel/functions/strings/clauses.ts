/** Parses the clauses of a format string, such as `%s` and `%.2f`, with upstream's errors. `format` and the check of its calls use it. */

/** A part of a format string. */
export type Clause =
  | { readonly tag: "text"; readonly text: string }
  | { readonly tag: "clause"; readonly verb: string; readonly precision: number | undefined; readonly argument: number }
  | { readonly tag: "mistake"; readonly message: string };

const intMax = (1n << 63n) - 1n;

/**
 * Yields the parts of a format string that has this many arguments. It ends with a mistake, if there is one. The check of calls
 * (`isChecking`) reports the end of the string before a missing argument, the evaluation after it.
 */
export function* parseClauses(template: string, argumentCount: number, isChecking: boolean): Generator<Clause, void> {
  let start = 0, argument = 0;
  for (let at = template.indexOf("%"); at >= 0; at = template.indexOf("%", start)) {
    if (at > start) yield { tag: "text", text: template.slice(start, at) };
    if (template[at + 1] === "%") {
      yield { tag: "text", text: "%" };
      start = at + 2;
      continue;
    }
    const isMissing = argument >= argumentCount, isEnd = at + 1 >= template.length;
    if (isEnd && (isChecking || !isMissing)) return yield wrongClause("unexpected end of string");
    if (isMissing) return yield wrongClause(`index ${argument} out of range`);
    const clause = parseClause(template, at + 1);
    if (typeof clause === "string") return yield wrongClause(`could not parse formatting clause: ${clause}`);
    yield { tag: "clause", verb: clause.verb, precision: clause.precision, argument };
    argument++;
    start = clause.end;
  }
  if (start < template.length) yield { tag: "text", text: template.slice(start) };
}

function wrongClause(message: string): Clause {
  return { tag: "mistake", message };
}

interface Parsed {
  readonly verb: string;
  readonly precision: number | undefined;
  readonly end: number;
}

/** Parses a clause after its percent sign. Returns the error as text. */
function parseClause(template: string, from: number): Parsed | string {
  let at = from, precision: number | undefined;
  if (template[at] === ".") {
    at++;
    while (template.charCodeAt(at) >= 0x30 && template.charCodeAt(at) <= 0x39) at++;
    if (at === template.length) return "error while parsing precision: could not find end of precision specifier";
    const digits = template.slice(from + 1, at);
    const why = digits === "" ? "invalid syntax" : isTooLarge(digits) ? "value out of range" : undefined;
    if (why !== undefined) {
      return `error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "${digits}": ${why}`;
    }
    precision = Number(digits);
  }
  const verb = template[at]!;
  if ("sdfebxXo".includes(verb)) return { verb, precision, end: at + 1 };
  return `unrecognized formatting clause "${firstByte(template.codePointAt(at)!)}"`;
}

function isTooLarge(digits: string): boolean {
  const significant = digits.replace(/^0+/, "");
  return significant.length > 19 || BigInt(significant) > intMax;
}

/** Returns the first byte of a character in UTF-8, as the character with that number. */
function firstByte(point: number): string {
  if (point < 0x80) return String.fromCharCode(point);
  return String.fromCharCode(point < 0x800 ? 0xc0 | point >> 6 : point < 0x10000 ? 0xe0 | point >> 12 : 0xf0 | point >> 18);
}
