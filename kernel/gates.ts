/** Feature gates: the kernel's own, their ladders, and what configuration makes of all of them. */
import type { Gates, GateStage, Release } from "../core/plugin.ts";
import { nearest } from "./nearest.ts";

/** The release whose behaviour we show. */
export const targetRelease: Release = "1.35";

/** Gates of the kernel. A gate stands here only when switching it changes what the server does. */
export const kernelGates: Readonly<Record<string, readonly GateStage[]>> = Object.freeze({
  AllowUnsafeMalformedObjectDeletion: [{ since: "1.32", stage: "Alpha", default: false }],
  APIResponseCompression: [
    { since: "1.8", stage: "Alpha", default: false },
    { since: "1.16", stage: "Beta", default: true },
  ],
  CBORServingAndStorage: [{ since: "1.32", stage: "Alpha", default: false }],
  ListFromCacheSnapshot: [
    { since: "1.33", stage: "Alpha", default: false },
    { since: "1.34", stage: "Beta", default: true },
  ],
  WatchList: [
    { since: "1.27", stage: "Alpha", default: false },
    { since: "1.32", stage: "Beta", default: true },
    { since: "1.33", stage: "Beta", default: false },
    { since: "1.35", stage: "Beta", default: true },
  ],
});

/** `a` before `b`: "1.9" < "1.10". */
export function compareReleases(a: Release, b: Release): number {
  const [aMajor = 0, aMinor = 0] = a.split(".").map(Number);
  const [bMajor = 0, bMinor = 0] = b.split(".").map(Number);
  return aMajor - bMajor || aMinor - bMinor;
}

/** The rung that holds at a release; undefined where the gate does not exist yet. */
export function stageAt(ladder: readonly GateStage[], release: Release): GateStage | undefined {
  return ladder.filter((rung) => compareReleases(rung.since, release) <= 0).at(-1);
}

export interface GateState {
  readonly name: string;
  readonly stage: GateStage["stage"];
  readonly on: boolean;
}
/** Every gate in force and how it stands, and the function that hooks ask. */
export interface GateTable {
  readonly states: readonly GateState[];
  readonly isOn: Gates;
}

/**
 * Ladders and `--feature-gates` pairs to the gates in force. `AllAlpha` and `AllBeta` set what is not named itself.
 * Mistakes (unknown gate, a locked gate set to the other value) are pushed to `mistakes`.
 */
export function gateTable(
  ladders: Readonly<Record<string, readonly GateStage[]>>,
  wanted: ReadonlyMap<string, boolean>,
  mistakes: string[],
): GateTable {
  const known = Object.keys(ladders).filter((name) => stageAt(ladders[name]!, targetRelease) !== undefined);
  for (const name of wanted.keys()) {
    if (name === "AllAlpha" || name === "AllBeta" || known.includes(name)) continue;
    const near = nearest(name, [...known, "AllAlpha", "AllBeta"]);
    mistakes.push(`unknown feature gate "${name}"${near === undefined ? "" : `: did you mean "${near}"?`}`);
  }
  const states = known.toSorted().map((name): GateState => {
    const rung = stageAt(ladders[name]!, targetRelease)!;
    const all = rung.stage === "Alpha" ? wanted.get("AllAlpha") : rung.stage === "Beta" ? wanted.get("AllBeta") : undefined;
    const asked = wanted.get(name) ?? (rung.locked ? undefined : all);
    if (rung.locked && asked !== undefined && asked !== rung.default) {
      mistakes.push(`cannot set feature gate ${name} to ${asked}: it is locked to ${rung.default}`);
    }
    return { name, stage: rung.stage, on: asked ?? rung.default };
  });
  const on = new Map(states.map((state) => [state.name, state.on]));
  return {
    states,
    isOn(gate) {
      const value = on.get(gate);
      if (value === undefined) throw new Error(`feature gate "${gate}" is asked for but no plugin declares it`);
      return value;
    },
  };
}
