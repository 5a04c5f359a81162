/** The pods that wait for a node, in the order in which they are looked at. */

/**
 * Keys of pods, the highest priority first, and those of one priority in the order of addition. A key that was taken is busy until `done`, and is not
 * given out again before.
 */
export class WaitingPods {
  readonly #byPriority = new Map<number, Set<string>>();
  readonly #busy = new Set<string>();

  /** Adds a key. One that waits with another priority already moves. */
  add(key: string, priority: number): void {
    for (const [other, keys] of this.#byPriority) if (other !== priority) this.#delete(keys, other, key);
    const keys = this.#byPriority.get(priority);
    if (keys === undefined) this.#byPriority.set(priority, new Set([key]));
    else keys.add(key);
  }

  /** Takes the first key that is not busy; undefined if there is none. */
  take(): string | undefined {
    for (const priority of [...this.#byPriority.keys()].sort((a, b) => b - a)) {
      const keys = this.#byPriority.get(priority)!;
      for (const key of keys) {
        if (this.#busy.has(key)) continue;
        this.#delete(keys, priority, key);
        this.#busy.add(key);
        return key;
      }
    }
    return undefined;
  }

  /** A key that was taken is busy no more. Returns whether it was added again in the meantime. */
  done(key: string): boolean {
    this.#busy.delete(key);
    return [...this.#byPriority.values()].some((keys) => keys.has(key));
  }

  #delete(keys: Set<string>, priority: number, key: string): void {
    keys.delete(key);
    if (keys.size === 0) this.#byPriority.delete(priority);
  }
}
