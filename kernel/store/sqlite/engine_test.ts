import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Call } from "./calls.ts";
import { openEngine } from "./engine.ts";

test("an engine keeps few pages of a list in memory, and more for writes", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "thole-engine-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const { exec } = DatabaseSync.prototype, sizes: string[] = [];
  t.mock.method(DatabaseSync.prototype, "exec", function (this: DatabaseSync, sql: string) {
    sizes.push(...sql.match(/cache_size=-\d+/g) ?? []);
    return exec.call(this, sql);
  });
  const engine = openEngine(join(folder, "store.sqlite"));
  const list: Call = { op: "list", range: { prefix: "/" }, limit: 10, at: undefined, counted: false };
  const write = (key: string): Call => ({ op: "commit", change: { key, expect: "absent", value: new Uint8Array(1) }, expires: undefined });
  engine.run([list]);
  engine.run([{ op: "get", key: "/a" }]);
  engine.run([list]);
  engine.run([write("/a")]);
  engine.run([write("/b"), list]);
  engine.run([{ op: "get", key: "/a" }]);
  engine.run([list]);
  engine.close();
  assert.deepEqual(sizes, ["cache_size=-2048", "cache_size=-65536", "cache_size=-2048"]);
});
