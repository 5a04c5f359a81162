import assert from "node:assert/strict";
import { test } from "node:test";
import { addressesInOrder, machineAddresses } from "./machine-addresses.ts";

const address = (text: string, more: object = {}) => ({
  address: text,
  family: text.includes(":") ? "IPv6" : "IPv4",
  internal: false,
  ...more,
});
const interfaces = {
  lo: [address("127.0.0.1", { internal: true }), address("198.51.100.1", { internal: true }), address("::1", { internal: true })],
  bridge: [address("192.0.2.1"), address("fe80::1%bridge")],
  out: [address("169.254.0.1"), address("192.0.2.7"), address("fe80::7"), address("2001:db8::7")],
};
const header = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT   \n";
const route = (name: string, destination = "00000000") => `${name}\t${destination}\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0   \n`;
const none = "0".repeat(32), some = "20010db8000000000000000000000001";
const route6 = (name: string, destination = none, gateway = some) =>
  `${destination} 00 ${none} 00 ${gateway} 00000400 00000003 00000000 00000003     ${name}\n`;
const others = ["192.0.2.1", "fe80::1", "169.254.0.1", "192.0.2.7", "fe80::7", "2001:db8::7"];
const from = (first: readonly string[]) => [...first, ...others.filter((each) => !first.includes(each))];

test("the addresses of the default routes' interfaces are first, IPv4 before IPv6", () => {
  assert.deepEqual(addressesInOrder(interfaces, "", ""), others);
  assert.deepEqual(addressesInOrder(interfaces, header + route("bridge", "000200C0") + route("out"), ""), from(["192.0.2.7"]));
  assert.deepEqual(addressesInOrder(interfaces, header, route6("out")), from(["2001:db8::7"]));
  assert.deepEqual(addressesInOrder(interfaces, header + route("out"), route6("out")), from(["192.0.2.7", "2001:db8::7"]));
  assert.deepEqual(addressesInOrder(interfaces, header + route("out") + route("bridge"), ""), from(["192.0.2.7", "192.0.2.1"]));
});

test("routes to the loopback interface, of other interfaces and in broken lines are none", () => {
  assert.deepEqual(addressesInOrder(interfaces, header, route6("lo", none, none)), others);
  assert.deepEqual(addressesInOrder(interfaces, "\n \nout\nout 00000001\n", "x y\n" + none), others);
});

test("a route whose interface has no address that others can reach uses one of the loopback interface", () => {
  const bare = { lo: interfaces.lo, out: [address("fe80::7")], other: [address("192.0.2.9")] };
  assert.deepEqual(addressesInOrder(bare, header + route("out"), ""), ["198.51.100.1", "fe80::7", "192.0.2.9"]);
  assert.deepEqual(addressesInOrder(bare, header + route("constructor"), ""), ["198.51.100.1", "fe80::7", "192.0.2.9"]);
});

test("the addresses of this machine have no zones, and are no loopback addresses", () => {
  for (const each of machineAddresses()) assert.ok(!each.includes("%") && each !== "127.0.0.1" && each !== "::1", each);
});
