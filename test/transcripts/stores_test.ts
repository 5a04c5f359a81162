// Replays the recordings of lists, selectors and watches on every store, with and without the cache. What reads come from does not depend on
// the runtime: Deno's suite replays them on what the stores return, one half of the scenarios on sqlite and the other on etcd, whose shared suites show that both
// stores return the same; Node's on what the cache over etcd holds. THOLE_RUNTIMES=all replays all on each.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { directReads } from "../../kernel/reads/direct-reads.ts";
import { etcdMissing, type EtcdServer, startEtcd } from "../etcd.ts";
import { startTestServer } from "../harness.ts";
import { ownRuntime } from "../real-server.ts";
import { pendingReason, readClaims, readPending } from "./pending.ts";
import { type Case, readCases } from "./recording.ts";
import { showDifference } from "./replay.ts";
import { runAll, type StartServer } from "./run.ts";

const areas = ["lists", "selectors", "watches"];
const pending = readPending();
const claimed = new Set(readClaims().map(({ area, scenario }) => `${area}: ${scenario}`));
const cases = readCases(areas).filter(({ area, scenario: { name } }) =>
  pendingReason(pending, area, name) === undefined && !claimed.has(`${area}: ${name}`)
);

/**
 * Asserts that there is no difference; each lane of the replay starts its own server. The recorded watches end after a second, which can be
 * too short on a busy machine: scenarios that differ are replayed once more, alone.
 */
async function proveAll(start: StartServer, cases: readonly Case[]): Promise<void> {
  assert.deepEqual(new Set(cases.map(({ area }) => area)), new Set(areas));
  const differing = (await runAll(cases, start)).filter(({ differences }) => differences.length > 0);
  assert.ok(differing.length <= cases.length / 4, `${differing.length} of ${cases.length} scenarios differ`);
  const outcomes = await runAll(differing.map((each) => each.case), start, { lanes: 1 });
  const wrong = outcomes.flatMap(({ case: one, differences }) =>
    differences.map((difference) => `${one.area}: ${one.scenario.name}: ${showDifference(one, difference)}`)
  );
  assert.deepEqual(wrong, []);
}
const uncached = { instead: { readsOver: directReads } };
/** Every second scenario: those of one of the two stores. */
const half = (rest: 0 | 1) => process.env.THOLE_RUNTIMES === "all" ? cases : cases.filter((_, at) => at % 2 === rest);

/** The reason to skip, or false. */
const notOn = (runtime: "deno" | "node") =>
  runtime !== ownRuntime && process.env.THOLE_RUNTIMES !== "all" && `the suite on ${runtime} replays them`;

// From the cache over sqlite every area is replayed beside this.
test(
  "lists, selectors and watches match the recordings, directly from sqlite",
  { skip: notOn("deno") },
  () => proveAll((flags) => startTestServer({ args: [...flags], ...uncached }), half(0)),
);

describe("over etcd", { skip: etcdMissing() }, () => {
  let etcd: EtcdServer;
  before(async () => {
    etcd = await startEtcd();
  });
  after(() => etcd.stop());
  const args = () => [`--etcd-servers=${etcd.endpoint}`, `--etcd-prefix=/${randomUUID()}`];

  test(
    "lists, selectors and watches match the recordings, from the cache",
    { skip: notOn("node") },
    () => proveAll((flags) => startTestServer({ args: [...flags, ...args()] }), cases),
  );
  test(
    "lists, selectors and watches match the recordings, directly from it",
    { skip: notOn("deno") },
    () => proveAll((flags) => startTestServer({ args: [...flags, ...args()], ...uncached }), half(1)),
  );
});
