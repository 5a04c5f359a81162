/** Background work of plugins: started together, ended together, started again after a failure. */
import type { Plugin, World } from "../core/plugin.ts";
import { pause } from "./store/clock.ts";

/** Runs every controller until the signal aborts, each in a world of its own; resolves when all have ended. */
export async function runControllers(
  plugins: readonly Plugin[],
  worldOf: (controller: string) => World,
  signal: AbortSignal,
  told: { started(controller: string): void; failed(controller: string, error: unknown): void },
): Promise<void> {
  const controllers = plugins.flatMap((plugin) => plugin.controllers ?? []);
  await Promise.all(controllers.map(async (controller) => {
    const world = worldOf(controller.name);
    for (let pauseMs = 100; !signal.aborted; pauseMs = Math.min(pauseMs * 2, 30_000)) {
      const began = Date.now();
      try {
        const running = controller.run(world, signal);
        told.started(controller.name);
        await running;
      } catch (error) {
        if (!signal.aborted) told.failed(controller.name, error);
      }
      if (Date.now() - began > 60_000) pauseMs = 100;
      await pause(pauseMs, signal);
    }
  }));
}
