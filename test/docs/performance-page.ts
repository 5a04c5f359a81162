/** The tables of docs/performance.md, from the results of the newest measured release. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { Result } from "../bench/measure.ts";
import type { Goal, Measured } from "../bench/measured.ts";
import { short } from "../bench/report.ts";

export interface Kept {
  readonly machine: { readonly cores: number; readonly platform: string };
  readonly results: readonly Result[];
}

const folder = new URL("../bench/results/", import.meta.url);
const open = "<!-- figures: written by npm run docs -->", close = "<!-- end of figures -->";

/** The newest results; undefined if there are none. */
export function newestResults(): { readonly release: string; readonly kept: Kept } | undefined {
  if (!existsSync(folder)) return undefined;
  const order = new Intl.Collator("en", { numeric: true });
  const file = readdirSync(folder).filter((name) => name.endsWith(".json")).toSorted(order.compare).at(-1);
  if (file === undefined) return undefined;
  const kept = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Kept; // Written by test/bench/main.ts.
  return { release: file.slice(0, -".json".length), kept };
}

/** The page with new tables. */
export function performancePage(page: string, release: string, kept: Kept): string {
  const from = page.indexOf(open), to = page.indexOf(close);
  if (from < 0 || to < from) throw new Error(`docs/performance.md has no place for its figures: ${open} ... ${close}`);
  return `${page.slice(0, from + open.length)}\n\n${tables(release, kept)}\n\n${page.slice(to)}`;
}

function tables(release: string, { machine: { cores }, results }: Kept): string {
  return results.map((result) => {
    const { store, runtime, firstReadyMs, goals, measured } = result;
    const head = `Version ${release} with ${store} on ${runtime === "deno" ? "Deno" : "Node"}, ${cores} cores:`;
    const start = `Ready after ${(firstReadyMs / 1000).toFixed(2)} s in a new folder; in an old one ${goals.map(goalText).join("; ")}.`;
    return [head, table([["", "CPU ms", "x floor", "x handler", "p50, p99 ms", "MiB at most", "wanted"], ...measured.map(cells)]), start]
      .join("\n\n");
  }).join("\n\n");
}

function cells({ name, cpuMs, floor, handler, p50, p99, peakMiB, goals }: Measured): readonly string[] {
  const times = (other: { readonly cpuMs: number } | undefined) => other === undefined ? "" : short(cpuMs / other.cpuMs);
  const wanted = goals.map(goalText).join("; ");
  return [
    name,
    short(cpuMs),
    times(floor),
    times(handler),
    `${short(p50)}, ${short(p99)}`,
    peakMiB.toFixed(0),
    wanted === "" ? "no target" : wanted,
  ];
}

/** `CPU ms at most 0.117: met`. */
function goalText({ what, value, atMost, met }: Goal): string {
  return `${what} at most ${short(atMost)}: ${met ? "met" : `missed, ${short(value)}`}`;
}

function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
