/**
 * Replays recorded conversations from the shell. It exits with 1 if a scenario differs that is not on the pending list.
 *
 *   npm run transcripts -- [--area a,b] [--only TEXT] [--list-failures] [--show] [--write-pending [REASON]]
 *   npm run transcripts -- --server https://127.0.0.1:6443 --ca FILE --token admin=SECRET --token alice=SECRET ...
 */
import { readFileSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import { guessReason, isClaimed, missingResource, pendingReason, readClaims, readPending, updatePending, writePending } from "./pending.ts";
import { type Case, readCases } from "./recording.ts";
import { type Outcome, showDifference } from "./replay.ts";
import { runAll, type StartServer } from "./run.ts";
import { startServer } from "./server.ts";
import { dump } from "./values.ts";

const shownMax = 6;

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    area: { type: "string" },
    only: { type: "string" },
    lanes: { type: "string" },
    "list-failures": { type: "boolean" },
    show: { type: "boolean" },
    "write-pending": { type: "boolean" },
    server: { type: "string" },
    ca: { type: "string" },
    token: { type: "string", multiple: true },
  },
});

function start(): StartServer {
  const { server, ca, token } = flags;
  if (server === undefined) return startServer;
  const tokens = Object.fromEntries((token ?? []).map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]));
  return async () => ({ url: server, ...(ca === undefined ? {} : { ca: readFileSync(ca, "utf8") }), tokens, close: async () => {} });
}

/** An area without its resource is replayed only if it is named. */
function chosen({ area, scenario }: Case): boolean {
  return (flags.area?.split(",").includes(area) ?? missingResource(pending, area) === undefined) &&
    (flags.only === undefined || scenario.name.includes(flags.only));
}

function note(one: Case, passes: boolean, reason: string | undefined): string {
  if (isClaimed(claims, one)) return " (docs/differences.md)";
  if (reason === undefined) return "";
  return passes ? ` (take it off the pending list: ${reason})` : ` (pending: ${reason})`;
}

/** A scenario's line followed by its differences. */
function show(outcome: Outcome, reason: string | undefined): void {
  const { case: one, differences, answers } = outcome;
  const passes = differences.length === 0;
  if (passes && flags["list-failures"]) return;
  console.log(`${passes ? "ok  " : "FAIL"} ${one.area}: ${one.scenario.name}${note(one, passes, reason)}`);
  if (flags["list-failures"]) return;
  for (const difference of differences.slice(0, flags.show ? differences.length : shownMax)) {
    console.log(`     ${showDifference(one, difference)}`);
  }
  if (flags.show) {
    for (const [index, answer] of answers.entries()) console.log(`     ${one.scenario.steps[index]?.do}\n       ${dump(answer)}`);
  }
}

const cases = readCases();
const pending = readPending();
const selected = cases.filter(chosen);
const claims = readClaims();
const reasonOf = ({ area, scenario }: Case): string | undefined => pendingReason(pending, area, scenario.name);
const outcomes = await runAll(selected, start(), {
  ...(flags.lanes === undefined ? {} : { lanes: Number(flags.lanes) }),
  each: (outcome) => show(outcome, reasonOf(outcome.case)),
});

const others = outcomes.filter((outcome) => !isClaimed(claims, outcome.case));
const failed = others.filter(({ differences }) => differences.length > 0);
const byReason = Map.groupBy(failed, (outcome) => reasonOf(outcome.case) ?? `not listed, perhaps ${guessReason(outcome)}`);
for (const [reason, group] of [...byReason].sort(([, a], [, b]) => b.length - a.length)) {
  console.log(`${String(group.length).padStart(5)}  ${reason}`);
}
const written = flags["write-pending"] ?? false;
if (written && others.length === failed.length) console.error("Nothing passes, so the list stays as it was: is the server whole?");
else if (written) {
  const listable = cases.filter((one) => !isClaimed(claims, one));
  writePending(updatePending(pending, listable, others, (outcome) => positionals[0] ?? guessReason(outcome)));
}
console.log(`${others.length - failed.length} passed, ${failed.length} failed, ${outcomes.length - others.length} differ on purpose`);
process.exit(failed.some(({ case: one }) => reasonOf(one) === undefined) ? 1 : 0);
