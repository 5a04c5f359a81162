// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeContext, openTestServer } from "../../testing.ts";
import { defaultNames } from "../../core/names.ts";
import type { SettingOf } from "../../toolbox.ts";
import { identityOf } from "../shared/server-identity.ts";
import { identityGate, removeOld, renew, renewalMs } from "./identity.ts";

const now = Date.parse("2024-05-01T10:00:00Z"), hourMs = 3_600_000;

test("identityOf() is the name that a kube-apiserver has on the same machine", async () => {
  assert.equal(await identityOf("machine-one"), "apiserver-rrypa3hkego7or6v6bjivhjgza");
  assert.notEqual(await identityOf("machine-two"), await identityOf("machine-one"));
});

test("the lease of a server is created, renewed, and removed when it is old", async () => {
  await using server = await openTestServer();
  const world = fakeContext({ api: server.api, names: defaultNames });
  const leases = async () => (await server.api.list("coordination.{domain}/v1", "leases", "kube-system")).items as any[];
  await renew(world, "one", "first", now);
  const [made] = await leases();
  assert.deepEqual(made.metadata.labels, { "apiserver.kubernetes.io/identity": "kube-apiserver", "kubernetes.io/hostname": "one" });
  assert.deepEqual(made.spec, { holderIdentity: "first", leaseDurationSeconds: 3600, renewTime: "2024-05-01T10:00:00.000000Z" });
  await renew(world, "one", "second", now + 10_000);
  const [renewed] = await leases();
  assert.deepEqual([renewed.spec.holderIdentity, renewed.spec.renewTime], ["first", "2024-05-01T10:00:10.000000Z"]);
  await renew(world, "two", "third", now);
  await server.api.create("coordination.{domain}/v1", "leases", "kube-system", { metadata: { name: "other" }, spec: {} });
  await removeOld(world, now + hourMs);
  assert.equal((await leases()).length, 3, "two lasts until the end of this millisecond");
  await removeOld(world, now + hourMs + 1);
  assert.deepEqual((await leases()).map(({ metadata }) => metadata.name), [await identityOf("one"), "other"]);
  await removeOld(world, now + 2 * hourMs);
  assert.deepEqual((await leases()).map(({ metadata }) => metadata.name), ["other"]);
});

test("a server has a lease with its gate on and a store that outlives it, which is renewed seldom if it has one server", async () => {
  await using server = await openTestServer();
  const of = (values: Readonly<Record<string, unknown>>, isOn = true) => {
    const setting: SettingOf = ({ name }) => ({ "etcd-servers": [], "data-dir": "data", ...values })[name] as never; // of the kind that is read
    return renewalMs(fakeContext({ api: server.api, setting, gates: (gate) => gate === identityGate && isOn }));
  };
  assert.equal(of({}), 600_000);
  assert.equal(of({ "etcd-servers": ["http://192.0.2.1:2379"], "data-dir": ":memory:" }), 10_000);
  assert.equal(of({ "data-dir": ":memory:" }), undefined);
  assert.equal(of({}, false), undefined);
});
