/**
 * `npm run soak -- [--minutes 60] [--on deno/sqlite --on node/etcd] [--restarts 2] [--pace 1] [--only TEXT ...]`: real clients against a
 * server on each runtime, at a low rate. Exits with 1 if a client saw a violation, or if a server keeps anything of its clients. A client that
 * is not on this machine is skipped with a line.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { type Runtime, runtimeMissing } from "../../test/real-server.ts";
import { allClients } from "./clients/all.ts";
import type { SoakClient } from "./client.ts";
import { tableOf } from "./samples.ts";
import { storeMissing, type StoreName } from "./served.ts";
import { soak, type SoakReport } from "./soak.ts";

const { values: flags } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    on: { type: "string", multiple: true, default: ["deno/sqlite", "node/etcd"] as string[] },
    restarts: { type: "string", default: "2" },
    pace: { type: "string", default: "1" },
    only: { type: "string", multiple: true, default: [""] as string[] },
  },
});

function setupOf(text: string): { readonly runtime: Runtime; readonly store: StoreName } {
  const [runtime, store, ...more] = text.split("/");
  if ((runtime !== "deno" && runtime !== "node") || (store !== "sqlite" && store !== "etcd") || more.length > 0) {
    throw new Error(`"${text}" is no setup: write deno/sqlite, deno/etcd, node/sqlite or node/etcd`);
  }
  return { runtime, store };
}

async function present(): Promise<readonly SoakClient[]> {
  const chosen: SoakClient[] = [];
  for (const client of allClients.filter(({ name }) => flags.only.some((text) => name.includes(text)))) {
    const missing = await client.missing();
    if (missing === undefined) chosen.push(client);
    else console.log(`skipped: ${client.name} (${missing})`);
  }
  return chosen;
}

function show(setup: string, { counts, faults, duringRestarts, samples }: SoakReport): void {
  console.log(`\n${setup}\n${tableOf(samples)}`);
  for (const [name, of] of counts) console.log(`${name}: ${[...of].map(([what, count]) => `${count} ${what}`).join(", ")}`);
  console.log(`${duringRestarts} failed requests during restarts`);
  for (const fault of faults) console.log(`FAULT ${fault}`);
  console.log(faults.length === 0 ? "no faults" : `${faults.length} faults`);
}

const clients = await present();
const setups = flags.on.map(setupOf).filter(({ runtime, store }) => {
  const missing = runtimeMissing(runtime) || storeMissing(store);
  if (missing) console.log(`skipped: ${runtime}/${store} (${missing})`);
  return !missing;
});
const reports = await Promise.all(setups.map(async ({ runtime, store }) => {
  const name = `${runtime}/${store}`;
  const options = { runtime, store, clients, minutes: Number(flags.minutes), restarts: Number(flags.restarts), pace: Number(flags.pace) };
  return { name, report: await soak({ ...options, print: (line) => console.log(`${name} ${line}`) }) };
}));
for (const { name, report } of reports) show(name, report);
process.exitCode = reports.length > 0 && reports.every(({ report }) => report.faults.length === 0) ? 0 : 1;
