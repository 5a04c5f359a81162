/** Runs the reconcilers of the simulated cluster. */
import type { ControllerContext } from "../../plugin.ts";
import { openLife } from "./living.ts";
import { registerNodes } from "./nodes/register.ts";
import { reconcilers } from "./reconcilers.ts";
import { runReconciler } from "./world/reconciler.ts";
import { followWorld, openWorld, type World } from "./world/world.ts";

/** Simulates until the signal aborts. Rejects with the error of a watch, after all work has ended. */
export async function simulate(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const stop = new AbortController(), until = AbortSignal.any([signal, stop.signal]);
  const world = openWorld(context, until);
  let running = Promise.resolve();
  try {
    await followWorld(world, () => {
      running = run(world);
    });
  } finally {
    stop.abort();
    await running;
  }
}

/** Runs all reconcilers. The nodes are ready before anything is placed on them. Never rejects. */
async function run(world: World): Promise<void> {
  const { nodes, others, runOtherKinds } = openLife(world), first = runReconciler(nodes, world);
  await registerNodes(world).catch((error) => world.context.logError("the nodes of the simulation cannot be created", error));
  await Promise.all([first, runOtherKinds(), ...[...reconcilers, ...others].map((each) => runReconciler(each, world))]);
}
