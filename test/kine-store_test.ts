// The promises of a store on kine with SQLite.
// In Deno's suite only: what is sent to etcd does not depend on the runtime.
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { openEtcd } from "../kernel/store/etcd/etcd.ts";
import { type Kine, kineMissing, startKine } from "./kine.ts";
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

describe("kine on SQLite", { skip: kineMissing }, () => {
  let kine: Kine, folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "thole-kine-"));
    kine = await startKine(`sqlite://${join(folder, "kine.db")}`);
  });
  after(async () => {
    await kine.stop();
    await rm(folder, { recursive: true, force: true });
  });
  storeConformance("kine on SQLite", () => until(() => openEtcd({ endpoints: [kine.endpoint], prefix: `/${randomUUID()}/` })), without);
});
