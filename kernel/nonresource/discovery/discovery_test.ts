import assert from "node:assert/strict";
import { test } from "node:test";
import { object } from "../../../core/meta/object.ts";
import { defaultNames, type Names } from "../../../core/names.ts";
import type { Plugin, Resource } from "../../../core/plugin.ts";
import { field, string, struct } from "../../../core/schema.ts";
import { StatusError } from "../../../core/status-error.ts";
import { compile } from "../../catalog/compile.ts";
import type { Exchange, Reply } from "../../request/exchange.ts";
import { requestInfo } from "../../request/request-info.ts";
import { DiscoveryReplies, discoveryReply } from "./reply.ts";

const ConfigMap = object("ConfigMap", {}, { doc: "Settings." });
const Namespace = object("Namespace", {
  status: field(3, struct("NamespaceStatus", { phase: field(1, string, "Where it is in its life.") }), "What is."),
}, { doc: "A kind for tests." });
const CSIDriver = object("CSIDriver", {}, { doc: "A driver." });

const resources: readonly Resource[] = [
  {
    kind: "Namespace",
    scope: "Cluster",
    shortNames: ["ns"],
    summary: "",
    storedAs: "v1",
    storedUnder: "namespaces",
    strategy: { without: ["deletecollection"] },
    served: { v1: { schema: Namespace, introduced: "1.0", subresources: { finalize: { verbs: ["update"], write: (next) => next } } } },
  },
  {
    kind: "ConfigMap",
    scope: "Namespaced",
    shortNames: ["cm"],
    categories: ["all"],
    summary: "",
    storedAs: "v1",
    storedUnder: "configmaps",
    served: { v1: { schema: ConfigMap, introduced: "1.2" } },
  },
  {
    kind: "CSIDriver",
    scope: "Cluster",
    summary: "",
    storedAs: "storage.{domain}/v1",
    storedUnder: "csidrivers",
    served: {
      "storage.{domain}/v1": { schema: CSIDriver, introduced: "1.18" },
      "storage.{domain}/v1beta1": { schema: CSIDriver, introduced: "1.14" },
    },
  },
];
const plugin: Plugin = { name: "test", summary: "", resources };

function catalogOf(names: Names = defaultNames, offered: readonly Resource[] = resources, gates: Record<string, boolean> = {}) {
  const runtimeConfig = offered === resources ? new Map([[`storage.${names.domain}/v1beta1`, true]]) : new Map<string, boolean>();
  return compile([{ ...plugin, resources: offered }], { names, featureGates: new Map(Object.entries(gates)), runtimeConfig });
}
const catalog = catalogOf();

const replies = new DiscoveryReplies();

async function ask(path: string, headers: Record<string, string> = {}, method = "GET", of = catalog): Promise<Reply | undefined> {
  const exchange: Exchange = {
    method,
    url: path,
    headers: { accept: "application/json", host: "127.0.0.1:6443", ...headers },
    body: () => Promise.resolve(new Uint8Array()),
    peer: undefined,
    remote: "",
    protocol: "HTTP/1.1",
    signal: new AbortController().signal,
  };
  const info = requestInfo(method, path);
  assert.ok(info);
  return await discoveryReply(exchange, info, of, replies);
}

async function textOf(reply: Reply | undefined): Promise<string> {
  assert.ok(reply);
  if (typeof reply.body === "string") return reply.body;
  if (reply.body instanceof Uint8Array) return new TextDecoder().decode(reply.body);
  const parts: Uint8Array[] = [];
  for await (const part of reply.body) parts.push(part);
  return Buffer.concat(parts).toString();
}
async function json(path: string, headers: Record<string, string> = {}, of = catalog): Promise<unknown> {
  return JSON.parse(await textOf(await ask(path, headers, "GET", of)));
}

async function refused(path: string, headers: Record<string, string>, code: number, message: RegExp, of = catalog): Promise<void> {
  const check = (error: unknown) => error instanceof StatusError && error.code === code && message.test(error.message);
  await assert.rejects(ask(path, headers, "GET", of), check, path);
}

const everyVerb = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

test("/api lists the versions of the core group and the server address, without an apiVersion", async () => {
  const expected = {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: "127.0.0.1:6443" }],
  };
  assert.deepEqual(await json("/api"), expected);
  assert.deepEqual(await json("/api/"), expected);
});

test("/apis lists the other groups, and a group its versions with the preferred version first", async () => {
  const versions = [{ groupVersion: "storage.k8s.io/v1", version: "v1" }, { groupVersion: "storage.k8s.io/v1beta1", version: "v1beta1" }];
  const group = { name: "storage.k8s.io", versions, preferredVersion: versions[0] };
  assert.deepEqual(await json("/apis"), { kind: "APIGroupList", apiVersion: "v1", groups: [group] });
  assert.deepEqual(await json("/apis/storage.k8s.io"), { kind: "APIGroup", apiVersion: "v1", ...group });
});

test("/apis and aggregated discovery return an empty list if no group is served, never null", async () => {
  const bare = catalogOf(defaultNames, resources.filter(({ kind }) => kind !== "CSIDriver"));
  assert.deepEqual(await json("/apis", {}, bare), { kind: "APIGroupList", apiVersion: "v1", groups: [] });
  const { items } = await json("/apis", { accept: aggregatedType }, bare) as { items: unknown };
  assert.deepEqual(items, []);
});

test("/api/v1 lists resources and their subresources by name, without an apiVersion", async () => {
  assert.deepEqual(await json("/api/v1"), {
    kind: "APIResourceList",
    groupVersion: "v1",
    resources: [
      {
        name: "configmaps",
        singularName: "configmap",
        namespaced: true,
        kind: "ConfigMap",
        verbs: everyVerb,
        shortNames: ["cm"],
        categories: ["all"],
        storageVersionHash: "qFsyl6wFWjQ=",
      },
      {
        name: "namespaces",
        singularName: "namespace",
        namespaced: false,
        kind: "Namespace",
        verbs: everyVerb.filter((verb) => verb !== "deletecollection"),
        shortNames: ["ns"],
        storageVersionHash: "Q3oi5N2YM8M=",
      },
      { name: "namespaces/finalize", singularName: "", namespaced: false, kind: "Namespace", verbs: ["update"] },
      { name: "namespaces/status", singularName: "", namespaced: false, kind: "Namespace", verbs: ["get", "patch", "update"] },
    ],
  });
});

test("/apis/GROUP/VERSION has the hash of the stored version, for each requested version", async () => {
  for (const version of ["v1", "v1beta1"]) {
    assert.deepEqual(await json(`/apis/storage.k8s.io/${version}`), {
      kind: "APIResourceList",
      apiVersion: "v1",
      groupVersion: `storage.k8s.io/${version}`,
      resources: [{
        name: "csidrivers",
        singularName: "csidriver",
        namespaced: false,
        kind: "CSIDriver",
        verbs: everyVerb,
        storageVersionHash: "hL6j/rwBV5w=",
      }],
    });
  }
});

const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

test("the aggregated document of a path has its half of the API, with response kinds without group and version", async () => {
  assert.deepEqual(await json("/api", { accept: aggregatedType }), {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: [{
      metadata: {},
      versions: [{
        version: "v1",
        resources: [
          {
            resource: "configmaps",
            responseKind: { group: "", version: "", kind: "ConfigMap" },
            scope: "Namespaced",
            singularResource: "configmap",
            verbs: everyVerb,
            shortNames: ["cm"],
            categories: ["all"],
          },
          {
            resource: "namespaces",
            responseKind: { group: "", version: "", kind: "Namespace" },
            scope: "Cluster",
            singularResource: "namespace",
            verbs: everyVerb.filter((verb) => verb !== "deletecollection"),
            shortNames: ["ns"],
            subresources: [
              { subresource: "finalize", responseKind: { group: "", version: "", kind: "Namespace" }, verbs: ["update"] },
              { subresource: "status", responseKind: { group: "", version: "", kind: "Namespace" }, verbs: ["get", "patch", "update"] },
            ],
          },
        ],
        freshness: "Current",
      }],
    }],
  });
});

test("the aggregated document is returned for the first clause of Accept that matches it, whatever precedes", async () => {
  const kind = async (accept: string) => (await json("/apis", { accept }) as { kind: string }).kind;
  assert.equal(await kind(aggregatedType), "APIGroupDiscoveryList");
  assert.equal(await kind(`${aggregatedType.replace("v2", "v2beta1")},${aggregatedType},application/json`), "APIGroupDiscoveryList");
  assert.equal(await kind(`${aggregatedType};profile=nopeer`), "APIGroupDiscoveryList");
  assert.equal(await kind(`application/json,${aggregatedType}`), "APIGroupDiscoveryList");
  assert.equal(await kind(`text/html,application/json;q=0.9,${aggregatedType};q=0.1`), "APIGroupDiscoveryList");
  assert.equal(await kind(`${aggregatedType};stream=other,application/json`), "APIGroupList");
  assert.equal(await kind(`${aggregatedType.replace("v2", "v2beta1")},application/json`), "APIGroupList");
  assert.equal(await kind(""), "APIGroupList");
  assert.equal(await kind("*/*"), "APIGroupList");
});

test("the aggregated document is marked and cacheable, and repeated unless If-None-Match has exactly its ETag", async () => {
  const first = await ask("/apis", { accept: aggregatedType });
  assert.equal(first?.headers["content-type"], aggregatedType);
  assert.equal(first?.headers["cache-control"], "public");
  assert.equal(first?.headers["vary"], "Accept");
  const etag = String(first?.headers["etag"]);
  assert.match(etag, /^"[0-9A-F]{128}"$/);
  const again = async (tag: string, of = catalog) =>
    (await ask("/apis", { accept: aggregatedType, "if-none-match": tag }, "GET", of))?.status;
  assert.equal(await again(etag), 304);
  assert.equal(await again("*"), 200);
  assert.equal(await again(`W/${etag}`), 200);
  assert.equal((await ask("/api", { accept: aggregatedType, "if-none-match": etag }))?.status, 200);
  assert.equal(await again(etag, catalogOf()), 304, "an equal catalog has an equal document");
  assert.equal(await again(etag, catalogOf(defaultNames, resources.slice(0, 2))), 200);
});

test("documents of all groups are made once for each catalog and form", async () => {
  const of = catalogOf();
  const body = async (path: string, headers: Record<string, string>) => (await ask(path, headers, "GET", of))?.body;
  for (const headers of [{ accept: aggregatedType }, { accept: `${aggregatedType};pretty=1` }, {}]) {
    assert.equal(await body("/apis", headers), await body("/apis", headers), JSON.stringify(headers));
  }
  assert.notEqual(await body("/apis", { accept: aggregatedType }), await body("/apis", { accept: `${aggregatedType};pretty=1` }));
  assert.notEqual(await body("/apis", { accept: aggregatedType }), await body("/api", { accept: aggregatedType }));
});

test("/api/ can be aggregated as /api, /apis/ cannot", async () => {
  assert.equal((await json("/api/", { accept: aggregatedType }) as { kind: string }).kind, "APIGroupDiscoveryList");
  assert.equal((await json("/api//", { accept: aggregatedType }) as { kind: string }).kind, "APIGroupDiscoveryList");
  assert.equal((await json("/apis/", { accept: `${aggregatedType},application/json` }) as { kind: string }).kind, "APIGroupList");
  await refused("/apis/", { accept: aggregatedType }, 406, /^only the following media types are accepted: /);
  assert.equal(await ask("/apis//"), undefined);
  assert.equal(await ask("/apis//v1"), undefined);
});

test("/api and resource lists check Content-Type and Accept with the router's messages, /apis and groups only Accept", async () => {
  const produced = /^406: Not Acceptable\n\nAvailable representations: application\/json, application\/yaml, /;
  for (const path of ["/api", "/api/", "/api/v1", "/apis/storage.k8s.io/v1", "/apis/storage.k8s.io//"]) {
    await refused(path, { "content-type": "text/plain" }, 415, /^415: Unsupported Media Type$/);
    await refused(path, { accept: "text/html" }, 406, produced);
    await refused(path, { accept: "application/*" }, 406, produced);
    await refused(path, { accept: "," }, 406, produced);
    assert.equal((await ask(path, { "content-type": "application/yaml; charset=utf-8" }))?.status, 200);
  }
  for (const path of ["/apis", "/apis/", "/apis/storage.k8s.io", "/apis/storage.k8s.io/"]) {
    assert.equal((await ask(path, { "content-type": "text/plain" }))?.status, 200);
    assert.equal((await ask(path, { accept: "application/*" }))?.status, 200);
    await refused(path, { accept: "text/html" }, 406, /^only the following media types are accepted: /);
  }
});

test("only resource lists are available in CBOR", async () => {
  const of = catalogOf(defaultNames, resources, { CBORServingAndStorage: true });
  const accept = "application/cbor";
  assert.equal((await ask("/apis/storage.k8s.io/v1", { accept }, "GET", of))?.headers["content-type"], accept);
  for (const path of ["/api", "/apis", "/apis/", "/apis/storage.k8s.io"]) await refused(path, { accept }, 406, /protobuf$/, of);
  const aggregated = aggregatedType.replace("json", "cbor");
  await refused("/apis", { accept: aggregated }, 406, /protobuf$/, of);
});

test("discovery is indented for `pretty` in the query or in the accepted clause", async () => {
  const accept = "application/json;pretty=1";
  for (const path of ["/api", "/apis", "/apis/storage.k8s.io", "/apis/storage.k8s.io/v1"]) {
    assert.match(await textOf(await ask(`${path}?pretty=true`)), /^{\n {2}"kind"/);
    assert.match(await textOf(await ask(path, { accept })), /^{\n {2}"kind"/);
  }
});

test("groups have the configured domain everywhere", async () => {
  const other = catalogOf({ domain: "example.net", platform: "demo" });
  const accept = aggregatedType.replace("k8s.io", "example.net");
  assert.match(await textOf(await ask("/apis", { accept }, "GET", other)), /"apiVersion":"apidiscovery\.example\.net\/v2"/);
  assert.match(await textOf(await ask("/apis/storage.example.net/v1", {}, "GET", other)), /"groupVersion":"storage\.example\.net\/v1"/);
  assert.equal(await ask("/apis/storage.k8s.io", {}, "GET", other), undefined);
});

test("/apis and the document of a group accept any method, /api and resource lists only GET", async () => {
  for (const path of ["/apis", "/apis/storage.k8s.io"]) assert.equal((await ask(path, {}, "DELETE"))?.status, 200);
  for (const path of ["/api", "/apis/storage.k8s.io/v1"]) {
    await assert.rejects(ask(path, {}, "POST"), (error) => error instanceof StatusError && error.code === 405);
  }
});

test("an unknown group is a text 404, an unknown version a Status 404", async () => {
  assert.equal(await ask("/apis/nope.example.com"), undefined);
  assert.equal(await ask("/apis/__proto__"), undefined);
  for (const path of ["/api/v2", "/apis/storage.k8s.io/v9", "/apis/storage.k8s.io/constructor"]) {
    await assert.rejects(ask(path), (error) => error instanceof StatusError && error.code === 404);
  }
});
