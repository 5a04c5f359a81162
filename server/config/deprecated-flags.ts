/** Checks deprecated flags against the deprecation policy, and warns of those that are set. */
import { flagPeriods, releasesOf, violation } from "../../core/define/deprecation-policy.ts";
import { isRelease, releaseAfter, releasesBetween } from "../../core/releases.ts";
import type { Going } from "./setting.ts";

/** The mistakes of the deprecations in a table of settings. */
export function deprecationMistakes(table: Readonly<Record<string, Going>>): readonly string[] {
  return Object.entries(table).flatMap(([name, { deprecated }]) => {
    if (deprecated === undefined) return [];
    const { since, removed, use, stage = "GA" } = deprecated;
    const wrong = [since, removed].filter((release) => !isRelease(release));
    if (wrong.length > 0) return wrong.map((release) => `flag --${name}: "${release}" is not a release such as "1.18"`);
    const mistakes: string[] = [];
    const add = (problem: string, remedy: string) => mistakes.push(violation("flag-removal", `flag --${name}: ${problem}`, remedy));
    const least = releasesOf(flagPeriods[stage]);
    if (!(releasesBetween(since, removed) >= least)) {
      add(`deprecated in ${since} and removed in ${removed}`, `set removed to "${releaseAfter(since, least)}" or later`);
    }
    if (use.trim() === "") add(`deprecated in ${since} without a replacement`, "name what to use, or what to do");
    return mistakes;
  });
}
