/** Checks the stages of feature gates. */
import type { GateStage } from "../plugin.ts";
import { compareReleases, isRelease, releaseAfter, releasesBetween } from "../releases.ts";
import { gatePeriods, releasesOf, violation } from "./deprecation-policy.ts";

const rank: Readonly<Record<GateStage["stage"], number>> = { Alpha: 0, Beta: 1, GA: 2, Deprecated: 3 };

/** Returns the mistakes of the stages of a gate. The stages must be in the order of releases. */
export function gateMistakes(gate: string, stages: readonly GateStage[]): readonly string[] {
  const mistakes: string[] = [];
  const add = (text: string) => mistakes.push(`feature gate "${gate}": ${text}`);
  if (!/^[A-Z][A-Za-z0-9]*$/.test(gate)) mistakes.push(`feature gate "${gate}" is not in upper camel case`);
  if (stages.length === 0) mistakes.push(`feature gate "${gate}" has no stages`);
  for (const [i, rung] of stages.entries()) {
    const { since, removed } = rung;
    if (!isRelease(since)) {
      add(`"${since}" is not a release such as "1.18"`);
      continue;
    }
    const before = stages[i - 1];
    if (removed !== undefined && !(compareReleases(removed, since) > 0)) {
      add(`it is removed in ${removed}, which is not later than ${since}`);
    } else if (removed !== undefined) removalMistakes(rung, before, removed).forEach(add);
    if (before !== undefined && !(compareReleases(since, before.since) > 0)) add(`${since} is earlier than ${before.since}`);
    stageMistakes(rung, before).forEach(add);
  }
  return mistakes;
}

function stageMistakes({ since, stage, default: isOn, locked }: GateStage, before: GateStage | undefined): readonly string[] {
  const mistakes: string[] = [];
  if (stage === "Alpha" && (isOn || locked === true)) {
    const state = isOn ? "on" : "locked";
    mistakes.push(
      violation("gate-default", `it is alpha in ${since} and ${state}`, "set default to false, without locked, or make it beta"),
    );
  }
  if (before !== undefined && rank[stage] < rank[before.stage]) {
    mistakes.push(violation(
      "gate-stages",
      `it is ${before.stage} in ${before.since} and ${stage} in ${since}`,
      "keep the stage and change the default, or deprecate the gate",
    ));
  }
  return mistakes;
}

/** Returns the mistakes of a removal. The period begins with the last stage; `before` is the stage before it. */
function removalMistakes({ since, stage }: GateStage, before: GateStage | undefined, removed: string): readonly string[] {
  const last = stage === "GA" ? "graduated" : stage === "Deprecated" ? before?.stage ?? "GA" : stage;
  if (last === "Deprecated") return [];
  if (stage === "Alpha") return [];
  if (stage === "Beta") {
    return [violation("gate-removal", `it is removed in ${removed} as a beta gate`, "make it GA or deprecate it first")];
  }
  const least = releasesOf(gatePeriods[last]);
  if (releasesBetween(since, removed) >= least) return [];
  return [violation(
    "gate-removal",
    `it is ${stage} in ${since} and removed in ${removed}`,
    `set removed to "${releaseAfter(since, least)}" or later`,
  )];
}
