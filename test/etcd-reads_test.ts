import { randomUUID } from "node:crypto";
import { after, before, describe } from "node:test";
import { readsConformance } from "./reads/reads-conformance.ts";
import { semanticsConformance } from "./reads/semantics-conformance.ts";
import { cached, fastClock, type Fixture, neverFilled } from "./reads/fixture.ts";
import { directReads } from "../kernel/reads/direct-reads.ts";
import { openEtcd } from "../kernel/store/etcd/etcd.ts";
import { etcdMissing, type EtcdServer, startEtcd } from "./etcd.ts";

describe("reads over etcd", { skip: etcdMissing() }, () => {
  let etcd: EtcdServer;
  before(async () => {
    etcd = await startEtcd();
  });
  after(() => etcd.stop());
  const open = () => openEtcd({ endpoints: [etcd.endpoint], prefix: `/${randomUUID()}` });

  const direct = async (): Promise<Fixture> => {
    const store = await open();
    return { store, reads: directReads(store, fastClock), close: () => store.close() };
  };

  readsConformance("straight from etcd", direct);
  readsConformance("cache over etcd", async () => cached(await open()));
  semanticsConformance("straight from etcd", { open: direct });
  semanticsConformance("cache over etcd", { open: async () => cached(await open()) });
  semanticsConformance("cache over etcd that is still being filled", { open: direct, reopen: neverFilled, filling: true });
});
