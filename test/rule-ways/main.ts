// CPU of one rule in four ways, for docs/writing-a-plugin.md: `npm run bench:rule-ways`. Prints microseconds of a create in a dry run, in process,
// and what the rule adds to it. The rounds of all ways take turns, so that a busy machine affects all of them.
import process from "node:process";
import { create, openWay, type Way, ways, type WayServer } from "./ways.ts";

const rounds = 40, creates = 400, warmUpRounds = 5;

const servers = new Map<Way, WayServer>();
for (const way of ways) servers.set(way, await openWay(way));
const micros = new Map<Way, number[]>(ways.map((way) => [way, []]));
for (let round = 0; round < warmUpRounds + rounds; round++) {
  for (const [way, server] of servers) {
    const begun = process.cpuUsage();
    for (let at = 0; at < creates; at++) {
      const response = await create(server, `g${at}`, at % 5 + 1);
      if (response.status !== 201) throw new Error(await response.text());
      await response.body?.cancel();
    }
    const { user, system } = process.cpuUsage(begun);
    if (round >= warmUpRounds) micros.get(way)!.push((user + system) / creates);
  }
}
/** The first quartile: what disturbs a round makes it longer only. */
const quartileOf = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 4)]!;
const without = quartileOf(micros.get("none")!);
for (const [way, values] of micros) {
  const quartile = quartileOf(values);
  console.log(`${way.padEnd(8)} ${quartile.toFixed(0).padStart(5)} us ${(quartile - without).toFixed(0).padStart(5)} us more`);
}
for (const server of servers.values()) await server[Symbol.asyncDispose]();
process.exit(0);
