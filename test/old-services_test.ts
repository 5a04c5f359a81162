// Services that an old kube-apiserver has stored, before a service could have two addresses, are shown as complete ones.
// In Deno's suite only: the rules do not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "./real-server.ts";
import { stores, within } from "./stores.ts";

const old: Readonly<Record<string, object>> = {
  plain: { type: "ClusterIP", clusterIP: "198.51.100.9", ports: [{ port: 80, protocol: "TCP", targetPort: 80 }] },
  headless: { type: "ClusterIP", clusterIP: "None", selector: { app: "a" } },
  lone: { type: "ClusterIP", clusterIP: "None" },
  name: { type: "ExternalName", externalName: "example.com", internalTrafficPolicy: "Cluster" },
};

test("services that were stored before there were two families get addresses, families and a policy", async () => {
  await stores[0]!.on(async (open, args) => {
    const store = await open();
    for (const [name, spec] of Object.entries(old)) {
      const metadata = { name, namespace: "default", uid: `0f6a3a1e-6d0c-4d5e-9a55-${name.padEnd(12, "0").replace(/[^0-9a-f]/g, "0")}` };
      const object = {
        kind: "Service",
        apiVersion: "v1",
        metadata,
        spec: { sessionAffinity: "None", ...spec },
        status: { loadBalancer: {} },
      };
      const value = new TextEncoder().encode(`${JSON.stringify(object)}\n`);
      assert.ok((await store.commit({ key: `/registry/services/specs/default/${name}`, expect: "absent", value })).done);
    }
    await store.close();
    await within([...args, "--service-cluster-ip-range=198.51.100.0/28"], async (client) => {
      const specOf = async (name: string) => (await client.ask(`/api/v1/namespaces/default/services/${name}`)).json().spec;
      const shown = async (name: string) => {
        const { clusterIPs, ipFamilies, ipFamilyPolicy, internalTrafficPolicy } = await specOf(name);
        return [clusterIPs, ipFamilies, ipFamilyPolicy, internalTrafficPolicy];
      };
      await until(async () => assert.deepEqual(await shown("plain"), [["198.51.100.9"], ["IPv4"], "SingleStack", "Cluster"]));
      await until(async () => assert.deepEqual(await shown("headless"), [["None"], ["IPv4"], "SingleStack", "Cluster"]));
      await until(async () => assert.deepEqual(await shown("lone"), [["None"], ["IPv4", "IPv6"], "RequireDualStack", "Cluster"]));
      await until(async () => assert.deepEqual(await shown("name"), [undefined, undefined, undefined, undefined]));
      const { json } = await client.ask("/apis/networking.k8s.io/v1/ipaddresses/198.51.100.9");
      assert.equal(json().spec.parentRef.name, "plain", "its address is recorded");
    });
  });
});
