/** The states of a server as text: dumps, and what differs between two. */
import { diffOfDumps, diffOfParts } from "./diff.ts";
import { dumpOf, type DumpOptions } from "./dump.ts";
import { historyOf, type ObjectVersion } from "./history.ts";
import type { Contents } from "./memory-engine.ts";
import { partsOf, type Snapshot, type SnapshotParts } from "./snapshot.ts";
import type { StateFilter } from "./state-objects.ts";

export interface StatesNeeds {
  readonly now: () => SnapshotParts;
  /** What the server had when it was opened. */
  readonly baseline: Contents;
  readonly family: object;
}

export class States {
  readonly #needs: StatesNeeds;

  constructor(needs: StatesNeeds) {
    this.#needs = needs;
  }

  // Both are asynchronous so that a state can be read in turns, or from another process.
  async dump(options: DumpOptions): Promise<string> {
    return await Promise.resolve(dumpOf(this.#needs.now(), this.#needs.baseline, options));
  }

  async diff(before: Snapshot | string, after: Snapshot | string | undefined, filter: StateFilter): Promise<string> {
    const { now, baseline, family } = this.#needs;
    const parts = (state: Snapshot) => partsOf(state, family);
    if (typeof before !== "string" && typeof after !== "string") {
      return diffOfParts(parts(before), after === undefined ? now() : parts(after), baseline, filter);
    }
    const text = (state: Snapshot | string | undefined) =>
      typeof state === "string" ? state : dumpOf(state === undefined ? now() : parts(state), baseline, filter);
    return await Promise.resolve(diffOfDumps(text(before), text(after)));
  }

  async history(object: Parameters<typeof historyOf>[1]): Promise<readonly ObjectVersion[]> {
    return await new Promise((resolve) => resolve(historyOf(this.#needs.now(), object)));
  }
}
