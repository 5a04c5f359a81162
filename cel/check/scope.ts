/** Resolves the names that an expression can use at one place: variables of loops, then those of the environment, then names of types. */
import type { Environment, FunctionDeclaration, Reference } from "../declarations.ts";
import { messages } from "../messages.ts";
import { objectType, type Type, typeOf } from "../types.ts";

/** Names that are types for upstream's checker, but not for its evaluator. */
const runtimeNames: ReadonlySet<string> = new Set(["timestamp", "duration"]);

/** A name and its type. */
export interface Known {
  readonly type: Type;
  readonly reference: Reference;
}

export class Scope {
  readonly #environment: Environment;
  readonly #parent: Scope | undefined;
  readonly #own: ReadonlyMap<string, Type>;

  constructor(environment: Environment, parent?: Scope, own: ReadonlyMap<string, Type> = new Map()) {
    this.#environment = environment;
    this.#parent = parent;
    this.#own = own;
  }

  /** Makes a scope inside this one, with more variables. */
  inner(own: ReadonlyMap<string, Type>): Scope {
    return new Scope(this.#environment, this, own);
  }

  get container(): string {
    return this.#environment.container;
  }

  /** Returns what a name means; undefined if it is not declared. */
  name(written: string): Known | undefined {
    for (const name of this.#candidates(written)) {
      const known = this.#variable(name) ?? this.#typeName(name);
      if (known !== undefined) return known;
    }
    return undefined;
  }

  function(written: string): FunctionDeclaration | undefined {
    for (const name of this.#candidates(written)) {
      const known = this.#environment.functions.get(name);
      if (known !== undefined) return known;
    }
    return undefined;
  }

  /** Returns the names to look up, the innermost namespace first. A name with a leading dot is looked up in no namespace. */
  #candidates(written: string): readonly string[] {
    if (written.startsWith(".")) return [written.slice(1)];
    const names: string[] = [];
    for (let at = this.container; at !== ""; at = at.includes(".") ? at.slice(0, at.lastIndexOf(".")) : "") names.push(`${at}.${written}`);
    return [...names, written];
  }

  #variable(name: string): Known | undefined {
    const type = this.#own.get(name) ?? (this.#parent === undefined ? this.#environment.variables.get(name)?.type : undefined);
    if (type !== undefined) return { type, reference: { tag: "variable", name } };
    return this.#parent === undefined ? undefined : this.#parent.#variable(name);
  }

  #typeName(name: string): Known | undefined {
    const { typeNames, types } = this.#environment;
    const isObject = types.hasType(name) || messages.has(name) || runtimeNames.has(name);
    const type = typeNames.get(name) ?? (isObject ? objectType(name) : undefined);
    return type === undefined ? undefined : { type: typeOf(type), reference: { tag: "type", type } };
  }
}
