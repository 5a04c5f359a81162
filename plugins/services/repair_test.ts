// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeContext, openTestServer } from "../../testing.ts";
import { ask } from "../../test/requests.ts";
import type { FoundRecord, Records, SettingOf } from "../../toolbox.ts";
import { ownAddress } from "./own-address.ts";
import { repairAddresses } from "./repair-addresses.ts";
import { repairPorts } from "./repair-ports.ts";

const setting = (values: Readonly<Record<string, unknown>>): SettingOf => ({ name }) => values[name] as never; // of the kind that is read
const networking = "networking.{domain}/v1";
const settings = { "service-cluster-ip-range": "198.51.100.0/28", "service-node-port-range": "30000-30009" };
const longAfterMs = 3_600_000;

test("addresses of services that have no record get one, and those without a service are removed, with events", async () => {
  await using server = await openTestServer({ settings });
  const { api } = server, noted: string[] = [];
  const world = fakeContext({
    api,
    setting: setting(settings),
    events: {
      record: ({ metadata: { name } }, { type, reason, action, controller }) => {
        assert.equal(controller, "ipallocator-repair-controller");
        noted.push(`${name}: ${type} ${reason} ${action}`);
      },
    },
  });
  const repair = async (change: (service: any) => any = (service) => service, nowMs = Date.now() + longAfterMs) => {
    noted.length = 0;
    await repairAddresses(world, (await api.list("v1", "services", "")).items.map(change), nowMs);
    return noted.toSorted();
  };
  const addresses = async () =>
    Object.fromEntries(
      (await api.list(networking, "ipaddresses", "")).items.map(({ metadata, spec }: any) => [metadata.name, spec.parentRef.name]),
    );
  const at = (n: number) => `198.51.100.${n}`;
  const service = (name: string, n: number) =>
    api.create("v1", "services", "default", { metadata: { name }, spec: { clusterIP: at(n), ports: [{ port: 80 }] } });
  const record = (n: number, parentRef: object, labels?: object) =>
    api.create(networking, "ipaddresses", "", {
      metadata: {
        name: at(n),
        labels: labels ?? { "ipaddress.kubernetes.io/ip-family": "IPv4", "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io" },
      },
      spec: { parentRef },
    });
  const parent = (name: string) => ({ resource: "services", namespace: "default", name });
  await service("a", 3);
  await service("b", 4);
  await api.create("v1", "services", "default", { metadata: { name: "headless" }, spec: { clusterIP: "None" } });
  const whole = await addresses();
  assert.deepEqual(await repair(), [], "nothing is wrong");

  await api.delete(networking, "ipaddresses", "", at(3));
  assert.deepEqual(await repair(), ["a: Warning ClusterIPNotAllocated ClusterIPAllocation"]);
  assert.deepEqual(await addresses(), whole);

  await api.delete(networking, "ipaddresses", "", at(3));
  await api.delete(networking, "ipaddresses", "", at(4));
  await record(3, parent("gone"));
  await record(4, { group: "gateway.example.com", resource: "gateways", name: "g" });
  assert.deepEqual(await repair(), ["a", "b"].map((name) => `${name}: Warning ClusterIPNotAllocated ClusterIPAllocation`));
  assert.deepEqual(await addresses(), whole);

  await api.delete(networking, "ipaddresses", "", at(3));
  await record(3, parent("a"), { other: "label" });
  assert.deepEqual(await repair(), [], "an object without the labels is made again");
  assert.equal((await api.get(networking, "ipaddresses", "", at(3))).metadata.labels?.["ipaddress.kubernetes.io/ip-family"], "IPv4");

  await record(9, parent("gone"));
  await record(10, parent("a"));
  await record(11, parent("gone"), {});
  assert.deepEqual(await repair(undefined, Date.now()), [], "a request may not have stored its service yet");
  assert.deepEqual(await repair(), [
    `${at(10)}: Warning IPAddressWrongReference IPAddressAllocation`,
    `${at(9)}: Warning IPAddressNotAllocated IPAddressAllocation`,
  ]);
  assert.deepEqual(await addresses(), { ...whole, [at(11)]: "gone" }, "addresses of others are left alone");

  const moved = (to: string) => (each: any) => each.metadata.name === "a" ? { ...each, spec: { ...each.spec, clusterIPs: [to] } } : each;
  assert.deepEqual(await repair(moved(at(4)), Date.now()), ["a: Warning ClusterIPAlreadyAllocated ClusterIPAllocation"]);
  assert.deepEqual(await repair(moved("192.0.2.1"), Date.now()), ["a: Warning ClusterIPOutOfRange ClusterIPAllocation"]);
});

test("the record of ports gets the ports of all services, and loses a port that had none in three rounds", async () => {
  const kept = new Map<string, FoundRecord>();
  let writes = 0;
  const records: Records = {
    get: (path) => Promise.resolve(kept.get(path)),
    list: () => Promise.resolve([...kept.values()]),
    put(path, value) {
      kept.set(path, { path, value: value!, revision: ++writes });
      return Promise.resolve(true);
    },
  };
  const noted: string[] = [];
  const world = fakeContext({
    records,
    setting: setting(settings),
    events: {
      record: ({ metadata: { name } }, { reason, note, controller }) => {
        assert.equal(controller, "portallocator-repair-controller");
        noted.push(`${name}: ${reason} ${note}`);
      },
    },
  });
  const service = (name: string, ...ports: readonly number[]): any => ({
    metadata: { name },
    spec: { type: "NodePort", ports: ports.map((nodePort, i) => ({ port: 80, nodePort, protocol: i === 0 ? "TCP" : "UDP" })) },
  });
  const leaks = new Map<number, number>();
  const repair = async (...services: readonly any[]) => {
    noted.length = 0;
    await repairPorts(world, services, leaks);
    return noted;
  };
  assert.deepEqual([await repair(service("none")), writes], [[], 0], "without ports nothing is written");
  assert.deepEqual(await repair(service("a", 30_000, 30_000)), ["a: PortNotAllocated Port 30000 is not allocated; repairing"]);
  assert.deepEqual([await repair(service("a", 30_000, 30_000)), writes], [[], 1]);
  assert.deepEqual(await repair(service("a", 30_000), service("b", 30_000), service("c", 1)), [
    "b: PortAlreadyAllocated Port 30000 was assigned to multiple services; please recreate service",
    "c: PortOutOfRange Port 1 is not within the port range 30000-30009; please recreate service",
  ]);
  for (const round of [1, 2]) {
    await repair();
    assert.equal(writes, 1, `round ${round}`);
  }
  await repair();
  assert.equal(writes, 2);
  assert.deepEqual(await repair(service("d", 30_000)), ["d: PortNotAllocated Port 30000 is not allocated; repairing"], "it was free");
});

test("a server that listens on all addresses is reached by that of an interface", () => {
  const all = ["fe80::1", "2001:db8::5", "192.0.2.5", "192.0.2.6"];
  const own = (values: object, addresses: readonly string[] = all) =>
    ownAddress({
      setting: setting({ "advertise-address": "", "bind-address": "0.0.0.0", ...values }),
      machine: { name: "m", addresses: () => addresses },
    });
  assert.equal(own({}), "192.0.2.5");
  assert.equal(own({ "bind-address": "::" }), "2001:db8::5");
  assert.equal(own({ "bind-address": "::" }, ["192.0.2.6"]), "192.0.2.6", "the other family is better than none");
  assert.equal(own({ "advertise-address": "192.0.2.9" }), "192.0.2.9");
  assert.equal(own({ "bind-address": "192.0.2.8" }), "192.0.2.8");
  assert.equal(own({ "bind-address": "127.0.0.1" }), undefined);
  assert.equal(own({}, []), undefined);
});

test("the repair is a hook of the start", async () => {
  await using server = await openTestServer({ settings });
  assert.equal((await ask(server, "GET", "/readyz/poststarthook/start-service-ip-repair-controllers")).status, 200);
});
