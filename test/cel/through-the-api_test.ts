// A sample of the recorded rules, through the API of a server. `npm run cel:api` runs all.
// In Deno's suite only: expressions and their results are recorded, and no module of a runtime is used.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer } from "../../testing.ts";
import { ownCases, type RuleCase, sharedCases } from "./cases.ts";
import { targetOf } from "./through-the-api-target.ts";
import { differencesThroughTheApi, runThroughTheApi } from "./through-the-api.ts";

/** Every case of updates is in the sample, and one in so many of the others. */
const sampled = 16;
const rules = [...ownCases(), ...sharedCases() ?? []].filter((each): each is RuleCase => each.mode === "rule");
const sample = rules.filter(({ oldObject }, index) => oldObject !== undefined || index % sampled === 0);

test("recorded rules have the same results through the API: status, causes, messages and warnings", async () => {
  await using server = await openTestServer();
  const answers = await runThroughTheApi(targetOf(server), sample);
  const found = [...answers].flatMap(([given, answer]) => {
    const differences = differencesThroughTheApi(given, answer);
    return differences.length === 0 ? [] : [`${given.id}\n  ${differences.join("\n  ")}`];
  });
  assert.equal(found.length, 0, `${found.length} of ${sample.length} differ\n${found.slice(0, 5).join("\n")}`);
});
