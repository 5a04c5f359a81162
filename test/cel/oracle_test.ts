// In Deno's suite only: expressions and their results are recorded, and no module of a runtime is used.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type OracleCase, ownCases, sharedCases } from "./cases.ts";
import { differencesOf, runCase } from "./compare.ts";
import { differences } from "./differences.ts";

/** The first part of a group: a test for each. */
function topicOf({ mode, group }: OracleCase): string {
  return `${mode} ${group.split("/")[0]}`;
}

function testAll(name: string, cases: readonly OracleCase[]): void {
  const topics = Map.groupBy(cases, topicOf);
  for (const [topic, members] of topics) {
    test(`${name}: ${topic}`, () => {
      const found = members.flatMap((each) => {
        const [first] = differencesOf(each, runCase);
        if (differences.has(each.id)) assert.ok(first !== undefined, `${each.id} does not differ any more`);
        return first === undefined || differences.has(each.id) ? [] : [first];
      });
      const shown = found.slice(0, 5).map(({ case: { id }, field, expected, actual }) =>
        `${id} ${field}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`
      );
      assert.equal(found.length, 0, `${found.length} of ${members.length} differ\n${shown.join("\n")}`);
    });
  }
}

testAll("recorded cases", ownCases());
const others = sharedCases();
if (others === undefined) test("recorded cases of other projects", { skip: "../shared/vectors is not there" }, () => {});
else testAll("recorded cases of other projects", others);
