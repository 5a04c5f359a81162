// Several servers on one etcd: default roles when both start, and bindings written by the other server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { etcdMissing, startEtcd } from "../etcd.ts";
import { startTestServer } from "../harness.ts";
import { httpsClient } from "../https.ts";
import { until } from "../real-server.ts";

const group = "rbac.authorization.k8s.io", api = `/apis/${group}/v1`;

test(
  "two servers that start at the same time create the default roles once, and follow each other's bindings",
  { skip: etcdMissing() },
  async () => {
    const etcd = await startEtcd();
    const servers = await Promise.all([1, 2].map(() => startTestServer({ args: [`--etcd-servers=${etcd.endpoint}`] })));
    const admins = servers.map(({ port, ca, tokens }) => httpsClient({ port, ca, token: tokens.admin }));
    const users = servers.map(({ port, ca, tokens }) => httpsClient({ port, ca, token: tokens.alice }));
    try {
      const rolesOf = async (index: number) => (await admins[index]!.ask(`${api}/clusterroles/view`)).json();
      for (const admin of admins) await until(async () => assert.equal((await admin.ask("/readyz")).status, 200));
      await until(async () => assert.ok((await rolesOf(0)).rules.length > 0));
      assert.equal((await rolesOf(0)).metadata.uid, (await rolesOf(1)).metadata.uid);
      for (const { logged } of servers) assert.doesNotMatch(logged.join("\n"), /bootstrap-roles failed/);
      const binding = {
        metadata: { name: "views" },
        roleRef: { apiGroup: group, kind: "ClusterRole", name: "view" },
        subjects: [{ apiGroup: group, kind: "User", name: "alice" }],
      };
      const status = async () => (await users[1]!.ask("/api/v1/configmaps")).status;
      assert.equal(await status(), 403);
      assert.equal((await admins[0]!.ask(`${api}/clusterrolebindings`, { method: "POST", body: binding })).status, 201);
      await until(async () => assert.equal(await status(), 200));
      assert.equal((await admins[0]!.ask(`${api}/clusterrolebindings/views`, { method: "DELETE" })).status, 200);
      await until(async () => assert.equal(await status(), 403));
    } finally {
      for (const client of [...admins, ...users]) client.close();
      for (const server of servers) await server.close();
      await etcd.stop();
    }
  },
);
