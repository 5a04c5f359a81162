/**
 * Bounds of the work and memory of a check. The size of a type doubles with each nested `[{x: x}].map(y, ...)`, and so do its comparisons.
 */
import type { Type } from "../types.ts";
import { bound } from "../../core/bound.ts";

/** Maximum number of types within the type of one node of a CEL expression (upstream has no bound). */
export const celTypePartsMax = bound(500);
/** Maximum number of steps of comparing types in the check of one CEL expression (upstream has no bound). */
export const celCheckStepsMax = bound(5_000_000);

/** Thrown at any depth to end a check that is too large. */
export class TooLarge extends Error {}

/** Counts the types within types, each as often as it occurs. */
export class TypeSizes {
  readonly #known = new WeakMap<Type, number>();

  /** Throws `TooLarge` for a type with too many parts. Its parts were bounded before, so this takes few steps. */
  bound(type: Type): void {
    if (this.#size(type) > celTypePartsMax) throw new TooLarge(`type has more than ${celTypePartsMax} parts`);
  }

  #size(type: Type): number {
    const parts = partsOf(type);
    if (parts.length === 0) return 1;
    const known = this.#known.get(type);
    if (known !== undefined) return known;
    const size = parts.reduce((sum, part) => sum + this.#size(part), 1);
    this.#known.set(type, size);
    return size;
  }
}

/** Counts the steps of comparisons and substitutions. */
export class Steps {
  #left: number = celCheckStepsMax;

  take(): void {
    if (--this.#left < 0) throw new TooLarge(`check of types takes more than ${celCheckStepsMax} steps`);
  }
}

/** Returns the types that a type is made of, in order. */
export function partsOf(type: Type): readonly Type[] {
  switch (type.tag) {
    case "list":
      return [type.of];
    case "map":
      return [type.key, type.value];
    case "opaque":
      return type.parameters;
    case "type":
      return type.of === undefined ? [] : [type.of];
    default:
      return [];
  }
}
