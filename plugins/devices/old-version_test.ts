// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ask } from "../../test/requests.ts";
import { openTestServer } from "../../testing.ts";

const settings = { "runtime-config": { "resource.k8s.io/v1beta1": true } }, home = "/apis/resource.k8s.io/v1beta1";
const claims = `${home}/namespaces/default/resourceclaims?dryRun=All`, slices = `${home}/resourceslices?dryRun=All`;
const ownedIn = ({ body }: { readonly body: any }) => body.metadata.managedFields?.[0].fieldsV1["f:spec"];

test("a write in v1beta1 owns what it sends, and not what the conversion to the stored version adds", async () => {
  await using server = await openTestServer({ settings });
  const claim = async (devices: object) => await ask(server, "POST", claims, { metadata: { name: "a" }, spec: { devices } });
  assert.equal(ownedIn(await claim({})), undefined);
  assert.deepEqual(ownedIn(await claim({ requests: [] })), { "f:devices": { "f:requests": {} } });
  assert.deepEqual(ownedIn(await claim({ requests: [{ name: "a", deviceClassName: "c" }] })), { "f:devices": { "f:requests": {} } });

  const pool = { name: "p", generation: 1, resourceSliceCount: 1 };
  const slice = async (spec: object) =>
    Object.keys(ownedIn(await ask(server, "POST", slices, { metadata: { name: "a" }, spec: { driver: "d", pool, ...spec } })));
  assert.deepEqual(await slice({ nodeName: "n", allNodes: false }), ["f:driver", "f:nodeName", "f:pool"]);
  assert.deepEqual(await slice({ nodeName: "", allNodes: true }), ["f:allNodes", "f:driver", "f:pool"]);
});

test("a request of v1beta1 without a class has no defaults", async () => {
  await using server = await openTestServer({ settings });
  const causes = async (request: object) => {
    const { body } = await ask(server, "POST", claims, {
      metadata: { name: "a" },
      spec: { devices: { requests: [{ name: "r", ...request }] } },
    });
    return body.details.causes.map(({ field }: any) => field.replace("spec.devices.requests[0].exactly.", ""));
  };
  assert.deepEqual(await causes({ count: -1 }), ["deviceClassName", "allocationMode"]);
  assert.deepEqual(await causes({ deviceClassName: "c", count: -1 }), ["count"]);
});
