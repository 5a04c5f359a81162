/**
 * The grammar of CEL as a recursive-descent parser. Each rule has the same places as in the published grammar: messages, and where the parser
 * continues after a mistake, depend on them (`recovery.ts`). The depth of recursion is bounded by `celNestingMax` for each rule.
 */
import { type Expr, operators } from "../ast.ts";
import { expected } from "./expected.ts";
import { MemberRules } from "./member-rules.ts";
import { isMismatch } from "./rules.ts";
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

export class Parser extends MemberRules {
  #expressions = 0;
  #relations = 0;
  #calculations = 0;

  /** The whole text. */
  start(): Expr {
    const expr = this.expr(expected.end);
    const end = this.tokens.match("end", expected.end, expected.end);
    if (isMismatch(end)) this.tokens.recover(end, expected.end);
    return expr;
  }

  protected override expr(follow: TokenSet): Expr {
    this.tokens.enter(follow);
    this.#expressions = this.deeper(this.#expressions);
    let result = this.#or(expected.questionOrEnd);
    if (this.tokens.peek() === "?") result = this.#conditional(result);
    this.#expressions--;
    this.tokens.leave();
    return result;
  }

  #conditional(condition: Expr): Expr {
    const id = this.idAt(this.tokens.take());
    let height = this.height;
    const yes = this.#or(expected.colon);
    height = Math.max(height, this.height);
    const colon = this.tokens.match(":", expected.colon, expected.unary);
    let no: Expr;
    if (isMismatch(colon)) {
      this.tokens.recover(colon, expected.colon);
      no = this.hole();
    } else no = this.expr(expected.nothing);
    return this.higher(Math.max(height, this.height), () => this.build.call(id, operators.conditional, undefined, [condition, yes, no]));
  }

  #or(follow: TokenSet): Expr {
    this.tokens.enter(follow);
    const first = this.#and(expected.or);
    let result = first;
    if (this.tokens.peek() === "||") {
      const terms = [first], ids: number[] = [];
      let height = this.height;
      while (this.tokens.peek() === "||") {
        const operator = this.tokens.take();
        terms.push(this.#and(expected.or));
        ids.push(this.idAt(operator));
        height = Math.max(height, this.height);
      }
      this.height = height;
      result = this.build.logic(operators.or, terms, ids);
    }
    this.tokens.leave();
    return result;
  }

  #and(follow: TokenSet): Expr {
    this.tokens.enter(follow);
    const first = this.#relation(expected.and, false);
    let result = first;
    if (this.tokens.peek() === "&&") {
      const terms = [first], ids: number[] = [];
      let height = this.height;
      while (this.tokens.peek() === "&&") {
        const operator = this.tokens.take();
        terms.push(this.#relation(expected.and, false));
        ids.push(this.idAt(operator));
        height = Math.max(height, this.height);
      }
      this.height = height;
      result = this.build.logic(operators.and, terms, ids);
    }
    this.tokens.leave();
    return result;
  }

  #relation(follow: TokenSet, operand: boolean): Expr {
    this.tokens.enter(follow);
    this.#relations = this.deeper(this.#relations);
    let left = this.#calc(expected.relation, 0);
    for (let name = relations[this.tokens.peek()]; !operand && name !== undefined; name = relations[this.tokens.peek()]) {
      const id = this.idAt(this.tokens.take());
      const height = this.height;
      const right = this.#relation(expected.relation, true);
      left = this.#binary(id, name, left, right, height);
    }
    this.#relations--;
    this.tokens.leave();
    return left;
  }

  /** `level`: 0 sums, 1 the right side of a sum, 2 the right side of a product. */
  #calc(follow: TokenSet, level: 0 | 1 | 2): Expr {
    this.tokens.enter(follow);
    this.#calculations = this.deeper(this.#calculations);
    let left = this.#unary(expected.calc);
    for (;;) {
      const kind = this.tokens.peek();
      const product = level < 2 ? products[kind] : undefined, sum = level < 1 ? sums[kind] : undefined;
      const name = product ?? sum;
      if (name === undefined) break;
      const id = this.idAt(this.tokens.take());
      const height = this.height;
      const right = this.#calc(expected.calc, product === undefined ? 1 : 2);
      left = this.#binary(id, name, left, right, height);
    }
    this.#calculations--;
    this.tokens.leave();
    return left;
  }

  #unary(follow: TokenSet): Expr {
    this.tokens.enter(follow);
    const result = this.#unaryBody();
    this.tokens.leave();
    return result;
  }

  #unaryBody(): Expr {
    const tokens = this.tokens;
    const mismatch = tokens.sync(expected.unary, "block");
    if (mismatch !== undefined) return this.abort(mismatch, expected.unary, this.hole());
    const kind = tokens.peek();
    if (kind === "!") return this.#nots();
    if (kind === "-") {
      const next = tokens.peek(1);
      if (next === "int" || next === "double") {
        // The text can be a negated number or a negative literal. The token after the number decides.
        if (tokens.fits(expected.member, 2)) return this.member();
        return this.abort(tokens.noAlternative(0), expected.unary, this.hole());
      }
      if (expected.primary.kinds.has(next)) return this.#negations();
      return this.abort(tokens.noAlternative(1), expected.unary, this.hole());
    }
    if (expected.primary.kinds.has(kind)) return this.member();
    return this.abort(tokens.noAlternative(0), expected.unary, this.hole());
  }

  #nots(): Expr {
    const first = this.tokens.token();
    let count = 0;
    while (this.tokens.peek() === "!") {
      this.tokens.take();
      count++;
      this.tokens.sync(expected.nots, "loop");
    }
    return this.#repeated(operators.not, first, count);
  }

  #negations(): Expr {
    const tokens = this.tokens;
    const first = tokens.take();
    for (let count = 1;; count++) {
      tokens.sync(expected.primary, "loop");
      const kind = tokens.peek();
      if (kind === "-" && !expected.primary.kinds.has(tokens.peek(1))) {
        return this.abort(tokens.noAlternative(1), expected.primary, this.hole());
      }
      if (kind !== "-") {
        if (expected.primary.kinds.has(kind)) return this.#repeated(operators.negate, first, count);
        return this.abort(tokens.noAlternative(0), expected.primary, this.hole());
      }
      tokens.take();
    }
  }

  /** Reads an operand after `count` equal operators, `!` or `-`. An even number of them has no effect. */
  #repeated(name: string, operator: Token, count: number): Expr {
    const id = count % 2 === 0 ? 0 : this.idAt(operator);
    const operand = this.member();
    return id === 0 ? operand : this.build.call(id, name, undefined, [operand]);
  }

  #binary(id: number, name: string, left: Expr, right: Expr, leftHeight: number): Expr {
    return this.higher(Math.max(leftHeight, this.height), () => this.build.call(id, name, undefined, [left, right]));
  }
}
