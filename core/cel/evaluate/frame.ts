/** The state of one evaluation. */
import type { Value } from "../values.ts";

/** Thrown when an evaluation exceeds its cost limit. Only `program.ts` catches it. */
export class CostExceeded {}

const costExceeded = new CostExceeded();

/** The values of variables by name; undefined if a variable has no value. */
export type Variables = (name: string) => Value | undefined;

/** Thrown where upstream's costs fail. Only `program.ts` catches it. */
export class CostFailed {}

const costFailed = new CostFailed();

export class Frame {
  cost = 0;
  readonly costMax: number;
  readonly variables: Variables;
  /** Variables and accumulators of comprehensions, by slot. */
  readonly locals: (Value | undefined)[];
  constructor(variables: Variables, costMax: number, slots: number) {
    this.variables = variables;
    this.costMax = costMax;
    this.locals = new Array(slots).fill(undefined);
  }
  /** Charges cost units. */
  charge(units: number): void {
    if (Number.isNaN(units)) throw costFailed;
    this.cost += units;
    if (this.cost > this.costMax) throw costExceeded;
  }
}

/** A compiled expression: it evaluates itself and charges its cost. */
export type Run = (frame: Frame) => Value;
