// The promises of a store on kine, with SQLite and with PostgreSQL as the guide says to prepare it.
// In Deno's suite only: what is sent to etcd does not depend on the runtime.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { openEtcd } from "../kernel/store/etcd/etcd.ts";
import { type Kine, kineMissing, startKine } from "./kine.ts";
import { connection, postgresMissing, startPostgres } from "./postgres.ts";
import { until } from "./real-server.ts";
import { storeConformance } from "./store/store-conformance.ts";

const compacts = "kine compacts on its own, to what API servers agree on by the key compact_rev_key";
/** What kine leaves out (docs/operators-guide.md#postgresql-mysql-sqlite-or-nats). */
const without = {
  "claim() gives a turn to one of those that have seen the same, and tells the others":
    "kine takes that transaction for compact_rev_key only",
  "compact() drops history before a revision and keeps the state at it": compacts,
  "compact() of a compacted revision does nothing": compacts,
  "a value above the store's bound is rejected and changes nothing": "kine has no bound on a value",
};
const noZeroBytes = "PostgreSQL has no texts with a zero byte";
const withoutOnPostgres = {
  ...without,
  "keys and values keep their bytes, also zero bytes and empty ones": noZeroBytes,
  "list() up to a key leaves out the same key with a zero byte after it": noZeroBytes,
  "writers that lose a race take no revision": "a sequence of PostgreSQL counts the inserts that fail",
};

interface Opened {
  readonly kine: Kine;
  close(): Promise<void>;
}

function promises(name: string, missing: string | false, left: Readonly<Record<string, string>>, open: () => Promise<Opened>): void {
  describe(name, { skip: missing }, () => {
    let opened: Opened | undefined;
    before(async () => opened = await open());
    after(async () => {
      await opened?.kine.stop();
      await opened?.close();
    });
    storeConformance(name, () => until(() => openEtcd({ endpoints: [opened!.kine.endpoint], prefix: `/${randomUUID()}/` })), left);
  });
}

promises("kine on SQLite", kineMissing, without, async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-kine-"));
  return { kine: await startKine(`sqlite://${join(folder, "kine.db")}`), close: () => rm(folder, { recursive: true, force: true }) };
});

promises("kine on PostgreSQL", kineMissing || postgresMissing, withoutOnPostgres, async () => {
  const server = await startPostgres();
  const kine = await startKine(connection(server.port, "kine"));
  // kine makes the database and its table, then answers.
  await (await until(() => openEtcd({ endpoints: [kine.endpoint] }))).close();
  server.run("kine", await preparation());
  return { kine, close: () => server.stop() };
});

/** The statements of the guide. */
async function preparation(): Promise<string> {
  const guide = await readFile(new URL("../docs/operators-guide.md", import.meta.url), "utf8");
  const [, statements] = /\n```sql\n(CREATE FUNCTION [^`]+)```\n/.exec(guide) ?? [];
  return statements ?? assert.fail("the guide has no statements for PostgreSQL");
}
