/** Decides which mutating policies run in the second run of the mutating steps, as upstream's reinvocation context does. */
import type { ApiObject } from "../../../plugin.ts";
import { sameValue } from "../../../toolbox.ts";

/** The runs of the policies for one write of an object. */
export class PolicyRuns {
  /** Policies with `reinvocationPolicy: IfNeeded` that have run. */
  readonly #ran = new Set<string>();
  /** Policies that will run in the second run, because the object changed after they had run. */
  readonly #due = new Set<string>();
  #output: ApiObject | undefined;

  /** Called before the policies of a run. Other steps may have changed the object since the first run. */
  begin(isSecondRun: boolean, object: ApiObject): void {
    if (isSecondRun && !sameValue(this.#output, object)) this.changed();
  }

  /** Called after the policies of a run. */
  end(object: ApiObject): void {
    this.#output = object;
  }

  /** Whether an invocation runs in the second run. */
  isDue(invocation: string): boolean {
    return this.#due.has(invocation);
  }

  /** Called after a policy has changed the object. The policies that ran before it see the change in the second run. */
  changed(): void {
    for (const each of this.#ran) this.#due.add(each);
    this.#ran.clear();
  }

  /** Called after a policy has run that may be invoked again. */
  ran(invocation: string): void {
    this.#ran.add(invocation);
  }
}
