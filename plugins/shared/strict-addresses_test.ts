// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../../core/field-error.ts";
import { openTestServer } from "../../testing.ts";
import { ask } from "../../test/requests.ts";
import { validateAddress } from "./addresses.ts";
import { invalidCidr } from "./cidr.ts";

test("strict addresses have no leading zeros and are not IPv4-mapped, and strict blocks begin where they say", () => {
  const address = (text: string) => [false, true].map((strict) => validateAddress(text, "a", strict).map(fieldErrorText));
  assert.deepEqual(address("192.0.2.1"), [[], []]);
  assert.deepEqual(address("2001:DB8:0::1"), [[], []], "it need not be canonical");
  assert.deepEqual(address("192.0.02.1"), [[], ['a: Invalid value: "192.0.02.1": must not have leading 0s']]);
  assert.deepEqual(address("::ffff:192.0.2.1"), [[], ['a: Invalid value: "::ffff:192.0.2.1": must not be an IPv4-mapped IPv6 address']]);
  assert.deepEqual(address("x").map((each) => each.length), [1, 1]);
  const block = (text: string) => [false, true].map((strict) => invalidCidr(text, strict));
  assert.deepEqual(block("2001:DB8::/64"), [[], []]);
  for (
    const [text, wrong] of [
      ["192.0.2.0/024", "must not have leading 0s in IP or prefix length"],
      ["::ffff:192.0.2.0/120", "must not have an IPv4-mapped IPv6 address"],
      ["192.0.2.1/24", "must not have bits set beyond the prefix length"],
    ] as const
  ) assert.deepEqual(block(text), [[], [wrong]]);
});

const core = "/api/v1/namespaces/default", networking = "/apis/networking.k8s.io/v1/namespaces/default";
const zeros = "192.0.02.1", mapped = "::ffff:192.0.2.0/120";
const containers = [{ name: "c", image: "i" }];
const backend = (name: string) => ({ spec: { defaultBackend: { service: { name, port: { number: 80 } } } } });

/** A valid object and what the gates change about it: the fields that are refused. */
const cases: readonly (readonly [path: string, body: object, strict: readonly string[]])[] = [
  [`${core}/pods`, { spec: { containers, hostAliases: [{ ip: zeros }] } }, ["spec.hostAliases[0].ip"]],
  [`${core}/pods`, { spec: { containers, dnsPolicy: "None", dnsConfig: { nameservers: [zeros] } } }, ["spec.dnsConfig.nameservers[0]"]],
  [`${core}/services`, { spec: { ports: [{ port: 1 }], externalIPs: [zeros] } }, ["spec.externalIPs[0]"]],
  [`${core}/services`, { spec: { ports: [{ port: 1 }], type: "LoadBalancer", loadBalancerSourceRanges: [mapped] } }, [
    "spec.LoadBalancerSourceRanges[0]",
  ]],
  [`${core}/endpoints`, { subsets: [{ addresses: [{ ip: zeros }] }] }, ["subsets[0].addresses[0].ip"]],
  ["/api/v1/nodes", { spec: { podCIDRs: [mapped] } }, ["spec.podCIDRs[0]"]],
  ["/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", { addressType: "IPv4", endpoints: [{ addresses: [zeros] }] }, [
    "endpoints[0].addresses[0]",
  ]],
  [`${networking}/networkpolicies`, { spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: mapped } }] }] } }, [
    "spec.ingress[0].from[0].ipBlock.cidr",
  ]],
];

test("StrictIPCIDRValidation refuses ambiguous addresses in older fields, and RelaxedServiceNameValidation allows names with a digit", async () => {
  await using plain = await openTestServer();
  await using gated = await openTestServer({
    settings: { "feature-gates": { StrictIPCIDRValidation: true, RelaxedServiceNameValidation: true } },
  });
  for (const [path, body, strict] of cases) {
    const metadata = { name: "a" },
      causes = async (server: typeof plain) => {
        const { status, body: value } = await ask(server, "POST", `${path}?dryRun=All`, { metadata, ...body });
        return [status, ...(value.details?.causes ?? []).map(({ field }: any) => field)];
      };
    assert.deepEqual([await causes(plain), await causes(gated)], [[201], [422, ...strict]], path);
  }
  const named = async (server: typeof plain, path: string, name: string, body: object) =>
    (await ask(server, "POST", `${path}?dryRun=All`, { metadata: { name }, ...body })).status;
  for (const [server, status] of [[plain, 422], [gated, 201]] as const) {
    assert.equal(await named(server, `${core}/services`, "1a", { spec: { ports: [{ port: 1 }] } }), status);
    assert.equal(await named(server, `${networking}/ingresses`, "a", backend("1a")), status);
    assert.equal(await named(server, `${networking}/ingresses`, "a", backend("A")), 422);
  }

  // Addresses in statuses: stored ones are kept.
  await ask(gated, "POST", `${core}/pods`, { metadata: { name: "p" }, spec: { containers } });
  const status = await ask(gated, "PATCH", `${core}/pods/p/status`, { status: { podIPs: [{ ip: zeros }] } });
  assert.equal(status.status, 422, status.text);
  await ask(gated, "POST", `${networking}/ingresses`, { metadata: { name: "i" }, ...backend("b") });
  const entry = await ask(gated, "PATCH", `${networking}/ingresses/i/status`, { status: { loadBalancer: { ingress: [{ ip: zeros }] } } });
  assert.equal(entry.status, 422, entry.text);
});
