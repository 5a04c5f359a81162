// Runs all recorded rules through the API of servers in this process: `npm run cel:api -- --group schema --show 5`.
import { parseArgs } from "node:util";
import { openTestServer, type TestServer } from "../../testing.ts";
import { ownCases, type RuleCase, sharedCases } from "./cases.ts";
import { targetOf } from "./through-the-api-target.ts";
import { differencesThroughTheApi, runThroughTheApi } from "./through-the-api.ts";

const { values } = parseArgs({
  options: {
    group: { type: "string", default: "" },
    id: { type: "string", default: "" },
    show: { type: "string", default: "0" },
    own: { type: "boolean", default: false },
  },
});
/** Cases of one server. Each has a definition. */
const batchMax = 100;

const cases = [...ownCases(), ...(values.own ? [] : sharedCases() ?? [])].filter((each): each is RuleCase =>
  each.mode === "rule" && each.group.startsWith(values.group) && each.id.startsWith(values.id)
);
let differing = 0;
const begun = performance.now();
for (let at = 0; at < cases.length; at += batchMax) {
  await using server: TestServer = await openTestServer();
  const answers = await runThroughTheApi(targetOf(server), cases.slice(at, at + batchMax));
  for (const [given, answer] of answers) {
    const differences = differencesThroughTheApi(given, answer);
    if (differences.length === 0) continue;
    if (differing++ < Number(values.show)) console.log(`${given.id} ${given.group}\n  ${differences.join("\n  ")}`);
  }
}
console.log(
  `${cases.length - differing} of ${cases.length} as recorded (${Math.round((performance.now() - begun) / 1000)} s)`,
);
