/** What the controllers of this server do now, for the status page. */

import type { ControllerRow } from "../status-page/state.ts";

export type ControllerDoing = ControllerRow["doing"];

export interface ControllerBoard {
  /** Replaces all controllers; their failures are kept. */
  reset(controllers: readonly (readonly [name: string, doing: ControllerDoing])[]): void;
  set(name: string, doing: ControllerDoing): void;
  /** In the order of `reset`. */
  rows(): readonly ControllerRow[];
}

export function controllerBoard(): ControllerBoard {
  let doings = new Map<string, ControllerDoing>();
  const failures = new Map<string, number>();
  return {
    reset(controllers) {
      doings = new Map(controllers);
    },
    set(name, doing) {
      if (!doings.has(name)) return; // a controller of an earlier configuration
      doings.set(name, doing);
      if (doing === "failed") failures.set(name, (failures.get(name) ?? 0) + 1);
    },
    rows: () => Array.from(doings, ([name, doing]) => ({ name, doing, failures: failures.get(name) ?? 0 })),
  };
}
