/** The table of docs/performance.md: each measurement beside a bare handler and beside a kube-apiserver, with what is wanted. */
import type { Runtime } from "../bench/children.ts";
import type { Kept } from "../bench/kept.ts";
import type { Measured } from "../bench/measured.ts";
import { isReached, type PeerRow } from "../bench/peer-rows.ts";
import { short } from "../bench/report.ts";
import { wantedRatios, writeHandlersMax, writesBesideHandler } from "../bench/targets.ts";
import { table } from "./markdown-table.ts";
import { runtimeNames } from "./performance-pictures.ts";

const runtimes: readonly Runtime[] = ["deno", "node"];

/** A measurement on one runtime. */
interface Cell {
  readonly peer: PeerRow | undefined;
  /** Ours as a multiple of a bare handler that does the same. */
  readonly bare: number | undefined;
}

/** The number of targets that are met, and the table. */
export function measuredTable(kept: Kept): string {
  const rows = namesOf(kept).map((name) => ({ name, cells: runtimes.map((runtime) => cellOf(kept, runtime, name)) }));
  const heads = runtimes.flatMap((runtime) => [runtimeNames[runtime], "÷ bare", "kube-apiserver ÷ it"]);
  return [
    reached(rows),
    table([
      ["", ...heads, "wanted"],
      ...rows.map(({ name, cells }) => [name, ...cells.flatMap((cell, at) => shown(name, runtimes[at]!, cell)), wantedOf(name)]),
    ]),
  ].join("\n\n");
}

/** The names of all rows: one that only some comparisons have follows the row before it there. */
function namesOf({ peers = [], densities = [] }: Kept): readonly string[] {
  const names: string[] = [];
  for (const runtime of runtimes) {
    let next = 0;
    for (const { name } of [...peers, ...densities].filter((each) => each.runtime === runtime).flatMap(({ rows }) => rows)) {
      if (!names.includes(name)) names.splice(next, 0, name);
      next = names.indexOf(name) + 1;
    }
  }
  return names;
}

function cellOf({ results, peers = [], densities = [] }: Kept, runtime: Runtime, name: string): Cell {
  const rows = [...peers, ...densities].filter((each) => each.runtime === runtime).flatMap((each) => each.rows);
  // Both servers of a comparison are on etcd.
  const measured = results.find((each) => each.runtime === runtime && each.store === "etcd")?.measured.find((each) => each.name === name);
  return { peer: rows.find((row) => row.name === name), bare: measured && bareOf(measured) };
}

/** The puts of a handler for writes; else the same bytes. */
function bareOf({ cpuMs, handler, floor }: Measured): number | undefined {
  const bare = handler ?? floor;
  return bare && cpuMs / bare.cpuMs;
}

function shown(name: string, runtime: Runtime, { peer, bare }: Cell): readonly string[] {
  const value = peer === undefined ? "" : `${short(peer.ours)}${peer.what === "CPU ms" ? "" : ` ${peer.what.replace("CPU ", "")}`}`;
  return [
    value,
    judged(bare, isNear(name, runtime, bare)),
    judged(peer?.ratio, peer && isReached(peer)),
  ];
}

function judged(value: number | undefined, isMet: boolean | undefined): string {
  if (value === undefined) return "";
  return isMet === false ? `**${short(value)}**` : short(value);
}

function isNear(name: string, runtime: Runtime, bare: number | undefined): boolean | undefined {
  return bare === undefined || !writesBesideHandler.has(name) ? undefined : bare <= writeHandlersMax[runtime];
}

function wantedOf(name: string): string {
  const ratio = wantedRatios[name];
  const bare = writesBesideHandler.has(name) ? `bare ${runtimes.map((runtime) => short(writeHandlersMax[runtime])).join(", ")}` : "";
  return [ratio === undefined ? "" : short(ratio), bare].filter((text) => text !== "").join("; ");
}

function reached(rows: readonly { readonly name: string; readonly cells: readonly Cell[] }[]): string {
  const counts = runtimes.map((runtime, at) => {
    const judgements = rows.flatMap(({ name, cells }) => {
      const { bare, peer } = cells[at]!;
      return [isNear(name, runtime, bare), peer && isReached(peer)].filter((each) => each !== undefined);
    });
    return `${judgements.filter(Boolean).length} of ${judgements.length} on ${runtimeNames[runtime]}`;
  });
  return `Targets that are met: ${counts.join(", ")}. Those that are missed are in bold.`;
}
