/** Runs the reconcilers of the simulated cluster. */
import type { ControllerContext } from "../../plugin.ts";
import { systemClock } from "../../core/async.ts";
import { reconcilers } from "./reconcilers.ts";
import { runReconciler } from "./world/reconciler.ts";
import { followWorld, openWorld } from "./world/world.ts";

/** Simulates until the signal aborts. Rejects with the error of a watch, after all work has ended. */
export async function simulate(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const stop = new AbortController(), until = AbortSignal.any([signal, stop.signal]);
  const world = openWorld(context, systemClock, until);
  let running: readonly Promise<void>[] = [];
  try {
    await followWorld(world, () => {
      running = reconcilers.map((each) => runReconciler(each, world));
    });
  } finally {
    stop.abort();
    await Promise.all(running);
  }
}
