/**
 * Finds the types that type parameters stand for, by comparing types (cel-go `checker/types.go`). A comparison that fails removes the types
 * that it has added.
 */
import { dynType, listType, mapType, opaqueType, type Type, typeOf } from "../types.ts";
import { partsOf, Steps } from "./bounds.ts";
import { typeText } from "./type-text.ts";

/** Whether two types are the same, parameters included. */
export function sameType(one: Type, other: Type): boolean {
  if (one === other) return true;
  if (one.tag !== other.tag) return false;
  switch (one.tag) {
    case "list":
      return sameType(one.of, (other as typeof one).of); // both have the same tag, here and below
    case "map":
      return sameType(one.key, (other as typeof one).key) && sameType(one.value, (other as typeof one).value);
    case "object":
    case "parameter":
      return one.name === (other as typeof one).name;
    case "opaque": {
      const { name, parameters } = other as typeof one;
      return one.name === name && one.parameters.length === parameters.length &&
        one.parameters.every((each, index) => sameType(each, parameters[index]!));
    }
    case "type": {
      const { of } = other as typeof one;
      return one.of === undefined || of === undefined ? one.of === of : sameType(one.of, of);
    }
    case "wrapper":
      return sameType(one.of, (other as typeof one).of);
    default:
      return true;
  }
}

export function isDyn({ tag }: Type): boolean {
  return tag === "dyn" || tag === "any";
}
export function isDynOrError(type: Type): boolean {
  return isDyn(type) || type.tag === "error";
}

/** Whether null can be assigned to a type that is not a wrapper. */
function isNullable({ tag }: Type): boolean {
  return tag === "opaque" || tag === "object" || tag === "duration" || tag === "timestamp";
}

function acceptsNull(type: Type): boolean {
  return isNullable(type) || type.tag === "null" || type.tag === "wrapper";
}

export class Substitutions {
  readonly #steps = new Steps();
  /** The type of each parameter, by its name. */
  readonly #types = new Map<string, Type>();
  /** The previous type of each changed parameter, with which changes are undone. */
  readonly #changes: { readonly name: string; readonly before: Type | undefined }[] = [];

  /** Whether a value of type `given` can be used as `wanted`. If so, records the types of parameters. */
  isAssignable(given: Type, wanted: Type): boolean {
    return this.#attempt(() => this.#assignable(given, wanted));
  }
  areAssignable(given: readonly Type[], wanted: readonly Type[]): boolean {
    return this.#attempt(() => this.#allAssignable(given, wanted));
  }

  /** Returns the type with parameters replaced by what they stand for. If `toDyn`, other parameters become dyn. */
  resolve(type: Type, toDyn: boolean): Type {
    this.#steps.take();
    if (type.tag === "parameter") {
      const known = this.#types.get(type.name);
      return known !== undefined ? this.resolve(known, toDyn) : toDyn ? dynType : type;
    }
    switch (type.tag) {
      case "list": {
        const of = this.resolve(type.of, toDyn);
        return of === type.of ? type : listType(of);
      }
      case "map": {
        const key = this.resolve(type.key, toDyn), value = this.resolve(type.value, toDyn);
        return key === type.key && value === type.value ? type : mapType(key, value);
      }
      case "opaque": {
        const parameters = type.parameters.map((each) => this.resolve(each, toDyn));
        return parameters.every((each, index) => each === type.parameters[index]) ? type : opaqueType(type.name, ...parameters);
      }
      case "type":
        return type.of === undefined ? type : typeOf(this.resolve(type.of, toDyn));
      default:
        return type;
    }
  }

  #attempt(compare: () => boolean): boolean {
    const start = this.#changes.length;
    if (compare()) {
      this.#changes.length = start;
      return true;
    }
    while (this.#changes.length > start) {
      const { name, before } = this.#changes.pop()!; // there is at least one
      if (before === undefined) this.#types.delete(name);
      else this.#types.set(name, before);
    }
    return false;
  }

  #set(name: string, type: Type): void {
    this.#changes.push({ name, before: this.#types.get(name) });
    this.#types.set(name, type);
  }

  #allAssignable(given: readonly Type[], wanted: readonly Type[]): boolean {
    return given.length === wanted.length && given.every((each, index) => this.#assignable(each, wanted[index]!));
  }

  #assignable(given: Type, wanted: Type): boolean {
    this.#steps.take();
    if (wanted.tag === "parameter") {
      const { valid, known } = this.#substitutes(given, wanted);
      if (valid || known) return valid;
    }
    if (given.tag === "parameter") return this.#substitutes(wanted, given).valid;
    if (isDynOrError(given) || isDynOrError(wanted)) return true;
    if (given.tag === "null") return acceptsNull(wanted);
    if (wanted.tag === "null") return acceptsNull(given);
    if (given.tag === "wrapper" || wanted.tag === "wrapper") {
      return sameType(given.tag === "wrapper" ? given.of : given, wanted.tag === "wrapper" ? wanted.of : wanted);
    }
    if (given.tag !== wanted.tag) return false;
    switch (given.tag) {
      case "type":
        return true;
      case "opaque":
        return given.name === (wanted as typeof given).name && this.#allAssignable(given.parameters, (wanted as typeof given).parameters); // both have the same tag
      case "list":
      case "map":
        return this.#allAssignable(partsOf(given), partsOf(wanted));
      default:
        return sameType(given, wanted);
    }
  }

  /** Whether a parameter can stand for a type. `known`: it already stands for another type. */
  #substitutes(type: Type, parameter: Type & { readonly tag: "parameter" }): { readonly valid: boolean; readonly known: boolean } {
    if (sameType(type, parameter)) return { valid: true, known: true };
    const current = this.#types.get(parameter.name);
    if (current !== undefined) {
      if (sameType(type, current)) return { valid: true, known: true };
      if (!this.#assignable(type, current)) return { valid: false, known: true };
      const general = mostGeneral(type, current);
      if (this.#isFree(parameter, general)) this.#set(parameter.name, general);
      return { valid: true, known: true };
    }
    if (!this.#isFree(parameter, type)) return { valid: false, known: false };
    this.#set(parameter.name, type);
    return { valid: true, known: false };
  }

  /** Whether a parameter does not occur within a type. */
  #isFree(parameter: Type, within: Type): boolean {
    this.#steps.take();
    if (sameType(parameter, within)) return false;
    if (within.tag === "parameter") {
      const known = this.#types.get(within.name);
      return known === undefined || this.#isFree(parameter, known);
    }
    return partsOf(within).every((each) => this.#isFree(parameter, each));
  }
}

/** Returns the more general of two types that fit each other. */
export function mostGeneral(one: Type, other: Type): Type {
  return isEqualOrMoreGeneral(one, other) ? one : other;
}

function isEqualOrMoreGeneral(one: Type, other: Type): boolean {
  if (isDyn(one) || one.tag === "parameter") return true;
  if (isDyn(other) || other.tag === "parameter") return false;
  if (one.tag !== other.tag) return false;
  switch (one.tag) {
    case "type":
      return true;
    case "opaque":
      if (one.name !== (other as typeof one).name) return false; // both have the same tag
      break;
    case "list":
    case "map":
      break;
    default:
      return typeText(one) === typeText(other);
  }
  const first = partsOf(one), second = partsOf(other);
  return first.length === second.length && first.every((each, index) => isEqualOrMoreGeneral(each, second[index]!));
}
