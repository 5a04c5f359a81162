/** The state of one evaluation. */
import type { Value } from "../values.ts";

/** Thrown when an evaluation exceeds its cost limit. Only `program.ts` catches it. */
export class CostExceeded {}

const costExceeded = new CostExceeded();

/** The values of variables by name; undefined if a variable has no value. */
export type Variables = (name: string) => Value | undefined;

/** Thrown where upstream's evaluation fails as a whole, with its message. Only `program.ts` catches it. */
export class Aborted {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

const costFailed = new Aborted("internal error: interface conversion: *types.Err is not traits.Lister: missing method Add");

/** Ends the evaluation if a value cannot be the key of a map upstream. */
export function requireKey(value: Value): void {
  if (value instanceof Uint8Array) throw new Aborted("internal error: runtime error: hash of unhashable type types.Bytes");
}

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
