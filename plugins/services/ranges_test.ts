// In Deno's suite only: the rules do not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type FieldError, fieldErrorText } from "../../core/field-error.ts";
import { defaultNames } from "../../core/names.ts";
import { ipAddresses } from "./ip-address.ts";
import { serviceCIDRs } from "./service-cidr.ts";

const context: any = { names: defaultNames }; // `any`: the hooks read nothing else
const texts = (errors: readonly FieldError[] | undefined) => (errors ?? []).map(fieldErrorText);
const range = (...cidrs: readonly string[]): any => ({ metadata: { name: "a" }, spec: { cidrs }, status: {} });
const address = (parentRef?: object): any => ({ metadata: { name: "192.0.2.1" }, spec: { parentRef } });

test("a ServiceCIDR has one canonical range, or one of each family", () => {
  const created = (...cidrs: readonly string[]) => texts(serviceCIDRs.create?.(range(...cidrs), context));
  assert.deepEqual(created("192.0.2.0/24", "2001:db8::/64"), []);
  assert.deepEqual(created(), ["spec.cidrs: Required value: at least one CIDR required"]);
  assert.match(created("192.0.2.0/24", "2001:db8::/64", "x")[0]!, /may only hold up to 2 values$/);
  assert.match(created("192.0.2.0/24", "198.51.100.0/24")[0]!, /may specify no more than one IP for each IP family/);
  for (
    const [text, wrong] of [
      ["192.0.2.0", "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"],
      ["192.0.02.0/24", "must not have leading 0s in IP or prefix length"],
      ["::ffff:192.0.2.0/120", "must not have an IPv4-mapped IPv6 address"],
      ["192.0.2.1/24", "must not have bits set beyond the prefix length"],
      ["2001:DB8::/64", 'must be in canonical form ("2001:db8::/64")'],
    ] as const
  ) assert.deepEqual(created(text), [`spec.cidrs[0]: Invalid value: "${text}": ${wrong}`]);
});

test("an update of a ServiceCIDR adds a second range at most", () => {
  const updated = (next: object, prior: object) => texts(serviceCIDRs.update?.(next as any, prior as any, context)); // whole objects
  assert.deepEqual(updated(range("192.0.2.0/24", "2001:db8::/64"), range("192.0.2.0/24")), []);
  assert.match(updated(range("192.0.2.0/24"), range("192.0.2.0/24", "2001:db8::/64"))[0]!, /^spec.cidrs: .*field is immutable$/);
  assert.match(updated(range("192.0.3.0/24"), range("192.0.2.0/24"))[0]!, /^spec.cidrs\[0\]: .*field is immutable$/);
});

test("an IPAddress is named like itself, and its parent does not change", () => {
  const parent = { resource: "services", namespace: "default", name: "a" };
  assert.deepEqual(ipAddresses.strategy?.nameRule?.("192.0.2.1", false), []);
  assert.deepEqual(ipAddresses.strategy?.nameRule?.("2001:db8:0::1", false), ['must be in canonical form ("2001:db8::1")']);
  assert.deepEqual(texts(ipAddresses.create?.(address(parent), context)), []);
  assert.deepEqual(texts(ipAddresses.create?.(address(), context)), ["spec.parentRef: Required value"]);
  assert.deepEqual(texts(ipAddresses.create?.(address({ group: "Bad", namespace: ".." }), context)).map((each) => each.split(":")[0]), [
    "spec.parentRef.group",
    "spec.parentRef.resource",
    "spec.parentRef.name",
    "spec.parentRef.namespace",
  ]);
  assert.match(texts(ipAddresses.update?.(address({ ...parent, name: "b" }), address(parent), context))[0]!, /field is immutable$/);
});
