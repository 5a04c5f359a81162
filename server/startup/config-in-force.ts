/** The active configuration, and the parts of a server that follow it. */
import type { ActiveConfig } from "../config/active-config.ts";

type Listener = (next: ActiveConfig, before: ActiveConfig) => void;

export interface ConfigInForce {
  /** The active value at the moment of the call. */
  readonly current: () => ActiveConfig;
  /** Requests in flight keep the value that they have read. Listeners run in the order in which they were added. */
  swap(next: ActiveConfig): void;
  onSwap(listener: Listener): void;
}

export function configInForce(first: ActiveConfig): ConfigInForce {
  const listeners: Listener[] = [];
  let active = first;
  return {
    current: () => active,
    swap(next) {
      const before = active;
      active = next;
      for (const listener of listeners) listener(next, before);
    },
    onSwap: (listener) => void listeners.push(listener),
  };
}
