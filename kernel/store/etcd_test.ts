import { randomUUID } from "node:crypto";
import { after, before, describe } from "node:test";
import { etcdMissing, type EtcdServer, startEtcd } from "../../test/etcd.ts";
import { openEtcd } from "./etcd.ts";
import { storeConformance } from "./store-conformance.ts";

describe("etcd", { skip: etcdMissing() }, () => {
  let etcd: EtcdServer;
  before(async () => {
    etcd = await startEtcd();
  });
  after(() => etcd.stop());

  storeConformance("etcd", () => openEtcd({ endpoints: [etcd.endpoint], prefix: `/${randomUUID()}/` }));
});
