/** Events to the watches of one collection, with the same from a bare server. */
import type { Generator } from "./generator.ts";
import type { Measured } from "./measured.ts";
import { forgetPeak, memoryMiB } from "./process.ts";
import { nameWith, type Scenario } from "./scenarios.ts";
import type { LoadSetting } from "./measure-load.ts";
import { type Target, timedWatch, type WatchRate } from "./target.ts";
import type { Watch } from "./watchers.ts";

export type WatchMeasure = Scenario["measure"] & { readonly tag: "watch" };

const watchedPath = "/api/v1/namespaces/default/configmaps";

/** The watches of a scenario on a server. */
export function watchOf({ port, ca, token }: Target, measure: WatchMeasure, share: number): Watch {
  const { path = watchedPath, written = "ConfigMap", writesPerSecond } = measure, { watchers } = sharedOf(measure, share);
  return { port, ca, token, path, written, watchers, writesPerSecond };
}

/** The watchers and writes of a smoke run, or of a whole one. */
export function sharedOf({ watchers, writes }: WatchMeasure, share: number): { readonly watchers: number; readonly writes: number } {
  return { watchers: Math.ceil(watchers * Math.min(1, share * 10)), writes: Math.ceil(writes * share) };
}

/** Only a few hundred writes are measured: half as many are sent before, until the code is compiled. */
const warmUpShare = 0.5;
/** Share of the writes that the reference gets. */
const floorShare = 0.5;

/** `startGenerator`: another one, because a bare server may break it. */
export async function measureWatch(
  scenario: Scenario,
  what: WatchMeasure,
  setting: LoadSetting,
  startGenerator: () => Generator,
): Promise<Omit<Measured, "goals">> {
  const { target, floor, protocol, share } = setting;
  forgetPeak(target.pid);
  const ours = await watched(target, what, share, startGenerator());
  const peakMiB = memoryMiB(target.pid).peak;
  // The bare server has no backpressure: on a busy machine its watches may not end.
  const bare = { ...floor.child, port: floor.port, ca: target.ca, token: target.token };
  const least = await watched(bare, { ...what, writes: what.writes * floorShare }, share, startGenerator())
    .then(({ missing: _, doubled: __, ...rate }) => rate, () => undefined);
  return { name: nameWith(scenario.name, protocol), protocol, ...ours, floor: least, peakMiB };
}

async function watched(target: Target, what: WatchMeasure, share: number, generator: Generator): Promise<WatchRate> {
  const { writes } = sharedOf(what, share);
  try {
    const watches = await generator.openWatches(watchOf(target, what, share));
    const warm = await watches.run(Math.ceil(writes * warmUpShare));
    if (warm.missing !== 0 || warm.doubled !== 0) {
      throw new Error(`Before the measurement ${warm.missing} events were missing, ${warm.doubled} doubled`);
    }
    const rate = await timedWatch(target, () => watches.run(writes));
    await watches.close();
    return rate;
  } finally {
    await generator.stop();
  }
}
