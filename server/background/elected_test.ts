import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../core/async.ts";
import type { Api } from "../../core/api.ts";
import { createRegistry, defineMetric } from "../../metrics/mod.ts";
import { activeConfigOf } from "../config/active-config.ts";
import { withDefaults } from "../config/parse.ts";
import { silentLog } from "../../kernel/observe/log.ts";
import { whenElected } from "./elected.ts";

const isLeader = defineMetric({ name: "leader", type: "gauge", help: "Leader.", labels: ["name"], stability: "ALPHA" });
const none = new Proxy({}, { get: () => () => Promise.reject(new Error("no request is made")) }) as Api; // `as`: any use fails the test

/** Whether controllers run, and rest, without an election. */
async function outcome(runsUnelected: boolean | undefined): Promise<readonly string[]> {
  const seen: string[] = [], over = new AbortController();
  const active = activeConfigOf(withDefaults({ "etcd-servers": ["http://127.0.0.1:1"], "leader-elect": false }), []);
  const working = whenElected(
    active,
    {
      api: none,
      identity: "a",
      isLeader: createRegistry({ isLeader }).record.isLeader,
      ...(runsUnelected === undefined ? {} : { runsUnelected }),
      log: silentLog,
      clock: systemClock,
      bootstrapped: Promise.resolve(),
      resting: () => void seen.push("rests"),
    },
    () => Promise.resolve(void seen.push("runs")),
    over.signal,
  );
  over.abort();
  await working;
  return seen;
}

test("whenElected() without an election runs the controllers, but not in the further workers of a server", async () => {
  assert.deepEqual(await outcome(undefined), ["runs"]);
  assert.deepEqual(await outcome(true), ["runs"]);
  assert.deepEqual(await outcome(false), ["rests"]);
});
