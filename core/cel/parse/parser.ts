/**
 * The grammar of CEL as a recursive-descent parser. Each rule has the same places as in the published grammar, because messages and going on
 * after a mistake depend on them (`recovery.ts`). The depth of recursion is bounded by `limits.celNestingMax` for each rule.
 */
import { limits } from "../../limits.ts";
import { type Expr, type MapEntry, operators, type StructEntry } from "../ast.ts";
import type { Builder } from "./builder.ts";
import { expected } from "./expected.ts";
import { bytesLiteral, doubleLiteral, intLiteral, type Literal, stringLiteral, uintLiteral } from "./literals.ts";
import type { Mismatch, Recovery } from "./recovery.ts";
import type { Token, TokenKind, TokenSet } from "./tokens.ts";

const relations: Partial<Record<TokenKind, string>> = {
  "<": operators.less,
  "<=": operators.lessEquals,
  ">": operators.greater,
  ">=": operators.greaterEquals,
  "==": operators.equals,
  "!=": operators.notEquals,
  in: operators.in,
};
const products: Partial<Record<TokenKind, string>> = { "*": operators.multiply, "/": operators.divide, "%": operators.modulo };
const sums: Partial<Record<TokenKind, string>> = { "+": operators.add, "-": operators.subtract };

/** Words that are no names of variables and functions. They may be names of fields. */
const reserved: ReadonlySet<string> = new Set(
  ("as break const continue else false for function if import in let loop package namespace null return true var void while").split(" "),
);

const isMismatch = (result: Token | Mismatch): result is Mismatch => !("kind" in result);

export class Parser {
  readonly #tokens: Recovery;
  readonly #build: Builder;
  readonly #optionalSyntax: boolean;
  #expressions = 0;
  #relations = 0;
  #calculations = 0;
  /** Nesting of operators, selections and member calls in the expression that was parsed last. */
  #height = 0;
  /** That nesting was too deep somewhere. */
  tooDeep = false;

  constructor(tokens: Recovery, build: Builder, optionalSyntax: boolean) {
    this.#tokens = tokens;
    this.#build = build;
    this.#optionalSyntax = optionalSyntax;
  }

  /** The whole text. */
  start(): Expr {
    const expr = this.#expr(expected.end);
    const end = this.#tokens.match("end", expected.end, expected.end);
    if (isMismatch(end)) this.#tokens.recover(end, expected.end);
    return expr;
  }

  #expr(follow: TokenSet): Expr {
    this.#tokens.enter(follow);
    this.#expressions = this.#deeper(this.#expressions);
    let result = this.#or(expected.questionOrEnd);
    if (this.#tokens.peek() === "?") result = this.#conditional(result);
    this.#expressions--;
    this.#tokens.leave();
    return result;
  }

  #conditional(condition: Expr): Expr {
    const id = this.#idAt(this.#tokens.take());
    let height = this.#height;
    const yes = this.#or(expected.colon);
    height = Math.max(height, this.#height);
    const colon = this.#tokens.match(":", expected.colon, expected.unary);
    let no: Expr;
    if (isMismatch(colon)) {
      this.#tokens.recover(colon, expected.colon);
      no = this.#hole();
    } else no = this.#expr(expected.nothing);
    return this.#higher(Math.max(height, this.#height), () => this.#build.call(id, operators.conditional, undefined, [condition, yes, no]));
  }

  #or(follow: TokenSet): Expr {
    this.#tokens.enter(follow);
    const first = this.#and(expected.or);
    let result = first;
    if (this.#tokens.peek() === "||") {
      const terms = [first], ids: number[] = [];
      let height = this.#height;
      while (this.#tokens.peek() === "||") {
        const operator = this.#tokens.take();
        terms.push(this.#and(expected.or));
        ids.push(this.#idAt(operator));
        height = Math.max(height, this.#height);
      }
      this.#height = height;
      result = this.#build.logic(operators.or, terms, ids);
    }
    this.#tokens.leave();
    return result;
  }

  #and(follow: TokenSet): Expr {
    this.#tokens.enter(follow);
    const first = this.#relation(expected.and, false);
    let result = first;
    if (this.#tokens.peek() === "&&") {
      const terms = [first], ids: number[] = [];
      let height = this.#height;
      while (this.#tokens.peek() === "&&") {
        const operator = this.#tokens.take();
        terms.push(this.#relation(expected.and, false));
        ids.push(this.#idAt(operator));
        height = Math.max(height, this.#height);
      }
      this.#height = height;
      result = this.#build.logic(operators.and, terms, ids);
    }
    this.#tokens.leave();
    return result;
  }

  #relation(follow: TokenSet, operand: boolean): Expr {
    this.#tokens.enter(follow);
    this.#relations = this.#deeper(this.#relations);
    let left = this.#calc(expected.relation, 0);
    for (let name = relations[this.#tokens.peek()]; !operand && name !== undefined; name = relations[this.#tokens.peek()]) {
      const id = this.#idAt(this.#tokens.take());
      const height = this.#height;
      const right = this.#relation(expected.relation, true);
      left = this.#binary(id, name, left, right, height);
    }
    this.#relations--;
    this.#tokens.leave();
    return left;
  }

  /** `level`: 0 sums, 1 the right side of a sum, 2 the right side of a product. */
  #calc(follow: TokenSet, level: 0 | 1 | 2): Expr {
    this.#tokens.enter(follow);
    this.#calculations = this.#deeper(this.#calculations);
    let left = this.#unary(expected.calc);
    for (;;) {
      const kind = this.#tokens.peek();
      const product = level < 2 ? products[kind] : undefined, sum = level < 1 ? sums[kind] : undefined;
      const name = product ?? sum;
      if (name === undefined) break;
      const id = this.#idAt(this.#tokens.take());
      const height = this.#height;
      const right = this.#calc(expected.calc, product === undefined ? 1 : 2);
      left = this.#binary(id, name, left, right, height);
    }
    this.#calculations--;
    this.#tokens.leave();
    return left;
  }

  #unary(follow: TokenSet): Expr {
    this.#tokens.enter(follow);
    const result = this.#unaryBody();
    this.#tokens.leave();
    return result;
  }

  #unaryBody(): Expr {
    const tokens = this.#tokens;
    const mismatch = tokens.sync(expected.unary, "block");
    if (mismatch !== undefined) return this.#abort(mismatch, expected.unary, this.#hole());
    const kind = tokens.peek();
    if (kind === "!") return this.#nots();
    if (kind === "-") {
      const next = tokens.peek(1);
      if (next === "int" || next === "double") {
        // Both a negated number and a negative literal fit, and stay possible until the token behind is known.
        if (tokens.fits(expected.member, 2)) return this.#member();
        return this.#abort(tokens.noAlternative(0), expected.unary, this.#hole());
      }
      if (expected.primary.kinds.has(next)) return this.#negations();
      return this.#abort(tokens.noAlternative(1), expected.unary, this.#hole());
    }
    if (expected.primary.kinds.has(kind)) return this.#member();
    return this.#abort(tokens.noAlternative(0), expected.unary, this.#hole());
  }

  #nots(): Expr {
    const first = this.#tokens.token();
    let count = 0;
    while (this.#tokens.peek() === "!") {
      this.#tokens.take();
      count++;
      this.#tokens.sync(expected.nots, "loop");
    }
    return this.#repeated(operators.not, first, count);
  }

  #negations(): Expr {
    const tokens = this.#tokens;
    const first = tokens.take();
    for (let count = 1;; count++) {
      tokens.sync(expected.primary, "loop");
      const kind = tokens.peek();
      if (kind === "-" && !expected.primary.kinds.has(tokens.peek(1))) {
        return this.#abort(tokens.noAlternative(1), expected.primary, this.#hole());
      }
      if (kind !== "-") {
        if (expected.primary.kinds.has(kind)) return this.#repeated(operators.negate, first, count);
        return this.#abort(tokens.noAlternative(0), expected.primary, this.#hole());
      }
      tokens.take();
    }
  }

  /** An operand behind a number of equal operators: two of them cancel out. */
  #repeated(name: string, operator: Token, count: number): Expr {
    const id = count % 2 === 0 ? 0 : this.#idAt(operator);
    const operand = this.#member();
    return id === 0 ? operand : this.#build.call(id, name, undefined, [operand]);
  }

  #member(): Expr {
    const tokens = this.#tokens;
    tokens.enter(expected.nothing);
    let left = this.#primary(expected.member);
    for (;;) {
      const kind = tokens.peek();
      if (kind === "[") left = this.#index(left);
      else if (kind !== ".") break;
      else {
        const next = tokens.peek(1);
        if (next === "identifier" && tokens.peek(2) === "(") left = this.#memberCall(left);
        else if (next === "identifier" || next === "escaped" || next === "?") left = this.#select(left);
        else {
          tokens.recover(tokens.noAlternative(1), expected.memberStart);
          break;
        }
      }
    }
    tokens.leave();
    return left;
  }

  #select(operand: Expr): Expr {
    const height = this.#height;
    const dot = this.#tokens.take();
    const optional = this.#tokens.peek() === "?";
    if (optional) this.#tokens.take();
    const start = this.#tokens.token();
    const name = this.#name(expected.member);
    return this.#higher(height, () => {
      const field = name === undefined ? this.#fieldMistake(start, "unsupported ident kind") : this.#fieldName(name);
      if (!optional) return { tag: "select", id: this.#idAt(dot), operand, field, testOnly: false };
      if (!this.#optionalSyntax) return this.#mistake(dot, "unsupported syntax '.?'");
      const fieldNode = this.#build.constant(this.#tokens.position(start), field);
      return { tag: "call", id: this.#idAt(dot), target: undefined, function: operators.optionalSelect, args: [operand, fieldNode] };
    });
  }

  #memberCall(target: Expr): Expr {
    const height = this.#height;
    this.#tokens.take();
    const name = this.#tokens.textOf(this.#tokens.take());
    const open = this.#tokens.take();
    const id = this.#idAt(open);
    const args = this.#arguments();
    return this.#higher(Math.max(height, this.#height), () => this.#build.call(id, name, target, args));
  }

  #index(operand: Expr): Expr {
    const tokens = this.#tokens;
    const height = this.#height;
    const open = tokens.take();
    const id = this.#idAt(open);
    let optional = false, index: Expr;
    const mismatch = tokens.sync(expected.optional, "block");
    if (mismatch !== undefined) index = this.#abort(mismatch, expected.optional, this.#hole());
    else {
      optional = tokens.peek() === "?";
      if (optional) tokens.take();
      index = this.#expr(expected.closeBracket);
      this.#close("]", expected.closeBracket, expected.member);
    }
    return this.#higher(Math.max(height, this.#height), () => {
      if (optional && !this.#optionalSyntax) return this.#mistake(open, "unsupported syntax '[?'");
      return this.#build.call(id, optional ? operators.optionalIndex : operators.index, undefined, [operand, index]);
    });
  }

  /** Arguments of a call behind its parenthesis, with the closing one. */
  #arguments(after: TokenSet = expected.member): readonly Expr[] {
    const tokens = this.#tokens;
    this.#height = 0;
    const args: Expr[] = [];
    const mismatch = tokens.sync(expected.arguments, "block");
    if (mismatch !== undefined) {
      tokens.recover(mismatch, expected.arguments);
      return args;
    }
    let height = 0;
    if (expected.unary.kinds.has(tokens.peek())) {
      tokens.enter(expected.closeParenthesis);
      for (;;) {
        args.push(this.#expr(expected.commaOrEnd));
        height = Math.max(height, this.#height);
        if (tokens.peek() !== ",") break;
        tokens.take();
      }
      tokens.leave();
    }
    this.#close(")", expected.closeParenthesis, after);
    this.#height = height;
    return args;
  }

  #primary(follow: TokenSet): Expr {
    this.#tokens.enter(follow);
    this.#height = 0;
    const result = this.#primaryBody();
    this.#tokens.leave();
    return result;
  }

  #primaryBody(): Expr {
    const tokens = this.#tokens;
    const mismatch = tokens.sync(expected.primary, "block");
    if (mismatch !== undefined) return this.#abort(mismatch, expected.primary, this.#hole());
    switch (tokens.peek()) {
      case "(": {
        tokens.take();
        const inner = this.#expr(expected.closeParenthesis);
        this.#close(")", expected.closeParenthesis, expected.nothing);
        return inner;
      }
      case "[":
        return this.#list();
      case "{":
        return this.#map();
      case ".":
        if (tokens.peek(1) === "identifier") return this.#named(1);
        return this.#abort(tokens.noAlternative(1), expected.primary, this.#hole());
      case "identifier":
        return this.#named(0);
      default:
        if (expected.literal.kinds.has(tokens.peek())) return this.#literal();
        return this.#abort(tokens.noAlternative(0), expected.primary, this.#hole());
    }
  }

  /** A variable, a call or a message. `dots`: whether a dot is before the name. */
  #named(dots: 0 | 1): Expr {
    const tokens = this.#tokens;
    let ahead = dots + 1;
    if (tokens.peek(ahead) === "(") return this.#call(dots);
    while (tokens.peek(ahead) === "." && tokens.peek(ahead + 1) === "identifier") ahead += 2;
    if (tokens.peek(ahead) === "{") return this.#message(ahead);
    const start = tokens.token();
    if (dots === 1) tokens.take();
    const token = tokens.take();
    const name = tokens.textOf(token);
    if (reserved.has(name)) return this.#mistake(start, `reserved identifier: ${name}`);
    return { tag: "identifier", id: this.#idAt(token), name: dots === 1 ? `.${name}` : name };
  }

  #call(dots: 0 | 1): Expr {
    const tokens = this.#tokens;
    const start = tokens.token();
    if (dots === 1) tokens.take();
    const name = tokens.textOf(tokens.take());
    const open = tokens.take();
    const mark = this.#build.issues.length;
    const id = this.#idAt(open);
    const args = this.#arguments(expected.nothing);
    if (!reserved.has(name)) return this.#build.call(id, dots === 1 ? `.${name}` : name, undefined, args);
    this.#build.issues.length = mark; // arguments of a call that is none are not looked at
    return this.#mistake(start, `reserved identifier: ${name}`);
  }

  #list(): Expr {
    const tokens = this.#tokens;
    const id = this.#idAt(tokens.take());
    const elements: Expr[] = [], optional: number[] = [];
    const done = (): Expr => ({ tag: "list", id, elements, optional });
    const mismatch = tokens.sync(expected.list, "block");
    if (mismatch !== undefined) return this.#abort(mismatch, expected.list, done());
    if (expected.optional.kinds.has(tokens.peek())) {
      tokens.enter(expected.listEnd);
      let height = 0;
      do {
        if (elements.length > 0) tokens.take();
        const element = this.#optionalExpr(expected.commaOrEnd);
        if (element.mark !== undefined) {
          if (this.#optionalSyntax) optional.push(elements.length);
          else this.#mistake(element.mark, "unsupported syntax '?'");
        }
        elements.push(element.expr);
        height = Math.max(height, this.#height);
      } while (tokens.peek() === "," && expected.optional.kinds.has(tokens.peek(1)));
      tokens.leave();
      this.#height = height;
    }
    this.#closeLiteral("]", expected.listEnd, expected.closeBracket);
    return done();
  }

  #map(): Expr {
    const tokens = this.#tokens;
    const id = this.#idAt(tokens.take());
    const entries: MapEntry[] = [];
    const done = (): Expr => ({ tag: "map", id, entries });
    const mismatch = tokens.sync(expected.map, "block");
    if (mismatch !== undefined) return this.#abort(mismatch, expected.map, done());
    if (expected.optional.kinds.has(tokens.peek())) {
      tokens.enter(expected.mapEnd);
      let height = 0, goesOn = true;
      while (goesOn) {
        if (entries.length > 0) tokens.take();
        const mark = this.#build.issues.length;
        const key = this.#optionalExpr(expected.colon);
        height = Math.max(height, this.#height);
        const value = this.#entryValue(mark);
        if (value === undefined) break;
        height = Math.max(height, this.#height);
        if (key.mark !== undefined && !this.#optionalSyntax) this.#mistake(key.mark, "unsupported syntax '?'");
        entries.push({ id: value.id, key: key.expr, value: value.expr, optional: key.mark !== undefined });
        goesOn = tokens.peek() === "," && expected.optional.kinds.has(tokens.peek(1));
      }
      tokens.leave();
      this.#height = height;
    }
    this.#closeLiteral("}", expected.mapEnd, expected.closeBrace);
    return done();
  }

  #message(length: number): Expr {
    const tokens = this.#tokens;
    let type = "";
    for (let left = length; left > 0; left--) type += tokens.textOf(tokens.take());
    const id = this.#idAt(tokens.take());
    const entries: StructEntry[] = [];
    const done = (): Expr => ({ tag: "struct", id, type, entries });
    const mismatch = tokens.sync(expected.fields, "block");
    if (mismatch !== undefined) return this.#abort(mismatch, expected.fields, done());
    if (expected.optionalName.kinds.has(tokens.peek())) {
      tokens.enter(expected.mapEnd);
      let height = 0, goesOn = true;
      while (goesOn) {
        if (entries.length > 0) tokens.take();
        const start = tokens.token();
        const mark = this.#build.issues.length;
        const field = this.#optionalField();
        const value = this.#entryValue(mark);
        if (value === undefined) break;
        height = Math.max(height, this.#height);
        if (field.optional && !this.#optionalSyntax) this.#mistake(start, "unsupported syntax '?'");
        const name = field.name === undefined ? this.#fieldMistake(start, "unsupported ident kind") : this.#fieldName(field.name);
        entries.push({ id: value.id, field: name, value: value.expr, optional: field.optional });
        goesOn = tokens.peek() === "," && expected.optionalName.kinds.has(tokens.peek(1));
      }
      tokens.leave();
      this.#height = height;
    }
    this.#closeLiteral("}", expected.mapEnd, expected.closeBrace);
    return done();
  }

  #optionalField(): { readonly name: Token | undefined; readonly optional: boolean } {
    const tokens = this.#tokens;
    tokens.enter(expected.colon);
    const mismatch = tokens.sync(expected.optionalName, "block");
    let optional = false, name: Token | undefined;
    if (mismatch !== undefined) tokens.recover(mismatch, expected.optionalName);
    else {
      optional = tokens.peek() === "?";
      if (optional) tokens.take();
      name = this.#name(expected.nothing);
    }
    tokens.leave();
    return { name, optional };
  }

  /** The colon and the value of an entry; undefined without a colon: then what was found in its key since `mark` does not count. */
  #entryValue(mark: number): { readonly id: number; readonly expr: Expr } | undefined {
    const colon = this.#tokens.match(":", expected.colon, expected.unary);
    if (isMismatch(colon)) {
      this.#build.issues.length = mark;
      this.#tokens.recover(colon, expected.colon);
      return undefined;
    }
    const id = this.#idAt(colon);
    return { id, expr: this.#expr(expected.commaOrEnd) };
  }

  #optionalExpr(follow: TokenSet): { readonly expr: Expr; readonly mark: Token | undefined } {
    const tokens = this.#tokens;
    tokens.enter(follow);
    const mismatch = tokens.sync(expected.optional, "block");
    let expr: Expr, mark: Token | undefined;
    if (mismatch !== undefined) expr = this.#abort(mismatch, expected.optional, this.#hole());
    else {
      if (tokens.peek() === "?") mark = tokens.take();
      expr = this.#expr(expected.nothing);
    }
    tokens.leave();
    return { expr, mark };
  }

  /** The name of a field. */
  #name(follow: TokenSet): Token | undefined {
    const tokens = this.#tokens;
    tokens.enter(follow);
    let name: Token | undefined;
    const mismatch = tokens.sync(expected.name, "block");
    if (mismatch !== undefined) tokens.recover(mismatch, expected.name);
    else if (expected.name.kinds.has(tokens.peek())) name = tokens.take();
    else tokens.recover(tokens.noAlternative(0), expected.name);
    tokens.leave();
    return name;
  }

  #fieldName(token: Token): string {
    if (token.kind === "escaped") return this.#fieldMistake(token, "unsupported syntax: '`'");
    return this.#tokens.textOf(token);
  }
  #fieldMistake(token: Token, message: string): string {
    this.#mistake(token, message);
    return "";
  }

  #literal(): Expr {
    const tokens = this.#tokens;
    const start = tokens.token();
    let sign = "";
    if (start.kind === "-") {
      if (tokens.peek(1) !== "int" && tokens.peek(1) !== "double") {
        tokens.enter(expected.nothing);
        const hole = this.#abort(tokens.noAlternative(1), expected.literal, this.#hole());
        tokens.leave();
        return hole;
      }
      sign = tokens.textOf(tokens.take());
    }
    const token = tokens.take();
    const literal = valueOf(token.kind, sign + tokens.textOf(token));
    if ("mistake" in literal) return this.#mistake(start, literal.mistake);
    return this.#build.constant(tokens.position(start), literal.value);
  }

  /** The closing token. */
  #close(kind: TokenKind, set: TokenSet, after: TokenSet): boolean {
    const token = this.#tokens.match(kind, set, after);
    if (!isMismatch(token)) return true;
    this.#tokens.recover(token, set);
    return false;
  }
  /** The closing token of a literal, with a comma before it. */
  #closeLiteral(kind: TokenKind, before: TokenSet, set: TokenSet): void {
    const mismatch = this.#tokens.sync(before, "block");
    if (mismatch !== undefined) {
      this.#tokens.recover(mismatch, before);
      return;
    }
    if (this.#tokens.peek() === ",") this.#tokens.take();
    this.#close(kind, set, expected.nothing);
  }

  #binary(id: number, name: string, left: Expr, right: Expr, leftHeight: number): Expr {
    return this.#higher(Math.max(leftHeight, this.#height), () => this.#build.call(id, name, undefined, [left, right]));
  }

  /** Makes an expression that nests others of a height. */
  #higher(height: number, make: () => Expr): Expr {
    if (height >= limits.celNestingMax) {
      this.tooDeep = true;
      return this.#hole();
    }
    this.#height = height + 1;
    return make();
  }
  #deeper(depth: number): number {
    if (depth >= limits.celNestingMax) this.#tokens.abandon(`expression recursion limit exceeded: ${limits.celNestingMax}`);
    return depth + 1;
  }

  #abort(mismatch: Mismatch, state: TokenSet, partial: Expr): Expr {
    this.#tokens.recover(mismatch, state);
    return partial;
  }
  #hole(): Expr {
    this.#height = 0;
    return this.#build.constant(-1, null);
  }
  #mistake(at: Token, message: string): Expr {
    return this.#build.fail(this.#tokens.position(at), message);
  }
  #idAt(token: Token): number {
    return this.#build.id(this.#tokens.position(token));
  }
}

function valueOf(kind: TokenKind, text: string): Literal {
  switch (kind) {
    case "int":
      return intLiteral(text);
    case "uint":
      return uintLiteral(text);
    case "double":
      return doubleLiteral(text);
    case "string":
      return stringLiteral(text);
    case "bytes":
      return bytesLiteral(text.slice(1));
    case "true":
    case "false":
      return { value: kind === "true" };
    default:
      return { value: null };
  }
}
