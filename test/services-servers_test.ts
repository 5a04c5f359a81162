// Two servers on one etcd never give an address or a port away twice, and are both endpoints of the API.
// In Deno's suite only: one of the servers runs on each runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { etcdMissing, startEtcd } from "./etcd.ts";
import { httpsClient } from "./https.ts";
import { runtimeMissing, startRealServer, startSkipped, until } from "./real-server.ts";

const services = "/api/v1/namespaces/default/services", ports = 12, tries = 2 * ports;

test("services of two servers have different addresses and ports, until the ports are used up", {
  skip: etcdMissing() || startSkipped("deno") || runtimeMissing("node"),
}, async () => {
  const etcd = await startEtcd();
  const start = (runtime: "deno" | "node", address: string) =>
    startRealServer({
      runtime,
      args: [
        `--etcd-servers=${etcd.endpoint}`,
        `--advertise-address=${address}`,
        "--service-cluster-ip-range=198.51.100.0/26",
        `--service-node-port-range=30000+${ports - 1}`,
      ],
    });
  const servers = await Promise.all([start("deno", "192.0.2.1"), start("node", "192.0.2.2")]), clients = servers.map(httpsClient);
  try {
    for (const client of clients) await until(async () => assert.equal((await client.ask("/readyz")).status, 200));
    const made = await Promise.all(Array.from({ length: tries }, (_, index) =>
      clients[index % 2]!.ask(services, {
        method: "POST",
        body: { metadata: { name: `s${index}` }, spec: { type: "NodePort", ports: [{ port: 80 }] } },
      })));
    const created = made.filter(({ status }) => status === 201).map((answer) => answer.json().spec);
    assert.equal(created.length, ports, [...new Set(made.map(({ text }) => text.slice(0, 200)))].join("\n"));
    assert.equal(new Set(created.map(({ clusterIP }) => clusterIP)).size, ports);
    assert.equal(new Set(created.map(({ ports: [{ nodePort }] }) => nodePort)).size, ports);
    // A rejected service gives its address back: those in use are of the created ones and of the API.
    await until(async () => assert.equal((await clients[0]!.ask("/apis/networking.k8s.io/v1/ipaddresses")).json().items.length, ports + 1));
    await until(async () => {
      const { subsets = [] } = (await clients[1]!.ask("/api/v1/namespaces/default/endpoints/kubernetes")).json();
      assert.deepEqual(subsets.flatMap(({ addresses }: any) => addresses.map(({ ip }: any) => ip)), ["192.0.2.1", "192.0.2.2"]);
    });
  } finally {
    for (const client of clients) client.close();
    for (const server of servers) await server.close();
    await etcd.stop();
  }
});
