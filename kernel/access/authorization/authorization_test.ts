import assert from "node:assert/strict";
import { test } from "node:test";
import { StatusError } from "../../../core/status-error.ts";
import { requestInfo } from "../../request/request-info.ts";
import { authorizeBy, decideInOrder, publicInformation, systemDiscovery, systemMasters, systemMonitoring } from "./mod.ts";

const authorize = authorizeBy(decideInOrder([systemMasters, systemMonitoring, publicInformation, systemDiscovery]));
const alice = { name: "alice", groups: ["system:authenticated"] };
const admin = { name: "admin", groups: ["system:masters"] };

async function refusal(user: typeof alice, method: string, url: string): Promise<string> {
  try {
    await authorize(user, requestInfo(method, url)!);
  } catch (error) {
    if (error instanceof StatusError && error.code === 403) return error.message;
    throw error;
  }
  return "";
}

test("authorize() lets masters do everything and everybody see health and version", async () => {
  assert.equal(await refusal(admin, "DELETE", "/api/v1/namespaces/a"), "");
  for (const path of ["/livez", "/readyz", "/healthz", "/version"]) assert.equal(await refusal(alice, "GET", path), "", path);
});

test("authorize() lets those who are known discover kinds, and no stranger", async () => {
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

test("authorize() refuses the rest in upstream's words, before anybody looks whether it exists", async () => {
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

test("authorize() lets those who monitor read metrics and health, and nothing else", async () => {
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

test("authorize() asks no further once somebody denies", async () => {
  const denies = { name: "denies", authorize: () => ({ verdict: "deny" as const, reason: "not today" }) };
  await assert.rejects(
    authorizeBy(decideInOrder([denies, systemMasters]))(admin, requestInfo("GET", "/x")!),
    /cannot get path "\/x": not today/,
  );
});
