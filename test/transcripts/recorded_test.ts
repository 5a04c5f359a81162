// Replays recorded conversations with kube-apiserver. `npm run transcripts -- --area AREA` does the same from the shell.
import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { openTestServer } from "../../testing.ts";
import { missingResource, pendingReason, readClaims, readPending } from "./pending.ts";
import { type Case, readCases, recordedAreas } from "./recording.ts";
import { type Outcome, showDifference } from "./replay.ts";
import { runAll, serverGone } from "./run.ts";
import { startServer } from "./server.ts";

const shownMax = 12;
/** Maximum share of intended differences: one in a hundred scenarios. */
const claimsPerScenarioMax = 0.01;

const pending = readPending();
const areas = recordedAreas();
/** Areas without their resource cost nothing. */
const cases = readCases(areas.filter((area) => missingResource(pending, area) === undefined));
/**
 * What is replayed here: all on Deno, and every ninth area on Node, because answers do not depend on the runtime and Node's test runner follows each
 * promise. `THOLE_RUNTIMES=all` replays all on both.
 */
const isWhole = "Deno" in globalThis || process.env["THOLE_RUNTIMES"] === "all";
const replayed = isWhole ? cases : cases.filter(({ area }) => areas.indexOf(area) % 9 === 0);
const claims = readClaims();
const label = (area: string, name: string): string => `${area}: ${name}`;
const known = new Set(cases.map(({ area, scenario }) => label(area, scenario.name)));
const claimed = new Set(claims.map(({ area, scenario }) => label(area, scenario)));

const show = ({ case: one, differences }: Outcome): string =>
  [`${one.area}: ${one.scenario.name}`, ...differences.slice(0, shownMax).map((difference) => `  ${showDifference(one, difference)}`)].join(
    "\n",
  );

/** The reason why the scenario fails the suite; undefined if its result is as expected. */
function complaint(outcome: Outcome): string | undefined {
  const { area, scenario } = outcome.case;
  const reason = pendingReason(pending, area, scenario.name);
  const differs = outcome.differences.length > 0;
  if (outcome.differences.some(({ text }) => text === serverGone)) return show(outcome);
  if (claimed.has(label(area, scenario.name))) return differs ? undefined : "answered as upstream does: take it out of docs/differences.md";
  if (reason !== undefined) return differs ? undefined : `it works: take it off the list in test/transcripts/pending.json (${reason})`;
  return differs ? show(outcome) : undefined;
}

/**
 * Every outcome, from one run that the first caller starts. On a busy machine an awaited event may arrive too late, or a watch may end too
 * early: scenarios that fail are replayed once more, alone, up to a small number.
 */
const outcomes: () => Promise<ReadonlyMap<Case, Outcome>> = once(async () => {
  const first = await runAll(replayed, startServer);
  const failing = first.filter((outcome) => complaint(outcome) !== undefined).map((outcome) => outcome.case);
  const second = failing.length <= repeatedMax ? await runAll(failing, startServer, { lanes: 1 }) : [];
  return new Map([...first, ...second].map((outcome) => [outcome.case, outcome]));
});
/** Scenarios that may be replayed again. */
const repeatedMax = 20;

function once<T>(make: () => Promise<T>): () => Promise<T> {
  const made: Promise<T>[] = [];
  return () => made[0] ?? (made[0] = make());
}

for (const [area, inArea] of Map.groupBy(replayed, ({ area }) => area)) {
  test(`recorded ${area}`, async (t) => {
    const all = await outcomes();
    for (const one of inArea) {
      const outcome = all.get(one);
      const wrong = outcome === undefined ? "it was not replayed" : complaint(outcome);
      const reason = pendingReason(pending, area, one.scenario.name);
      // A pending scenario was replayed too: it is skipped only while it still differs and the server survives.
      await t.test(one.scenario.name, wrong === undefined && reason !== undefined ? { skip: `pending: ${reason}` } : {}, () => {
        if (wrong !== undefined) assert.fail(wrong);
      });
    }
  });
}

test("an area of pending.json that is not replayed lacks its resource", async () => {
  await using server = await openTestServer({
    settings: { "feature-gates": { AllAlpha: true, AllBeta: true }, "runtime-config": { "api/all": true } },
  });
  for (const area of Object.keys(pending)) {
    const missing = missingResource(pending, area);
    if (missing === undefined) continue;
    assert.ok(areas.includes(area), `${area} is not recorded`);
    const [resource = "", ...groupVersion] = missing.split("/").reverse();
    const path = `/${groupVersion.length === 1 ? "api" : "apis"}/${groupVersion.reverse().join("/")}`;
    const answer = await server.handle(new Request(`https://test${path}`));
    const { resources } = answer.ok ? await answer.json() : { resources: [] };
    const served = resources.some(({ name, verbs }: { name: string; verbs: string[] }) => name === resource && verbs.includes("create"));
    assert.ok(!served, `${missing} is served: take ${area} out of pending.json, and run npm run transcripts -- --write-pending`);
  }
});

test("pending.json and docs/differences.md name recorded scenarios without duplicates", () => {
  const listed = Object.entries(pending).flatMap(([area, names]) =>
    typeof names === "string" ? [] : Object.keys(names).map((name) => label(area, name))
  );
  assert.deepEqual([...listed, ...claims.map(({ area, scenario }) => label(area, scenario))].filter((name) => !known.has(name)), []);
  assert.deepEqual(listed.filter((name) => claimed.has(name)), []);
  assert.equal(claimed.size, claims.length);
  assert.equal(known.size, cases.length, "two scenarios of one area have the same name");
});

test("docs/differences.md has at most one scenario in a hundred", () => {
  assert.ok(claims.length <= cases.length * claimsPerScenarioMax, `${claims.length} of ${cases.length}`);
});
