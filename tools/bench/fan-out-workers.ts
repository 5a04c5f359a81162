/** What two workers do with twice the CPU of one: GET, list, update and watch, at a rate for each worker that leaves both servers idle time. */
import { type FanOutOptions, openRig, watchedPath } from "./fan-out-rig.ts";
import type { Generator } from "./generator.ts";
import { percentile } from "./percentile.ts";
import { treeCpuMs } from "./process.ts";
import { short } from "./report.ts";
import { jobFor, type LoadWish, type Target } from "./target.ts";

const connectionsEach = 16, watchersEach = 100, writesPerSecond = 50;
const few = { path: watchedPath, objects: 200, clients: connectionsEach };
/** Requests, and how many of them begin in a second for each worker. */
const loads: readonly { readonly name: string; readonly wish: LoadWish; readonly perSecond: number }[] = [
  { name: "GET", wish: { ...few, kind: "get", path: `${watchedPath}/<object>` }, perSecond: 400 },
  { name: "list of 200", wish: { ...few, kind: "get" }, perSecond: 50 },
  { name: "update", wish: { ...few, kind: "update" }, perSecond: 100 },
];
const warmUpRounds = 2, seedSeconds = 60;

interface Side {
  readonly workers: number;
  readonly target: Target;
  readonly generator: Generator;
}

/** Prints a table: medians of alternating rounds. Resolves with whether no request failed and no event was missing. */
export async function measureWorkers({ runtime, seconds, rounds, share, tell }: FanOutOptions): Promise<boolean> {
  tell("| | one worker, us of CPU | two workers | requests for the CPU of one, with twice the CPU (least, most) |");
  tell("|---|---|---|---|");
  const rig = await openRig(runtime);
  let failures = 0;
  try {
    const sides: Side[] = [];
    for (const workers of [1, 2]) {
      const target = await rig.server(workers), generator = rig.generatorOn(rig.child());
      await generator.load({ ...jobFor(target, { ...few, kind: "seed" }, seedSeconds, "seed"), count: few.objects });
      sides.push({ workers, target, generator });
    }
    const costs = async (run: (side: Side) => Promise<{ readonly done: number; readonly failed: number }>) => {
      const cost: number[][] = [[], []];
      for (let round = -warmUpRounds; round < rounds; round++) {
        for (const index of round % 2 === 0 ? [0, 1] : [1, 0]) {
          const side = sides[index]!, before = treeCpuMs(side.target.pid); // Two.
          const { done, failed } = await run(side);
          failures += failed;
          if (round >= 0) cost[index]!.push((treeCpuMs(side.target.pid) - before) * 1000 / done);
        }
      }
      return cost as [number[], number[]];
    };
    for (const { name, wish, perSecond } of loads) {
      let run = 0;
      tell(lineOf(
        name,
        await costs(async ({ workers, target, generator }) => {
          const job = jobFor(target, { ...wish, clients: wish.clients * workers }, seconds, `${name}-${run++}`);
          const { requests, failed } = await generator.load({
            ...job,
            connections: connectionsEach * workers,
            perSecond: perSecond * workers * share,
          });
          return { done: requests, failed };
        }),
      ));
    }
    const watches = await Promise.all(sides.map(({ workers, target, generator }) =>
      generator.openWatches({
        ...{ ...target, path: watchedPath, watchers: watchersEach * workers, writesPerSecond },
        connections: connectionsEach * workers,
      })
    ));
    tell(lineOf(
      "event to 100 watches each",
      await costs(async (side) => {
        const { delivered, missing, doubled } = await watches[sides.indexOf(side)]!.run(Math.ceil(writesPerSecond * seconds * share));
        return { done: delivered, failed: missing + doubled };
      }),
    ));
    return failures === 0;
  } finally {
    await rig.close();
  }
}

function lineOf(name: string, [one, two]: readonly [readonly number[], readonly number[]]): string {
  const factors = one.map((cost, round) => 2 * cost / two[round]!).toSorted((a, b) => a - b); // As many rounds.
  const median = (values: readonly number[]) => percentile(values.toSorted((a, b) => a - b), 0.5);
  return `| ${name} | ${short(median(one))} | ${short(median(two))} | ${short(median(factors))} (${short(factors[0]!)}, ${
    short(factors.at(-1)!)
  }) |`;
}
