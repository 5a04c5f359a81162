/** Events that one core encodes and sends, with TLS and without it: updates of a watched kind, over HTTP/2 on 16 connections. */
import { readFile } from "node:fs/promises";
import { type FanOutOptions, openRig, watchedPath } from "./fan-out-rig.ts";
import { sharedConnections } from "./generator.ts";
import { percentile } from "./percentile.ts";
import { cpuMs } from "./process.ts";
import { short } from "./report.ts";

const settings = [{ watchers: 100, writesPerSecond: 50 }, { watchers: 100, writesPerSecond: 200 }, {
  watchers: 1_000,
  writesPerSecond: 50,
}];
const warmUpRounds = 2;

/** Prints a table: medians of alternating rounds. Resolves with whether each watch got each event once and in order. */
export async function measurePlain({ runtime, seconds, rounds, share, tell }: FanOutOptions): Promise<boolean> {
  tell("| watches, writes a second | with TLS: us of CPU for an event, events a second and core | without TLS | TLS |");
  tell("|---|---|---|---|");
  const rig = await openRig(runtime);
  let wrong = 0;
  try {
    const file = `${rig.folder}/plain`, target = await rig.server(1, { plain: file });
    const port = Number(await readFile(file, "utf8"));
    const child = rig.child(), plainChild = rig.child();
    for (const { watchers, writesPerSecond } of settings) {
      const asked = {
        ...target,
        path: watchedPath,
        watchers: Math.ceil(watchers * share),
        writesPerSecond,
        connections: sharedConnections,
      };
      const cost: number[][] = [[], []], writes = Math.ceil(writesPerSecond * seconds);
      for (let round = -warmUpRounds; round < rounds; round++) {
        for (const index of round % 2 === 0 ? [0, 1] : [1, 0]) {
          // One after the other: each write has events of its own watches only.
          const generator = rig.generatorOn(index === 0 ? child : plainChild);
          const watches = await generator.openWatches(index === 0 ? asked : { ...asked, port, plain: true });
          const before = cpuMs(target.pid), { delivered, missing, doubled } = await watches.run(writes);
          wrong += missing + doubled;
          if (round >= 0) cost[index]!.push((cpuMs(target.pid) - before) * 1000 / delivered); // Two.
          await watches.close();
        }
      }
      const [secure, plain] = cost.map((values) => percentile(values.toSorted((a, b) => a - b), 0.5)) as [number, number];
      const each = (cpuUs: number) => `${short(cpuUs)}: ${short(1e6 / cpuUs)}`;
      tell(`| ${watchers}, ${writesPerSecond} | ${each(secure)} | ${each(plain)} | ${short((1 - plain / secure) * 100)} % |`);
    }
    return wrong === 0;
  } finally {
    await rig.close();
  }
}
