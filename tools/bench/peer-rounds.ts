/** The alternating rounds of a comparison. */
import type { Generator } from "./generator.ts";
import { jobOf, type LoadMeasure } from "./measure-load.ts";
import { type WatchMeasure, watchOf } from "./measure-watch.ts";
import type { Rate } from "./measured.ts";
import { type Target, timed, timedWatch, warmUp } from "./target.ts";

interface Both<T> {
  readonly ours: T;
  readonly theirs: T;
}
interface Rounds {
  readonly seconds: number;
  readonly rounds: number;
  readonly share: number;
}

/** An apply needs requests by every manager of every object. */
const appliesMin = 4_000, appliesSecondsMax = 60;
const sides = ["ours", "theirs"] as const;

/** What both servers used for a load, round by round. */
export interface RatesOfRounds {
  readonly ours: readonly Rate[];
  readonly theirs: readonly Rate[];
  /** Failed requests of both; for a watch, missing and doubled events. */
  readonly failed: number;
}

/** The server that was first in a round is second in the next one, so what changes on the machine meanwhile concerns both alike. */
function turns(rounds: number): readonly (typeof sides[number])[] {
  return Array.from({ length: rounds }, (_, round) => round % 2 === 0 ? sides : sides.toReversed()).flat();
}

export async function measurePeerLoad(
  what: LoadMeasure,
  targets: Both<Target>,
  generators: Both<Generator>,
  { seconds, rounds, share }: Rounds,
): Promise<RatesOfRounds> {
  for (const side of sides) {
    const warm = (length: number) => jobOf(what, { target: targets[side], seconds: length, share });
    if (what.kind === "apply") await generators[side].load({ ...warm(appliesSecondsMax), count: Math.ceil(appliesMin * share) });
    await warmUp(targets[side], share, () => generators[side].load(warm(seconds)));
  }
  const rates = { ours: [] as Rate[], theirs: [] as Rate[] };
  for (const side of turns(rounds)) {
    const job = jobOf(what, { target: targets[side], seconds, share });
    rates[side].push(await timed(targets[side], () => generators[side].load(job)));
  }
  const failed = [...rates.ours, ...rates.theirs].reduce((sum, rate) => sum + rate.failed, 0);
  return { ...rates, failed };
}

export async function measurePeerWatch(
  what: WatchMeasure,
  targets: Both<Target>,
  generators: Both<Generator>,
  { seconds, rounds, share }: Rounds,
): Promise<RatesOfRounds> {
  const writes = Math.ceil(what.writesPerSecond * seconds);
  const open = (side: typeof sides[number]) => generators[side].openWatches(watchOf(targets[side], what, share));
  const watches = { ours: await open("ours"), theirs: await open("theirs") };
  for (const side of sides) await warmUp(targets[side], share, () => watches[side].run(writes));
  const rates = { ours: [] as Rate[], theirs: [] as Rate[] };
  let wrong = 0;
  for (const side of turns(rounds)) {
    const { missing, doubled, ...rate } = await timedWatch(targets[side], () => watches[side].run(writes));
    wrong += missing + doubled;
    rates[side].push(rate);
  }
  for (const side of sides) await watches[side].close();
  return { ...rates, failed: wrong };
}
