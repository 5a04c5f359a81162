/** Decides which mutating webhooks are called again in the second run of the mutating steps (upstream: reinvocationcontext.go). */
import type { ApiObject } from "../../../plugin.ts";
import { sameValue } from "../../../toolbox.ts";

/** The calls of the webhooks for one write of an object. */
export class WebhookRuns {
  /** Webhooks with the policy IfNeeded that were called before the last change. */
  readonly #due = new Set<string>();
  /** Webhooks with the policy IfNeeded that were called after the last change. */
  readonly #called = new Set<string>();
  #last: ApiObject | undefined;

  /** Begins the second run. If other steps have changed the object since the first one, all called webhooks are due. */
  beginSecond(object: ApiObject | undefined): void {
    if (!sameValue(object, this.#last)) this.changed();
  }

  /** Called after a webhook with the policy IfNeeded was called. */
  called(id: string): void {
    this.#called.add(id);
  }

  /** Called after the object was changed. Webhooks that were called before are then due. */
  changed(): void {
    for (const id of this.#called) this.#due.add(id);
    this.#called.clear();
  }

  isDue(id: string): boolean {
    return this.#due.has(id);
  }

  /** Ends a run of the steps; `object` is the object after it. */
  end(object: ApiObject | undefined): void {
    this.#last = object;
  }
}
