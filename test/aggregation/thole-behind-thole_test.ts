// Custom resources of one server through another one in front of it, which names the users.
// In Deno's suite only: forwarded_test.ts runs on both runtimes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { documents } from "../https.ts";
import { until } from "../real-server.ts";
import { boatGroup as group, withTwoServers } from "./two-servers.ts";

const things = `/apis/${group}/v1/namespaces/default/boats`;

test("custom resources of a server are served by another one in front of it", async () => {
  await withTwoServers(async ({ front, client, behind }) => {
    const found = (await client.ask(`/apis/${group}/v1`)).json();
    assert.deepEqual(found.resources.map(({ name }: { readonly name: string }) => name), ["boats"]);
    const { chunks } = await client.stream(`${things}?watch=1`), events = documents(chunks)[Symbol.asyncIterator]();
    const boat = { apiVersion: `${group}/v1`, kind: "Boat", metadata: { name: "a" }, spec: { length: 3 } };
    const made = await client.ask(things, { method: "POST", body: boat });
    assert.equal(made.status, 201, made.text);
    const { value: event } = await events.next();
    assert.deepEqual([event.type, event.object.metadata.name], ["ADDED", "a"]);
    await events.return?.(undefined);
    const wrong = await client.ask(things, { method: "POST", body: { ...boat, metadata: { name: "b" }, spec: { length: 0 } } });
    assert.deepEqual([wrong.status, wrong.json().reason], [422, "Invalid"]);
    const applied = await client.ask(`${things}/a?fieldManager=me`, {
      method: "PATCH",
      headers: { "content-type": "application/apply-patch+yaml" },
      body: JSON.stringify({ ...boat, metadata: { name: "a", labels: { a: "b" } } }),
    });
    assert.deepEqual([applied.status, applied.json().metadata.labels], [200, { a: "b" }]);
    const table = await client.ask(things, { headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } });
    assert.equal(table.json().kind, "Table");
    assert.equal((await behind.ask(`${things}/a`)).status, 200, "the object is there");
    assert.equal((await client.ask(`${things}/a`, { method: "DELETE" })).status, 200);
    // A body passes for an impersonated user, who is named to the server behind.
    const acting = { headers: { "impersonate-user": "carol", "impersonate-group": "system:masters" } };
    const created = await client.ask(things, { method: "POST", body: { ...boat, metadata: { name: "c" } }, ...acting });
    assert.equal(created.status, 201, created.text);
    // Neither server gives this user rights.
    const refused = await client.ask(things, { headers: { authorization: `Bearer ${front.tokens.alice}` } });
    assert.deepEqual([refused.status, refused.json().reason], [403, "Forbidden"]);
    const info = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
    await until(async () => {
      const { data = {} } = (await client.ask(info)).json();
      assert.equal(data["requestheader-username-headers"], '["X-Remote-User"]');
      assert.match(data["requestheader-client-ca-file"], /^-----BEGIN CERTIFICATE-----/);
    });
  });
});
