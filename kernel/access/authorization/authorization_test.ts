import assert from "node:assert/strict";
import { test } from "node:test";
import { requestInfo } from "../../request/request-info.ts";
import { AuthorizationFailure, chainOf, decideRequests, publicInformation, refusalOf, systemDiscovery, systemMonitoring } from "./mod.ts";

const decide = decideRequests(
  chainOf([systemMonitoring, publicInformation, systemDiscovery].map((authorizer) => ({ type: "", name: "", authorizer }))).decide,
);
const alice = { name: "alice", groups: ["system:authenticated"] };
const admin = { name: "admin", groups: ["system:masters"] };

async function refusal(user: typeof alice, method: string, url: string): Promise<string> {
  const info = requestInfo(method, url)!;
  const error = refusalOf(user, info, await decide(user, info));
  assert.ok(error === undefined || error.code === 403);
  return error?.message ?? "";
}

test("requests: system:masters may do everything, and every user may read health and version", async () => {
  assert.equal(await refusal(admin, "DELETE", "/api/v1/namespaces/a"), "");
  for (const path of ["/livez", "/readyz", "/healthz", "/version"]) assert.equal(await refusal(alice, "GET", path), "", path);
});

test("requests: authenticated users may read discovery, anonymous ones may not", async () => {
  const stranger = { name: "system:anonymous", groups: ["system:unauthenticated"] };
  for (const path of ["/api", "/api/v1", "/apis", "/apis/storage.k8s.io", "/apis/storage.k8s.io/v1", "/openapi/v2", "/openapi/v3/api/v1"]) {
    assert.equal(await refusal(alice, "GET", path), "", path);
    assert.match(await refusal(stranger, "GET", path), /cannot get path/, path);
    assert.notEqual(await refusal(alice, "POST", path), "", path);
  }
  for (const path of ["/", "/apix", "/openapi.json", "/api/v1/namespaces", "/apis/storage.k8s.io/v1/csidrivers"]) {
    assert.notEqual(await refusal(alice, "GET", path), "", path);
  }
});

test("requests: other requests are rejected with upstream's message, before the lookup of the object", async () => {
  assert.equal(await refusal(alice, "GET", "/no/such/path"), 'forbidden: User "alice" cannot get path "/no/such/path"');
  assert.equal(await refusal(alice, "POST", "/livez"), 'forbidden: User "alice" cannot post path "/livez"');
  assert.equal(
    await refusal(alice, "PUT", "/api/v1/namespaces/default/configmaps"),
    'configmaps is forbidden: User "alice" cannot update resource "configmaps" in API group "" in the namespace "default"',
  );
  assert.equal(
    await refusal(alice, "GET", "/apis/made-up.example.com/v1/things/one/parts"),
    'things.made-up.example.com "one" is forbidden: User "alice" cannot get resource "things/parts" in API group "made-up.example.com" at the cluster scope',
  );
});

test("requests: a path without a resource is not named, as upstream", async () => {
  assert.equal(
    await refusal(alice, "PUT", "/api/v1/namespaces/default//configmaps"),
    'forbidden: User "alice" cannot update resource "" in API group "" in the namespace "default"',
  );
});

test("requests: system:monitoring may read metrics and health, and nothing else", async () => {
  const scraper = { name: "scraper", groups: ["system:monitoring", "system:authenticated"] };
  for (const path of ["/metrics", "/metrics/slis", "/readyz", "/readyz/etcd", "/livez/poststarthook/create-initial-objects"]) {
    assert.equal(await refusal(scraper, "GET", path), "", path);
    if (path.split("/").length > 2) assert.match(await refusal(alice, "GET", path), /cannot get path/, path);
  }
  for (const path of ["/metrics/other", "/metricsx", "/api/v1/secrets", "/openapi.json", "/readyzz"]) {
    assert.notEqual(await refusal(scraper, "GET", path), "", path);
  }
  assert.notEqual(await refusal(scraper, "DELETE", "/metrics"), "");
});

test("refusalOf() has the reason of a denial, and fails if there are only errors", () => {
  const info = requestInfo("GET", "/x")!;
  assert.equal(
    refusalOf(alice, info, { verdict: "deny", reason: "not today" })?.message,
    'forbidden: User "alice" cannot get path "/x": not today',
  );
  assert.equal(refusalOf(alice, info, { verdict: "allow", reason: "", error: "a role is missing" }), undefined);
  const failure = refusalOf(alice, info, { verdict: "noOpinion", reason: "", error: "no answer" });
  assert.ok(failure instanceof AuthorizationFailure);
  assert.deepEqual([failure.code, failure.reason, failure.failure], [500, "InternalError", "no answer"]);
});
