import { randomUUID } from "node:crypto";
import { after, before, describe } from "node:test";
import { openReads } from "../kernel/cache/mod.ts";
import { readsConformance } from "../kernel/cache/reads-conformance.ts";
import { catalog, fastClock, prefix, type Room } from "../kernel/cache/test-room.ts";
import { directReads } from "../kernel/direct-reads.ts";
import { openEtcd } from "../kernel/store/etcd.ts";
import { etcdMissing, type EtcdServer, startEtcd } from "./etcd.ts";

describe("reads over etcd", { skip: etcdMissing() }, () => {
  let etcd: EtcdServer;
  before(async () => {
    etcd = await startEtcd();
  });
  after(() => etcd.stop());
  const open = () => openEtcd({ endpoints: [etcd.endpoint], prefix: `/${randomUUID()}` });

  readsConformance("straight from etcd", async (): Promise<Room> => {
    const store = await open();
    return { store, reads: directReads(store, fastClock), close: () => store.close() };
  });

  readsConformance("cache over etcd", async (): Promise<Room> => {
    const store = await open();
    const cache = await openReads(store, catalog, prefix, { clock: fastClock });
    return {
      store: cache.store,
      reads: cache.reads,
      async close() {
        await cache.close();
        await store.close();
      },
    };
  });
});
