/** Operands: names, calls, selections, indices and what is in parentheses. */
import { type Expr, operators } from "../ast.ts";
import { expected } from "./expected.ts";
import { LiteralRules } from "./literal-rules.ts";
import { reserved } from "./rules.ts";
import type { TokenSet } from "./tokens.ts";

export abstract class MemberRules extends LiteralRules {
  protected member(): Expr {
    const tokens = this.tokens;
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
    const height = this.height;
    const dot = this.tokens.take();
    const optional = this.tokens.peek() === "?";
    if (optional) this.tokens.take();
    const start = this.tokens.token();
    const name = this.name(expected.member);
    return this.higher(height, () => {
      const field = name === undefined ? this.fieldMistake(start, "unsupported ident kind") : this.fieldName(name);
      if (!optional) return { tag: "select", id: this.idAt(dot), operand, field, testOnly: false };
      if (!this.optionalSyntax) return this.mistake(dot, "unsupported syntax '.?'");
      const fieldNode = this.build.constant(this.tokens.position(start), field);
      return { tag: "call", id: this.idAt(dot), target: undefined, function: operators.optionalSelect, args: [operand, fieldNode] };
    });
  }

  #memberCall(target: Expr): Expr {
    const height = this.height;
    this.tokens.take();
    const name = this.tokens.textOf(this.tokens.take());
    const open = this.tokens.take();
    const id = this.idAt(open);
    const args = this.#arguments();
    return this.higher(Math.max(height, this.height), () => this.build.call(id, name, target, args));
  }

  #index(operand: Expr): Expr {
    const tokens = this.tokens;
    const height = this.height;
    const open = tokens.take();
    const id = this.idAt(open);
    let optional = false, index: Expr;
    const mismatch = tokens.sync(expected.optional, "block");
    if (mismatch !== undefined) index = this.abort(mismatch, expected.optional, this.hole());
    else {
      optional = tokens.peek() === "?";
      if (optional) tokens.take();
      index = this.expr(expected.closeBracket);
      this.close("]", expected.closeBracket, expected.member);
    }
    return this.higher(Math.max(height, this.height), () => {
      if (optional && !this.optionalSyntax) return this.mistake(open, "unsupported syntax '[?'");
      return this.build.call(id, optional ? operators.optionalIndex : operators.index, undefined, [operand, index]);
    });
  }

  /** Arguments of a call behind its parenthesis, with the closing one. */
  #arguments(after: TokenSet = expected.member): readonly Expr[] {
    const tokens = this.tokens;
    this.height = 0;
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
        args.push(this.expr(expected.commaOrEnd));
        height = Math.max(height, this.height);
        if (tokens.peek() !== ",") break;
        tokens.take();
      }
      tokens.leave();
    }
    this.close(")", expected.closeParenthesis, after);
    this.height = height;
    return args;
  }

  #primary(follow: TokenSet): Expr {
    this.tokens.enter(follow);
    this.height = 0;
    const result = this.#primaryBody();
    this.tokens.leave();
    return result;
  }

  #primaryBody(): Expr {
    const tokens = this.tokens;
    const mismatch = tokens.sync(expected.primary, "block");
    if (mismatch !== undefined) return this.abort(mismatch, expected.primary, this.hole());
    switch (tokens.peek()) {
      case "(": {
        tokens.take();
        const inner = this.expr(expected.closeParenthesis);
        this.close(")", expected.closeParenthesis, expected.nothing);
        return inner;
      }
      case "[":
        return this.list();
      case "{":
        return this.map();
      case ".":
        if (tokens.peek(1) === "identifier") return this.#named(1);
        return this.abort(tokens.noAlternative(1), expected.primary, this.hole());
      case "identifier":
        return this.#named(0);
      default:
        if (expected.literal.kinds.has(tokens.peek())) return this.literal();
        return this.abort(tokens.noAlternative(0), expected.primary, this.hole());
    }
  }

  /** A variable, a call or a message. `dots`: whether a dot is before the name. */
  #named(dots: 0 | 1): Expr {
    const tokens = this.tokens;
    let ahead = dots + 1;
    if (tokens.peek(ahead) === "(") return this.#call(dots);
    while (tokens.peek(ahead) === "." && tokens.peek(ahead + 1) === "identifier") ahead += 2;
    if (tokens.peek(ahead) === "{") return this.message(ahead);
    const start = tokens.token();
    if (dots === 1) tokens.take();
    const token = tokens.take();
    const name = tokens.textOf(token);
    if (reserved.has(name)) return this.mistake(start, `reserved identifier: ${name}`);
    return { tag: "identifier", id: this.idAt(token), name: dots === 1 ? `.${name}` : name };
  }

  #call(dots: 0 | 1): Expr {
    const tokens = this.tokens;
    const start = tokens.token();
    if (dots === 1) tokens.take();
    const name = tokens.textOf(tokens.take());
    const open = tokens.take();
    const mark = this.build.issues.length;
    const id = this.idAt(open);
    const args = this.#arguments(expected.nothing);
    if (!reserved.has(name)) return this.build.call(id, dots === 1 ? `.${name}` : name, undefined, args);
    this.build.issues.length = mark; // arguments without a function name are not checked
    return this.mistake(start, `reserved identifier: ${name}`);
  }
}
