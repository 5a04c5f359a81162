/**
 * `npm run bench [-- --only TEXT] [--store sqlite|etcd] [--runtime deno|node] [--protocol h2|http1] [--smoke] [--seconds N] [--json FILE]`: the
 * cost of requests.
 * CPU per request and ratios are comparable; requests per second and latencies depend on the machine. Takes five minutes per store.
 * `--seconds` is the duration of each load (3); readers of much data have four times as long, or until they have read all.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { etcdAvailable } from "../etcd.ts";
import type { Runtime } from "./children.ts";
import { measure, type Result } from "./measure.ts";
import type { StoreName } from "./measured.ts";
import { headLine, measuredLine, startLines } from "./report.ts";
import { scenarios } from "./scenarios.ts";

/** Duration of each load, and share of objects and events. */
const whole = Object.freeze({ seconds: 3, share: 1 });
const smoke = Object.freeze({ seconds: 0.2, share: 0.01 });
/** Each hostile request has its own server: a smoke run has time for some only. */
const smokeHostile: ReadonlySet<string> = new Set(["YAML, 700,000 lines", "JSON patch, 9,999 inserts at the head", "apply, finalizers"]);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: "string", default: "" },
      store: { type: "string" },
      protocol: { type: "string" },
      runtime: { type: "string", default: "Deno" in globalThis ? "deno" : "node" },
      smoke: { type: "boolean", default: false },
      seconds: { type: "string" },
      json: { type: "string" },
    },
  });
  const runtime: Runtime = values.runtime === "node" ? "node" : "deno";
  const both: readonly StoreName[] = etcdAvailable() === undefined ? ["sqlite"] : ["sqlite", "etcd"];
  const chosen = scenarios.filter(({ name, measure }) =>
    name.includes(values.only) && (!values.smoke || measure.tag !== "hostile" || smokeHostile.has(measure.request.name))
  );
  const protocols = (["h2", "http1"] as const).filter((each) => values.protocol === undefined || values.protocol === each);
  const results: Result[] = [];
  for (const store of both.filter((name) => values.store === undefined || values.store === name)) {
    console.log(`\n${store} on ${runtime}\n${headLine()}`);
    const size = { ...values.smoke ? smoke : whole, ...values.seconds === undefined ? {} : { seconds: Number(values.seconds) } };
    const result = await measure({
      store,
      runtime,
      scenarios: chosen,
      protocols,
      ...size,
      tell: (measured) => console.log(measuredLine(measured)),
    });
    console.log(startLines(result));
    results.push(result);
  }
  if (values.json !== undefined) {
    const machine = { cores: availableParallelism(), platform: `${process.platform} ${process.arch}` };
    await mkdir(dirname(values.json), { recursive: true });
    await writeFile(values.json, `${JSON.stringify({ machine, results }, fourDigits, 2)}\n`);
  }
  const wrong = results.flatMap(({ measured }) => measured).some(({ failed, missing = 0, doubled = 0 }) => failed + missing + doubled > 0);
  process.exitCode = wrong ? 1 : 0;
}

/** Rounds to four significant digits. */
function fourDigits(_key: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
}

await main();
