// The log backend: joined writes and failures.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { eventOf, losses, settled } from "../../test/audit/events.ts";
import type { LineSink } from "../../protocols/files/line-sink.ts";
import { logBackend } from "./log-backend.ts";
import { rotatingFile } from "../../protocols/files/rotating-file.ts";

const never = new AbortController().signal;

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-audit-"));
  try {
    await run(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
test("logBackend() writes events that arrive during a write together, in order", async () => {
  const writes: string[] = [], ends: (() => void)[] = [];
  const sink: LineSink = {
    append(lines) {
      writes.push(lines.map((each) => new TextDecoder().decode(each)).join("|"));
      return new Promise((resolve) => ends.push(() => resolve(new Map())));
    },
    close: () => Promise.resolve(),
  };
  const { lost, texts } = losses();
  const backend = logBackend(sink, ({ event }) => event.auditId, lost);
  const all = [backend.process([eventOf("a")]), backend.process([eventOf("b"), eventOf("c")]), backend.process([eventOf("d")])];
  ends.shift()!();
  await all[0];
  await settled();
  assert.deepEqual(writes, ["a", "b|c|d"]);
  ends.shift()!();
  assert.deepEqual([await Promise.all(all), texts], [[true, true, true], []]);
});

test("logBackend() counts lines that were not written, and fails only their requests", async () => {
  const failed = [new Map([[1, "ENOSPC"]]), new Error("EIO")];
  const sink: LineSink = {
    append() {
      const next = failed.shift()!;
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    },
    close: () => Promise.resolve(),
  };
  const { lost, texts } = losses();
  const backend = logBackend(sink, ({ event }) => event.auditId, lost);
  assert.equal(await backend.process([eventOf("a"), eventOf("b")]), false);
  assert.equal(await backend.process([eventOf("c")]), false);
  assert.deepEqual(texts, ["log: ENOSPC (1)", "log: EIO (1)"]);
});

test("logBackend() closes its file after the last line", () =>
  inFolder(async (folder) => {
    const path = join(folder, "audit.log");
    const backend = logBackend(
      await rotatingFile(path, { maxBytes: 0, maxAgeMs: 0, maxBackups: 0, compress: false, now: Date.now, report: () => {} }),
      ({ event }) => `${event.auditId}\n`,
      losses().lost,
    );
    void backend.process([eventOf("a")]);
    void backend.process([eventOf("b")]);
    await backend.close(never);
    assert.equal(await readFile(path, "utf8"), "a\nb\n");
  }));
