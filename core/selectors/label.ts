/**
 * Parses and matches label selectors such as `env=prod,tier in (a, b),!legacy,size>5`. Grammar and errors are those of apimachinery's
 * labels package. A selector is parsed once and evaluated for each label set.
 */
import { labelValue, qualifiedName } from "../meta/names.ts";
import { fieldErrorText, invalid } from "../field-error.ts";

/** How a requirement compares the value of a label. */
export type LabelOperator = "in" | "notin" | "=" | "==" | "!=" | "exists" | "!" | "gt" | "lt";
/** One requirement of a label selector. */
export interface LabelRequirement {
  /** The key of the label. */
  readonly key: string;
  /** How the values are compared. `exists` and `!` have no value, `in` and `notin` have several, the others have one. */
  readonly operator: LabelOperator;
  /** The values, without repetitions. Those of `gt` and `lt` are integers. */
  readonly values: readonly string[];
}
export type Labels = Readonly<Record<string, string>>;
/** The requirements of a label selector, or why it is invalid. */
export type ParsedLabelSelector =
  | { readonly ok: true; readonly requirements: readonly LabelRequirement[] }
  | { readonly ok: false; readonly error: string };

type TokenKind = "word" | "end" | "," | "(" | ")" | "!" | "=" | "==" | "!=" | ">" | "<" | "in" | "notin" | "error";
interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const comma = 0x2c, bang = 0x21, open = 0x28, close = 0x29, less = 0x3c, equals = 0x3d, greater = 0x3e;
/** Whether a UTF-16 unit is a symbol. Units are compared and not texts, because a selector may have hundreds of kilobytes. */
const isSymbol = (unit: number) =>
  unit === comma || unit === equals || unit === bang || unit === open || unit === close || unit === less || unit === greater;
const isBlank = (unit: number) => unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d;
const operators: Readonly<Record<string, TokenKind>> = {
  ")": ")",
  ",": ",",
  "!": "!",
  "==": "==",
  "=": "=",
  ">": ">",
  "in": "in",
  "<": "<",
  "!=": "!=",
  "notin": "notin",
  "(": "(",
};

/** As in upstream's lexer, NUL is the end of the text at the start of a token, and a separator at its end. */
function tokens(text: string): readonly Token[] {
  const out: Token[] = [];
  const past = (end: number) => text.charCodeAt(end) === 0 ? end + 1 : end;
  let at = 0;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit === 0) break;
    if (isBlank(unit)) {
      at++;
      continue;
    }
    let end = at + 1;
    if (isSymbol(unit)) {
      // The longest operator is taken.
      while (end < text.length && isSymbol(text.charCodeAt(end)) && Object.hasOwn(operators, text.slice(at, end + 1))) end++;
      const word = text.slice(at, end);
      out.push({ kind: operators[word]!, text: word });
    } else {
      for (; end < text.length; end++) {
        const next = text.charCodeAt(end);
        if (next === 0 || isBlank(next) || isSymbol(next)) break;
      }
      const word = text.slice(at, end);
      out.push({ kind: word === "in" || word === "notin" ? word : "word", text: word });
    }
    at = past(end);
  }
  return out;
}

class SelectorError extends Error {}

function sortedByKey(requirements: LabelRequirement[]): readonly LabelRequirement[] {
  return requirements.sort((a, b) => a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
}

/** Parses a selector to its requirements, sorted by key as upstream sorts them, or returns upstream's error. */
export function parseLabelSelector(text: string): ParsedLabelSelector {
  try {
    return { ok: true, requirements: sortedByKey(new Parser(tokens(text)).parse()) };
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    return { ok: false, error: error.message };
  }
}

const end: Token = { kind: "end", text: "" };

/** A parser by recursive descent, with one token of lookahead. `in` and `notin` are ordinary words where a value is expected. */
class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  constructor(list: readonly Token[]) {
    this.#tokens = list;
  }

  #look(values: boolean): Token {
    const token = this.#tokens[this.#at] ?? end;
    return values && (token.kind === "in" || token.kind === "notin") ? { kind: "word", text: token.text } : token;
  }
  #take(values: boolean): Token {
    const token = this.#look(values);
    if (this.#at < this.#tokens.length) this.#at++;
    return token;
  }

  parse(): LabelRequirement[] {
    const found: LabelRequirement[] = [];
    for (;;) {
      const token = this.#look(true);
      if (token.kind === "end") return found;
      if (token.kind !== "word" && token.kind !== "!") {
        throw new SelectorError(`found '${token.text}', expected: !, identifier, or 'end of string'`);
      }
      let requirement: LabelRequirement;
      try {
        requirement = this.#requirement();
      } catch (error) {
        if (error instanceof SelectorError) throw new SelectorError(`unable to parse requirement: ${error.message}`);
        throw error;
      }
      found.push(requirement);
      const next = this.#take(true);
      if (next.kind === "end") return found;
      if (next.kind !== ",") throw new SelectorError(`found '${next.text}', expected: ',' or 'end of string'`);
      const after = this.#look(true);
      if (after.kind !== "word" && after.kind !== "!") {
        throw new SelectorError(`found '${after.text}', expected: identifier after ','`);
      }
    }
  }

  #requirement(): LabelRequirement {
    let token = this.#take(true);
    let negated = false;
    if (token.kind === "!") {
      negated = true;
      token = this.#take(true);
    }
    if (token.kind !== "word") throw new SelectorError(`found '${token.text}', expected: identifier`);
    const key = token.text;
    const badKey = qualifiedName(key);
    if (badKey.length > 0) throw new SelectorError(fieldErrorText(invalid("<nil>", key, badKey.join("; "))));
    const next = this.#look(true);
    if (negated) return { key, operator: "!", values: [] };
    if (next.kind === "end" || next.kind === ",") return { key, operator: "exists", values: [] };
    const operator = this.#operator();
    const values = operator === "in" || operator === "notin" ? this.#values() : [this.#exactValue()];
    return requirementOf(key, operator, values);
  }

  #operator(): LabelOperator {
    const token = this.#take(false);
    switch (token.kind) {
      case "in":
      case "notin":
      case "=":
      case "==":
      case "!=":
        return token.kind;
      case ">":
        return "gt";
      case "<":
        return "lt";
      default:
        throw new SelectorError(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  #values(): readonly string[] {
    const open = this.#take(true);
    if (open.kind !== "(") throw new SelectorError(`found '${open.text}' expected: '('`);
    const token = this.#look(true);
    if (token.kind === "word" || token.kind === ",") {
      const words = this.#words();
      const close = this.#take(true);
      if (close.kind !== ")") throw new SelectorError(`found '${close.text}', expected: ')'`);
      return words;
    }
    if (token.kind === ")") {
      this.#take(true);
      return [""];
    }
    throw new SelectorError(`found '${token.text}', expected: ',', ')' or identifier`);
  }

  /** Reads the values up to the closing bracket, and sorts them. A comma that is first, last or after a comma gives an empty value. */
  #words(): readonly string[] {
    const words = new Set<string>();
    for (;;) {
      const token = this.#take(true);
      const next = this.#look(true);
      if (token.kind === "word") {
        words.add(token.text);
        if (next.kind !== "," && next.kind !== ")") throw new SelectorError(`found '${next.text}', expected: ',' or ')'`);
      } else if (token.kind === ",") {
        if (words.size === 0 || next.kind === "," || next.kind === ")") words.add("");
      } else {
        throw new SelectorError(`found '${token.text}', expected: ',', or identifier`);
      }
      if (next.kind === ")") return [...words].toSorted();
    }
  }

  #exactValue(): string {
    const token = this.#look(true);
    if (token.kind === "end" || token.kind === ",") return "";
    this.#take(true);
    if (token.kind !== "word") throw new SelectorError(`found '${token.text}', expected: identifier`);
    return token.text;
  }
}

function requirementOf(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
  const errors: string[] = [];
  if ((operator === "gt" || operator === "lt") && !values.every(isInteger)) {
    values.forEach((value, index) => {
      if (!isInteger(value)) {
        errors.push(fieldErrorText(invalid(`values[${index}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer")));
      }
    });
  }
  values.forEach((value, index) => {
    const bad = labelValue(value);
    if (bad.length > 0) errors.push(fieldErrorText(invalid(`values[${index}][${key}]`, value, bad.join("; "))));
  });
  if (errors.length > 0) throw new SelectorError(errors.length === 1 ? errors[0]! : `[${errors.join(", ")}]`);
  return { key, operator, values };
}

const int64Max = 2n ** 63n - 1n;
/** Whether strconv.ParseInt parses the text as a decimal int64. */
function isInteger(text: string): boolean {
  if (!/^[+-]?\d{1,40}$/.test(text)) return false;
  const value = BigInt(text.replace(/^\+/, ""));
  return value <= int64Max && value >= -int64Max - 1n;
}

/** Whether the labels satisfy all requirements. */
export function matchesLabels(requirements: readonly LabelRequirement[], labels: Labels | undefined): boolean {
  return requirements.every((requirement) => holds(requirement, labels ?? noLabels));
}
const noLabels: Labels = Object.freeze({});

function holds({ key, operator, values }: LabelRequirement, labels: Labels): boolean {
  const has = Object.hasOwn(labels, key);
  const value = has ? labels[key]! : "";
  switch (operator) {
    case "in":
    case "=":
    case "==":
      return has && values.includes(value);
    case "notin":
    case "!=":
      return !has || !values.includes(value);
    case "exists":
      return has;
    case "!":
      return !has;
    case "gt":
    case "lt": {
      if (!has || !isInteger(value)) return false;
      const left = BigInt(value.replace(/^\+/, "")), right = BigInt(values[0]!.replace(/^\+/, ""));
      return operator === "gt" ? left > right : left < right;
    }
  }
}
