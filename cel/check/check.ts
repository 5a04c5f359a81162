/** Checks types and resolves names of a parsed expression, with the rules and messages of cel-go 0.26 (`checker/checker.go`). */
import {
  type Ast,
  type Call,
  type Comprehension,
  type Constant,
  type Expr,
  type Identifier,
  type Issue,
  type ListLiteral,
  type MapLiteral,
  operators,
  type Select,
  type StructLiteral,
} from "../ast.ts";
import type { CheckedAst, Environment, FunctionDeclaration, Overload, Reference } from "../declarations.ts";
import {
  boolType,
  bytesType,
  doubleType,
  dynType,
  errorType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  type ParameterType,
  parameterType,
  stringType,
  type Type,
  uintType,
} from "../types.ts";
import { messageOf } from "../messages.ts";
import { Uint } from "../values.ts";
import { TooLarge, TypeSizes } from "./bounds.ts";
import { renameCalls } from "./renamed.ts";
import { Scope } from "./scope.ts";
import { isDyn, isDynOrError, mostGeneral, sameType, Substitutions } from "./substitutions.ts";
import { signatureText, typeText } from "./type-text.ts";

/** The checked expression, or all of its mistakes in the order in which they were found. */
export type CheckResult =
  | { readonly ok: true; readonly checked: CheckedAst }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** Checks an expression. */
export function check(ast: Ast, environment: Environment): CheckResult {
  try {
    return new Checker(ast, environment).run();
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    return { ok: false, issues: [{ message: error.message, position: -1 }] };
  }
}

class Checker {
  readonly #ast: Ast;
  readonly #environment: Environment;
  readonly #types = new Map<number, Type>();
  readonly #references = new Map<number, Reference>();
  readonly #names = new Map<number, string>();
  readonly #issues: Issue[] = [];
  readonly #substitutions = new Substitutions();
  readonly #sizes = new TypeSizes();
  #variables = 0;

  constructor(ast: Ast, environment: Environment) {
    this.#ast = ast;
    this.#environment = environment;
  }

  run(): CheckResult {
    const { expr } = this.#ast;
    const outputType = this.#substitutions.resolve(this.#check(expr, new Scope(this.#environment)), true);
    if (this.#issues.length > 0) return { ok: false, issues: this.#issues };
    for (const [id, type] of this.#types) this.#types.set(id, this.#substitutions.resolve(type, true));
    const checked = { ...this.#ast, expr: renameCalls(expr, this.#names), types: this.#types, references: this.#references, outputType };
    return { ok: true, checked };
  }

  /** Checks a node and records its type. */
  #check(expr: Expr, scope: Scope): Type {
    const type = this.#typeOf(expr, scope);
    this.#sizes.bound(type);
    this.#types.set(expr.id, type);
    return type;
  }

  #typeOf(expr: Expr, scope: Scope): Type {
    switch (expr.tag) {
      case "constant":
        return typeOfConstant(expr);
      case "identifier":
        return this.#identifier(expr, scope);
      case "select":
        return this.#select(expr, scope);
      case "call":
        return this.#call(expr, scope);
      case "list":
        return this.#list(expr, scope);
      case "map":
        return this.#map(expr, scope);
      case "struct":
        return this.#struct(expr, scope);
      case "comprehension":
        return this.#comprehension(expr, scope);
    }
  }

  #report(id: number, message: string): Type {
    this.#issues.push({ message, position: this.#ast.positions.get(id) ?? -1 });
    return errorType;
  }
  #undeclared(id: number, name: string, scope: Scope): Type {
    return this.#report(id, `undeclared reference to '${name}' (in container '${scope.container}')`);
  }
  #mismatch(id: number, expected: Type, found: Type): void {
    this.#report(id, `expected type '${this.#text(expected)}' but found '${this.#text(found)}'`);
  }
  #text(type: Type): string {
    return typeText(type);
  }

  #identifier({ id, name }: Identifier, scope: Scope): Type {
    const known = scope.name(name);
    if (known === undefined) return this.#undeclared(id, name, scope);
    this.#references.set(id, known.reference);
    return known.type;
  }

  #select(expr: Select, scope: Scope): Type {
    const name = qualifiedName(expr);
    const known = name === undefined ? undefined : scope.name(name);
    if (known !== undefined) {
      this.#references.set(expr.id, known.reference);
      return known.type;
    }
    const type = this.#field(expr.id, expr.operand, expr.field, false, scope);
    return expr.testOnly ? boolType : this.#substitutions.resolve(type, false);
  }

  /** Checks `operand.?field`; the field is a constant argument. */
  #optionalSelect({ id, target, args }: Call, scope: Scope): Type {
    const [operand, field] = args;
    if (target !== undefined || args.length !== 2 || operand === undefined || field === undefined) {
      const how = target === undefined ? "" : " member call with";
      return this.#report(id, `unsupported optional field selection: incorrect signature.${how} argument count: ${args.length}`);
    }
    if (field.tag !== "constant" || typeof field.value !== "string") {
      return this.#report(field.id, "unsupported optional field selection");
    }
    const type = this.#field(id, operand, field.value, true, scope);
    this.#references.set(id, { tag: "function", overloads: ["select_optional_field"] });
    return this.#substitutions.resolve(type, false);
  }

  #field(id: number, operand: Expr, field: string, optional: boolean, scope: Scope): Type {
    const operandType = this.#substitutions.resolve(this.#check(operand, scope), false);
    const inner = optionalOf(operandType), target = inner ?? operandType;
    const type = this.#fieldOf(id, target, field);
    return inner !== undefined || optional ? optionalType(type) : type;
  }

  #fieldOf(id: number, target: Type, field: string): Type {
    switch (target.tag) {
      case "map":
        return target.value;
      case "object":
        return this.#fieldType(id, target.name, field);
      case "parameter":
        // Nothing is known of the operand, so it becomes dyn.
        this.#substitutions.isAssignable(dynType, target);
        return dynType;
      default:
        if (!isDynOrError(target)) this.#report(id, `type '${this.#text(target)}' does not support field selection`);
        return dynType;
    }
  }

  #fieldType(id: number, type: string, field: string): Type {
    const { types } = this.#environment;
    if (!types.hasType(type)) return this.#report(id, `unexpected failed resolution of '${type}'`);
    return types.field(type, field)?.type ?? this.#report(id, `undefined field '${field}'`);
  }

  #call(call: Call, scope: Scope): Type {
    if (call.function === operators.optionalSelect) return this.#optionalSelect(call, scope);
    const { id, target, args } = call;
    const types = args.map((arg) => this.#check(arg, scope));
    if (target === undefined) {
      const declaration = scope.function(call.function);
      if (declaration === undefined) return this.#undeclared(id, call.function, scope);
      return this.#resolve(call, declaration, undefined, types);
    }
    // `a.b.c()` is the function `a.b.c`, or the member `c` of `a.b`.
    const prefix = qualifiedName(target);
    const namespaced = prefix === undefined ? undefined : scope.function(`${prefix}.${call.function}`);
    if (namespaced !== undefined) {
      this.#names.set(id, namespaced.name);
      return this.#resolve(call, namespaced, undefined, types);
    }
    const receiver = this.#check(target, scope);
    const declaration = scope.function(call.function);
    return declaration === undefined ? this.#undeclared(id, call.function, scope) : this.#resolve(call, declaration, receiver, types);
  }

  #resolve(call: Call, declaration: FunctionDeclaration, receiver: Type | undefined, args: readonly Type[]): Type {
    if (receiver === undefined && declaration.name !== call.function) this.#names.set(call.id, declaration.name);
    const isLogical = declaration.name === operators.and || declaration.name === operators.or;
    if (isLogical) return this.#logical(call, declaration, args);
    const given = receiver === undefined ? args : [receiver, ...args];
    const overloads: string[] = [];
    let result: Type | undefined;
    for (const overload of declaration.overloads) {
      if (overload.member !== (receiver !== undefined)) continue;
      const fresh = this.#instantiated(overload);
      if (!this.#substitutions.areAssignable(given, fresh.args)) continue;
      overloads.push(overload.id);
      const type = this.#substitutions.resolve(fresh.result, false);
      if (result === undefined) result = type;
      else if (!isDyn(result) && !sameType(type, result)) result = dynType;
    }
    if (result === undefined) {
      const shown = signatureText(given.map((type) => this.#substitutions.resolve(type, true)), receiver !== undefined);
      return this.#report(call.id, `found no matching overload for '${declaration.name}' applied to '${shown}'`);
    }
    this.#references.set(call.id, { tag: "function", overloads });
    return result;
  }

  /** `&&` and `||` take any number of operands. */
  #logical(call: Call, { overloads }: FunctionDeclaration, args: readonly Type[]): Type {
    let wrong = false;
    args.forEach((type, index) => {
      if (this.#substitutions.isAssignable(type, boolType)) return;
      this.#mismatch(call.args[index]!.id, boolType, type);
      wrong = true;
    });
    if (wrong) return errorType;
    this.#references.set(call.id, { tag: "function", overloads: [overloads[0]!.id] });
    return boolType;
  }

  /** Returns the overload with type parameters of its own. */
  #instantiated({ args, result }: Overload): { readonly args: readonly Type[]; readonly result: Type } {
    const own = new Map<string, ParameterType>();
    const fresh = (type: Type): Type =>
      replaceParameters(type, (name) => {
        const known = own.get(name) ?? this.#variable();
        own.set(name, known);
        return known;
      });
    return { args: args.map(fresh), result: fresh(result) };
  }

  #variable(): ParameterType {
    return parameterType(`_var${this.#variables++}`);
  }

  #list({ elements, optional }: ListLiteral, scope: Scope): Type {
    let of: Type | undefined;
    const isOptional = new Set(optional);
    elements.forEach((element, index) => {
      const type = this.#element(element, isOptional.has(index), scope);
      of = this.#joined(element.id, of, type);
    });
    return listType(of ?? this.#variable());
  }

  #map({ entries }: MapLiteral, scope: Scope): Type {
    let key: Type | undefined, value: Type | undefined;
    for (const entry of entries) {
      key = this.#joined(entry.key.id, key, this.#check(entry.key, scope));
      value = this.#joined(entry.value.id, value, this.#element(entry.value, entry.optional, scope));
    }
    return mapType(key ?? this.#variable(), value ?? this.#variable());
  }

  /** Checks an element and returns its type; for an optional element, the type of its value. */
  #element(expr: Expr, optional: boolean, scope: Scope): Type {
    const type = this.#check(expr, scope);
    if (!optional) return type;
    const inner = optionalOf(type);
    if (inner === undefined && !isDyn(type)) this.#mismatch(expr.id, optionalType(type), type);
    return inner ?? type;
  }

  #joined(id: number, before: Type | undefined, type: Type): Type {
    if (before === undefined) return type;
    if (this.#substitutions.isAssignable(before, type)) return mostGeneral(before, type);
    if (!this.#environment.homogeneousLiterals) return dynType;
    this.#mismatch(id, before, type);
    return errorType;
  }

  #struct(expr: StructLiteral, scope: Scope): Type {
    const known = scope.name(expr.type);
    if (known === undefined) return this.#undeclared(expr.id, expr.type, scope);
    const message = messageOf(expr.type);
    const type = message?.type ?? this.#constructed(expr, known.type);
    this.#references.set(expr.id, known.reference);
    for (const { id, field, value, optional } of expr.entries) {
      const valueType = this.#element(value, optional, scope);
      const fieldType = message === undefined
        ? type.tag === "object" ? this.#fieldType(id, type.name, field) : errorType
        : message.fields.get(field) ?? this.#report(id, `undefined field '${field}'`);
      if (!this.#substitutions.isAssignable(fieldType, valueType)) {
        this.#report(
          id,
          `expected type of field '${field}' is '${this.#text(fieldType)}' but provided type is '${this.#text(valueType)}'`,
        );
      }
    }
    return type;
  }

  #constructed(expr: StructLiteral, named: Type): Type {
    if (named.tag === "error") return errorType;
    if (named.tag !== "type" || named.of === undefined) return this.#report(expr.id, `'${this.#text(named)}' is not a type`);
    if (named.of.tag === "object") return named.of;
    return this.#report(expr.id, `'${this.#text(named.of)}' is not a message type`);
  }

  #comprehension(expr: Comprehension, scope: Scope): Type {
    const range = this.#substitutions.resolve(this.#check(expr.range, scope), false);
    const accumulator = this.#check(expr.initial, scope);
    const outer = scope.inner(new Map([[expr.accumulator, accumulator]]));
    const [first, second] = this.#loopTypes(expr, range);
    const own = new Map([[expr.variable, first]]);
    if (expr.variable2 !== undefined) own.set(expr.variable2, second);
    const loop = outer.inner(own);
    this.#check(expr.condition, loop);
    this.#assert(expr.condition, boolType);
    this.#check(expr.step, loop);
    this.#assert(expr.step, accumulator);
    return this.#substitutions.resolve(this.#check(expr.result, outer), false);
  }

  /** Returns the types of the one or two variables of a loop. */
  #loopTypes({ range: { id }, variable2 }: Comprehension, range: Type): readonly [Type, Type] {
    switch (range.tag) {
      case "list":
        return variable2 === undefined ? [range.of, range.of] : [intType, range.of];
      case "map":
        return [range.key, range.value];
      case "dyn":
      case "error":
      case "parameter":
        this.#substitutions.isAssignable(dynType, range);
        return [dynType, dynType];
      default:
        this.#report(
          id,
          `expression of type '${this.#text(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return [errorType, errorType];
    }
  }

  #assert(expr: Expr, expected: Type): void {
    const found = this.#types.get(expr.id) ?? errorType;
    if (!this.#substitutions.isAssignable(expected, found)) this.#mismatch(expr.id, expected, found);
  }
}

function typeOfConstant({ value }: Constant): Type {
  if (value === null) return nullType;
  if (typeof value === "boolean") return boolType;
  if (typeof value === "bigint") return intType;
  if (typeof value === "number") return doubleType;
  if (typeof value === "string") return stringType;
  return value instanceof Uint ? uintType : bytesType;
}

/** Returns the type in an optional; undefined for other types. */
function optionalOf(type: Type): Type | undefined {
  return type.tag === "opaque" && type.name === "optional_type" ? type.parameters[0] : undefined;
}

/** Returns `a.b.c` for selections of names; undefined for other expressions and for presence tests. */
function qualifiedName(expr: Expr): string | undefined {
  const parts: string[] = [];
  for (let at: Expr = expr;; at = at.operand) {
    if (at.tag === "identifier") return [...parts, at.name].reverse().join(".");
    if (at.tag !== "select" || at.testOnly) return undefined;
    parts.push(at.field);
  }
}

/** Returns the type with each type parameter replaced. */
function replaceParameters(type: Type, parameter: (name: string) => Type): Type {
  switch (type.tag) {
    case "parameter":
      return parameter(type.name);
    case "list":
      return listType(replaceParameters(type.of, parameter));
    case "map":
      return mapType(replaceParameters(type.key, parameter), replaceParameters(type.value, parameter));
    case "opaque":
      return type.parameters.length === 0
        ? type
        : { ...type, parameters: type.parameters.map((each) => replaceParameters(each, parameter)) };
    case "type":
      return type.of === undefined ? type : { ...type, of: replaceParameters(type.of, parameter) };
    default:
      return type;
  }
}
