/** Which mutating policies run in the second run of the mutating steps, as upstream's reinvocation context. */
import type { ApiObject } from "../../../plugin.ts";
import { sameValue } from "../../../toolbox.ts";

/** The runs of the policies for one write. */
export class PolicyRuns {
  /** Policies with `reinvocationPolicy: IfNeeded` that have run. */
  readonly #ran = new Set<string>();
  /** Policies that are due for a second run because the object changed after them. */
  readonly #due = new Set<string>();
  #output: ApiObject | undefined;

  /** Before the policies of a run. Other steps may have changed the object since the first run. */
  begin(isSecondRun: boolean, object: ApiObject): void {
    if (isSecondRun && !sameValue(this.#output, object)) this.changed();
  }

  /** After the policies of a run. */
  end(object: ApiObject): void {
    this.#output = object;
  }

  /** Whether an invocation runs in the second run. */
  isDue(invocation: string): boolean {
    return this.#due.has(invocation);
  }

  /** The object was changed: the policies that ran before see it in the second run. */
  changed(): void {
    for (const each of this.#ran) this.#due.add(each);
    this.#ran.clear();
  }

  /** A policy that may be invoked again has run. */
  ran(invocation: string): void {
    this.#ran.add(invocation);
  }
}
