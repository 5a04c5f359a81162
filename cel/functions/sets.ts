/** Lists as sets: `sets.contains`, `sets.equivalent`, `sets.intersects`; upstream's library `cel.lib.ext.sets`. */
import { exactly, plus, scale, times } from "../cost/range.ts";
import { boolType, listType, parameterType } from "../types.ts";
import { equal } from "../value/equal.ts";
import { spend } from "../value/work.ts";
import type { ListValue, Value } from "../values.ts";
import { type Costs, declare, sizeOf } from "./costs.ts";
import type { Library } from "./library.ts";
import { overload } from "./standard/overload.ts";

const list = listType(parameterType("T"));
const lists = [list, list];

/** Returns the costs of comparing each element with each element of the other list, this many times. */
function costsOfComparing(passes: number): Costs {
  return {
    cost: (_, args) => 1 + Math.floor(sizeOf(args[0]) * sizeOf(args[1]) * passes),
    estimate: ({ args }, estimator) => {
      const [first, second] = args;
      if (first === undefined || second === undefined) return undefined;
      return { cost: plus(scale(times(estimator.sizeOf(first), estimator.sizeOf(second)), passes), exactly(1n)) };
    },
  };
}

function has(set: ListValue, element: Value): boolean {
  for (let index = 0, size = set.size; index < size; index++) {
    spend(1);
    if (equal(element, set.at(index)) === true) return true;
  }
  return false;
}

function hasAll(set: ListValue, elements: ListValue): boolean {
  for (let index = 0, size = elements.size; index < size; index++) if (!has(set, elements.at(index))) return false;
  return true;
}

function hasAny(set: ListValue, elements: ListValue): boolean {
  for (let index = 0, size = elements.size; index < size; index++) if (has(set, elements.at(index))) return true;
  return false;
}

function relation(name: string, passes: number, holds: (a: ListValue, b: ListValue) => boolean) {
  const id = `list_sets_${name}_list`;
  const call = (a?: Value, b?: Value) => holds(a as ListValue, b as ListValue);
  return declare(`sets.${name}`, costsOfComparing(passes), overload(id, lists, boolType, call));
}

export const setsLibrary: Library = {
  name: "cel.lib.ext.sets",
  since: 29,
  functions: [
    relation("contains", 1, hasAll),
    relation("equivalent", 2, (a, b) => hasAll(a, b) && hasAll(b, a)),
    relation("intersects", 1, (a, b) => hasAny(b, a)),
  ],
};
