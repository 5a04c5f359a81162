/** The state of one evaluation. */
import type { Value } from "../values.ts";

/** Thrown when an evaluation exceeds its cost limit. Only `program.ts` catches it. */
export class CostExceeded {}

const costExceeded = new CostExceeded();

/** Returns the value of a variable by its name; undefined if it has no value. */
export type Variables = (name: string) => Value | undefined;

/** Thrown where upstream's evaluation fails as a whole. It has upstream's message. Only `program.ts` catches it. */
export class Aborted {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

const costFailed = new Aborted("internal error: interface conversion: *types.Err is not traits.Lister: missing method Add");

/** Ends the evaluation if upstream does not allow the value as a key of a map. */
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

/** A compiled expression. It evaluates itself and charges its cost. */
export type Run = (frame: Frame) => Value;
