// Runs the recorded cases of CEL and shows where they differ: `npm run cel -- --group schema --show 5`.
import { parseArgs } from "node:util";
import { type OracleCase, ownCases, sharedCases } from "./cases.ts";
import { type Difference, differencesOf, runCase } from "./compare.ts";

const { values } = parseArgs({
  options: {
    group: { type: "string", default: "" },
    mode: { type: "string", default: "" },
    id: { type: "string", default: "" },
    show: { type: "string", default: "0" },
    own: { type: "boolean", default: false },
  },
});

const cases = [...ownCases(), ...(values.own ? [] : sharedCases() ?? [])].filter(({ id, group, mode }) =>
  group.startsWith(values.group) && mode.startsWith(values.mode) && id.startsWith(values.id)
);
const groups = new Map<string, { total: number; differing: number }>();
const shown: Difference[] = [];

function count(given: OracleCase): void {
  const name = `${given.mode} ${given.group}`;
  const group = groups.get(name) ?? { total: 0, differing: 0 };
  groups.set(name, group);
  group.total++;
  const differences = differencesOf(given, runCase);
  if (differences.length > 0) group.differing++;
  shown.push(...differences);
}

cases.forEach(count);
for (const [name, { total, differing }] of [...groups].sort()) if (differing > 0) console.log(`${name}: ${differing} of ${total} differ`);
const differing = new Set(shown.map((each) => each.case)).size;
console.log(`${cases.length - differing} of ${cases.length} as recorded`);
for (const { case: { id, expect: _, ...given }, field, expected, actual } of shown.slice(0, Number(values.show))) {
  console.log(`\n${id} ${field}\n  given    ${text(given)}\n  expected ${text(expected)}\n  actual   ${text(actual)}`);
}

function text(value: unknown): string {
  const json = JSON.stringify(value) ?? "nothing";
  return json.length > 600 ? `${json.slice(0, 600)}...` : json;
}
