// Controllers of a server over objects that another server has.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client } from "../https.ts";
import { until } from "../real-server.ts";
import { boatGroup, withTwoServers } from "./two-servers.ts";

const boats = (namespace: string) => `/apis/${boatGroup}/v1/namespaces/${namespace}/boats`;
const boat = (name: string, more: object = {}) => ({ apiVersion: `${boatGroup}/v1`, kind: "Boat", metadata: { name, ...more } });

async function made(client: Client, path: string, body: object): Promise<any> {
  const { status, text, json } = await client.ask(path, { method: "POST", body });
  assert.equal(status, 201, text);
  return json();
}
async function isGone(client: Client, path: string): Promise<void> {
  await until(async () => assert.equal((await client.ask(path)).status, 404));
}

test("garbage collection, quotas and the deletion of namespaces see objects of other servers", async () => {
  await withTwoServers(async ({ client, behind, inner }) => {
    for (const each of [client, behind]) await made(each, "/api/v1/namespaces", { metadata: { name: "team" } });
    const configMaps = "/api/v1/namespaces/team/configmaps";

    // An owner here with a dependent there, and the other way round.
    const { metadata: { uid } } = await made(client, configMaps, { metadata: { name: "here" } });
    const ownedByMap = { ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "here", uid }] };
    const there = (await made(client, boats("team"), boat("there"))).metadata.uid;
    const ownedByBoat = { ownerReferences: [{ apiVersion: `${boatGroup}/v1`, kind: "Boat", name: "there", uid: there }] };
    await made(client, configMaps, { metadata: { name: "owned", ...ownedByBoat } });
    // The server behind does not know the ConfigMap: its own collector would delete the boat at once.
    await made(client, boats("team"), boat("quiet"));

    await made(client, "/api/v1/namespaces/team/resourcequotas", {
      metadata: { name: "boats" },
      spec: { hard: { [`count/boats.${boatGroup}`]: "9" } },
    });
    await until(async () => {
      const { status } = (await client.ask("/api/v1/namespaces/team/resourcequotas/boats")).json();
      assert.equal(status.used?.[`count/boats.${boatGroup}`], "2");
    });
    assert.equal((await client.ask(`${boats("team")}/there`, { method: "DELETE" })).status, 200);
    await isGone(client, `${configMaps}/owned`);

    await made(client, configMaps, { metadata: { name: "last", ...ownedByMap } });
    assert.equal((await client.ask(`${configMaps}/here`, { method: "DELETE" })).status, 200);
    await isGone(client, `${configMaps}/last`);

    assert.equal((await client.ask("/api/v1/namespaces/team", { method: "DELETE" })).status, 200);
    await isGone(client, "/api/v1/namespaces/team");
    assert.deepEqual((await behind.ask(boats("team"))).json().items, []);

    // A namespace waits for a server that does not answer, and the rest of it is deleted.
    await made(client, "/api/v1/namespaces", { metadata: { name: "waits" } });
    await made(client, "/api/v1/namespaces/waits/configmaps", { metadata: { name: "a" } });
    await inner.close();
    const registration = `/apis/apiregistration.k8s.io/v1/apiservices/v1.${boatGroup}`;
    await client.ask(registration, {
      method: "PATCH",
      headers: { "content-type": "application/merge-patch+json" },
      body: JSON.stringify({ spec: { versionPriority: 11 } }), // it is checked again
    });
    const known = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    await until(async () => {
      const { items } = (await client.ask("/apis", { headers: { accept: known } })).json();
      assert.equal(items.find(({ metadata }: any) => metadata.name === boatGroup).versions[0].freshness, "Stale");
    });
    assert.equal((await client.ask("/api/v1/namespaces/waits", { method: "DELETE" })).status, 200);
    await until(async () => {
      const { status } = (await client.ask("/api/v1/namespaces/waits")).json();
      const found = status.conditions?.find(({ type }: any) => type === "NamespaceDeletionDiscoveryFailure");
      assert.deepEqual([found?.status, found?.reason], ["True", "DiscoveryFailed"]);
      assert.match(found.message, /1 failing: .*: shop\.example\/v1: stale GroupVersion discovery: shop\.example\/v1$/);
    });
    assert.equal((await client.ask("/api/v1/namespaces/waits/configmaps/a")).status, 404);
    assert.equal((await client.ask(registration, { method: "DELETE" })).status, 200);
    await isGone(client, "/api/v1/namespaces/waits");
  });
});
