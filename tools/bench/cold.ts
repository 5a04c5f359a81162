/** The first requests of a server: each scenario has a server of its own, which has just started. */
import type { Generator } from "./generator.ts";
import type { Rate } from "./measured.ts";
import { jobOf } from "./measure-load.ts";
import { watchOf } from "./measure-watch.ts";
import type { Scenario } from "./scenarios.ts";
import { type Target, timed, timedWatch } from "./target.ts";

/** Number of requests, or of events; less if they take longer. */
const coldRequests = 2_000, coldSecondsMax = 10;

export interface ColdTarget extends Target {
  stop(): Promise<void>;
}

/** By the name of the scenario. `start`: a server with the seeded objects. */
export async function measureCold(
  scenarios: readonly Scenario[],
  start: () => Promise<ColdTarget>,
  generator: Generator,
  share: number,
): Promise<ReadonlyMap<string, Rate>> {
  const rates = new Map<string, Rate>();
  for (const { name, measure, cold } of scenarios) {
    if (cold !== true) continue;
    const target = await start();
    try {
      if (measure.tag === "load") {
        const job = jobOf(measure, { target, seconds: coldSecondsMax, share });
        rates.set(name, await timed(target, () => generator.load({ ...job, count: Math.ceil(coldRequests * share) })));
      } else if (measure.tag === "watch") {
        const watch = watchOf(target, measure, share), writes = Math.ceil(coldRequests * share / watch.watchers);
        const watches = await generator.openWatches(watch);
        const { missing: _, doubled: __, ...rate } = await timedWatch(target, () => watches.run(writes));
        rates.set(name, rate);
        await watches.close();
      }
    } finally {
      await target.stop();
    }
  }
  return rates;
}
