// In Deno's suite only: the rules do not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type FieldError, fieldErrorText } from "../../core/field-error.ts";
import { defaultNames } from "../../core/names.ts";
import { endpointAddressesMax, sliceEndpointsMax, slicePortsMax } from "./bounds.ts";
import { endpointSlices } from "./endpoint-slice.ts";
import { endpoints } from "./endpoints.ts";

const context: any = { names: defaultNames, gates: () => false }; // `any`: the hooks read nothing else
const texts = (errors: readonly FieldError[] | undefined) => (errors ?? []).map(fieldErrorText);
const metadata = { name: "a", namespace: "default" };
const slice = (changes: object): any => ({ // `any`: also wrong objects
  metadata,
  addressType: "IPv4",
  ports: [{ name: "", protocol: "TCP", port: 80 }],
  endpoints: [{ addresses: ["192.0.2.1"], conditions: {} }],
  ...changes,
});
const subsets = (...all: readonly object[]): any => ({ metadata, subsets: all });

test("a subset of Endpoints has addresses and, if there are several, ports with names", () => {
  const created = (...all: readonly object[]) => texts(endpoints.create?.(subsets(...all), context));
  const addresses = [{ ip: "192.0.2.1" }], port = { port: 80, protocol: "TCP" };
  assert.deepEqual(created({ addresses, ports: [port] }, { notReadyAddresses: [{ ip: "::ffff:192.0.2.1" }] }), []);
  assert.deepEqual(created({ ports: [port] }), ["subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`"]);
  assert.deepEqual(
    created({ addresses, ports: [{ ...port, name: "a" }, { port: 0, protocol: "tcp", appProtocol: "a b" }] }).map((text) =>
      text.split(": ", 2).join(": ")
    ),
    [
      "subsets[0].ports[1].name: Required value",
      "subsets[0].ports[1].port: Invalid value",
      "subsets[0].ports[1].protocol: Unsupported value",
      "subsets[0].ports[1].appProtocol: Invalid value",
    ],
  );
  assert.deepEqual(created({ addresses: [{ ip: "x", hostname: "a.b", nodeName: "N" }] }).map((text) => text.split(":")[0]), [
    "subsets[0].addresses[0].ip",
    "subsets[0].addresses[0].hostname",
    "subsets[0].addresses[0].nodeName",
    "subsets[0].addresses[0].ip",
  ]);
  for (const ip of ["0.0.0.0", "127.1.2.3", "::1", "fe80::1", "169.254.0.1", "224.0.0.9", "ff12::1"]) {
    assert.match(created({ addresses: [{ ip }] })[0]!, /may not be/, ip);
  }
  assert.deepEqual(texts(endpoints.update?.(subsets({}), subsets({}), context)), [], "stored subsets stay valid");
});

test("the table of Endpoints has the first three addresses", () => {
  const cell = endpoints.served["v1"]!.columns![1]!.cell!;
  const addresses = ["192.0.2.1", "2001:db8::1"].map((ip) => ({ ip }));
  assert.equal(cell(subsets({ addresses, ports: [{ port: 1 }, { port: 2 }] })), "192.0.2.1:1,[2001:db8::1]:1,192.0.2.1:2 + 1 more...");
  assert.equal(cell(subsets()), "<none>");
});

test("a slice has at most so many endpoints, addresses and ports", () => {
  const created = (changes: object) => texts(endpointSlices.create?.(slice(changes), context));
  assert.deepEqual(created({}), []);
  const endpoint = { addresses: ["192.0.2.1"] };
  assert.deepEqual(created({ endpoints: Array(sliceEndpointsMax).fill(endpoint) }), []);
  assert.deepEqual(created({ endpoints: Array(sliceEndpointsMax + 1).fill(endpoint) }), [
    "endpoints: Too many: 1001: must have at most 1000 items",
  ]);
  assert.deepEqual(created({ endpoints: [{ addresses: Array(endpointAddressesMax).fill("192.0.2.1") }] }), []);
  assert.deepEqual(created({ endpoints: [{ addresses: Array(endpointAddressesMax + 1).fill("192.0.2.1") }] }), [
    "endpoints[0].addresses: Too many: 101: must have at most 100 items",
  ]);
  const ports = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `p${i}`, protocol: "TCP" }));
  assert.deepEqual(created({ ports: ports(slicePortsMax) }), []);
  assert.deepEqual(created({ ports: ports(slicePortsMax + 1) }), ["ports: Too many: 20001: must have at most 20000 items"]);
  assert.deepEqual(created({ addressType: "Other" }), [
    'addressType: Unsupported value: "Other": supported values: "FQDN", "IPv4", "IPv6"',
  ]);
});

test("v1 does not write the topology of endpoints, and keeps a stored node", () => {
  const topology = { "kubernetes.io/hostname": "n1" };
  const prior = slice({ endpoints: [{ addresses: ["192.0.2.1"], deprecatedTopology: topology }] });
  const next = slice({ endpoints: [{ addresses: ["192.0.2.2"], deprecatedTopology: topology }] });
  assert.deepEqual(endpointSlices.prepare?.(next, undefined, context).endpoints, [{ addresses: ["192.0.2.2"] }]);
  assert.deepEqual(endpointSlices.prepare?.(next, prior, context).endpoints, [{ addresses: ["192.0.2.2"], nodeName: "n1" }]);
  assert.deepEqual(endpointSlices.prepare?.(prior, prior, context).endpoints, prior.endpoints);
});
