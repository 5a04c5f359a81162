import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog } from "../../kernel/observe/log.ts";
import { withDefaults } from "../config/parse.ts";
import { openServer } from "./open-server.ts";
import type { SteadyClock } from "./steady-clock.ts";

test("openServer() that fails ends what it has begun, so that its process can end", async () => {
  const followed: AbortSignal[] = [];
  const steady: SteadyClock = { now: Date.now, follow: (signal) => void followed.push(signal) };
  const config = withDefaults({ "etcd-servers": ["https://127.0.0.1:1"], "etcd-cafile": "/does/not/exist" });
  await assert.rejects(openServer({ config, plugins: [], log: silentLog, instead: { steady } }), /etcd-cafile|does\/not\/exist/);
  assert.deepEqual(followed.map(({ aborted }) => aborted), [true]);
});
