import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { object } from "../../../core/meta/object.ts";
import { defaultNames, type Names } from "../../../core/names.ts";
import type { Plugin, Resource } from "../../../core/plugin.ts";
import { field, record, string, struct } from "../../../core/schema.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import { compile } from "../../catalog/compile.ts";
import type { Exchange, Reply } from "../../request/exchange.ts";
import { requestInfo } from "../../request/request-info.ts";
import { openapiDocuments } from "./documents.ts";
import { openapiReply } from "./reply.ts";

const ConfigMap = object("ConfigMap", { data: field(2, record(string), "Text by key.") }, { doc: "Settings." });
const Namespace = object("Namespace", {
  spec: field(2, struct("NamespaceSpec", {}), "What is wanted."),
  status: field(3, struct("NamespaceStatus", { phase: field(1, string, "Where it is in its life.") }), "What is."),
}, { doc: "A kind for tests." });
const Role = object("Role", { rules: field(2, record(string), "What is allowed.") }, { doc: "Rights." });
const Thing = object("Thing", {}, { doc: "A thing." });

const resources: readonly Resource[] = [
  {
    kind: "ConfigMap",
    scope: "Namespaced",
    summary: "",
    storedAs: "v1",
    storedUnder: "configmaps",
    served: { v1: { schema: ConfigMap, introduced: "1.2" } },
  },
  {
    kind: "Namespace",
    scope: "Cluster",
    summary: "",
    storedAs: "v1",
    storedUnder: "namespaces",
    strategy: { without: ["deletecollection"], deleteAnswers: "object" },
    served: { v1: { schema: Namespace, introduced: "1.0", subresources: { finalize: { verbs: ["update"], write: (next) => next } } } },
  },
  {
    kind: "Role",
    scope: "Namespaced",
    summary: "",
    storedAs: "rbac.authorization.{domain}/v1",
    storedUnder: "roles",
    served: { "rbac.authorization.{domain}/v1": { schema: Role, introduced: "1.8" } },
  },
  {
    kind: "Thing",
    scope: "Cluster",
    summary: "",
    storedAs: "stable.example.com/v1",
    storedUnder: "things",
    strategy: { without: ["list", "watch", "get", "update", "patch", "delete", "deletecollection"] },
    served: {
      "stable.example.com/v1": { schema: Thing, introduced: "1.0" },
      "stable.example.com/v1beta1": { schema: Thing, introduced: "1.33" },
    },
  },
];

function catalogOf(names: Names = defaultNames): Catalog {
  const plugin: Plugin = { name: "example", summary: "", resources };
  return compile([plugin], { names, featureGates: new Map(), runtimeConfig: new Map() });
}
const catalog = catalogOf();
const now = Date.UTC(2026, 0, 31, 12);
/** Every version of these tests can be described. */
const undescribed = (error: unknown): void => {
  throw error;
};

function ask(url: string, headers: Record<string, string> = {}, method = "GET"): Promise<Reply | undefined> {
  const exchange: Exchange = {
    method,
    url,
    headers,
    body: () => Promise.resolve(new Uint8Array()),
    peer: undefined,
    remote: "127.0.0.1:1",
    protocol: "HTTP/1.1",
    signal: new AbortController().signal,
  };
  return openapiReply(exchange, requestInfo(method, url)!, catalog, { now: () => now, undescribed });
}
async function answer(url: string, headers: Record<string, string> = {}, method = "GET"): Promise<Reply> {
  const reply = await ask(url, headers, method);
  assert.ok(reply !== undefined);
  return reply;
}
function bytesOf({ body }: Reply): Uint8Array {
  assert.ok(body instanceof Uint8Array);
  return body;
}
/** A part of a document, by keys. */
// Documents are JSON of many shapes; the assertions state the shape.
function part(reply: Reply, ...keys: string[]): any {
  return keys.reduce((at, key) => at?.[key], JSON.parse(new TextDecoder().decode(bytesOf(reply))));
}

test("openapiReply() lists the documents with URLs that contain their hashes", async () => {
  const reply = await answer("/openapi/v3");
  assert.equal(reply.headers["content-type"], "text/plain; charset=utf-8");
  const paths = part(reply, "paths");
  assert.deepEqual(Object.keys(paths), [
    "api",
    "api/v1",
    "apis",
    "apis/rbac.authorization.k8s.io",
    "apis/rbac.authorization.k8s.io/v1",
    "apis/stable.example.com",
    "apis/stable.example.com/v1",
    "version",
  ]);
  for (const [name, { serverRelativeURL }] of Object.entries<{ serverRelativeURL: string }>(paths)) {
    assert.match(serverRelativeURL, new RegExp(`^/openapi/v3/${name}\\?hash=[0-9A-F]{128}$`));
    const document = await answer(serverRelativeURL);
    assert.equal(document.status, 200);
    assert.equal(document.headers["cache-control"], "public, immutable");
    assert.equal(document.headers["expires"], "Sun, 31 Jan 2027 12:00:00 GMT");
  }
});

test("openapiReply() redirects a client with an old hash to the current one, and disables caching without a hash", async () => {
  const plain = await answer("/openapi/v3/api/v1");
  assert.equal(plain.status, 200);
  assert.equal(Object.hasOwn(plain.headers, "cache-control"), false);
  const hash = String(plain.headers["etag"]).slice(1, -1);
  const moved = await answer("/openapi/v3/api/v1?hash=0123");
  assert.equal(moved.status, 301);
  assert.equal(moved.headers["location"], `/openapi/v3/api/v1?hash=${hash}`);
  assert.equal(moved.body, "");
});

test("openapiReply() chooses the encoding by Accept", async () => {
  const type = async (url: string, accept: string) => {
    const { status, headers } = await answer(url, accept === "" ? {} : { accept });
    return status === 200 ? headers["content-type"] : status;
  };
  for (const version of ["v2", "v3"]) {
    const url = version === "v2" ? "/openapi/v2" : "/openapi/v3/api/v1";
    const protobuf = `application/com.github.proto-openapi.spec.${version}.v1.0+protobuf`;
    assert.equal(await type(url, ""), "application/json");
    assert.equal(await type(url, "text/html, application/*"), "application/json");
    assert.equal(await type(url, protobuf), protobuf);
    assert.equal(await type(url, `application/com.github.proto-openapi.spec.${version}@v1.0+protobuf`), protobuf);
    assert.equal(await type(url, `application/json;q=0.5, ${protobuf}`), protobuf);
    assert.equal(await type(url, "application/yaml"), 406);
  }
  assert.equal(await type("/openapi/v3", "text/html"), "text/plain; charset=utf-8");
});

test("openapiReply() returns undefined for other paths", async () => {
  for (const url of ["/openapi/v3/", "/openapi/v3/api/v2", "/openapi/v3/__proto__", "/openapi/v3/apis/stable.example.com/v1beta1"]) {
    assert.deepEqual(await answer(url), { status: 404, headers: {}, body: "" });
  }
  for (const url of ["/openapi/v2/", "/openapi", "/swagger.json"]) assert.equal(await ask(url), undefined);
});

test("openapiReply() replies 304 to a client that has the document", async () => {
  const { headers } = await answer("/openapi/v2");
  const etag = String(headers["etag"]);
  for (const url of ["/openapi/v2", "/openapi/v3", "/openapi/v3/version"]) {
    const unchanged = await answer(url, { "if-none-match": "*" });
    assert.equal(unchanged.status, 304);
    assert.equal(Object.hasOwn(unchanged.headers, "content-type"), false);
  }
  assert.equal((await answer("/openapi/v2", { "if-none-match": `"x", W/${etag}` })).status, 304);
  assert.equal((await answer("/openapi/v2", { "if-none-match": '"x"' })).status, 200);
  assert.equal((await answer("/openapi/v2", { "if-none-match": etag }, "POST")).status, 412);
});

test("openapiReply() applies conditions on tags and times at URLs without a hash, and those on time only to the index", async () => {
  for (const url of ["/openapi/v2", "/openapi/v3/api/v1"]) {
    const { headers } = await answer(url);
    const etag = String(headers["etag"]), made = String(headers["last-modified"]);
    assert.equal((await answer(url, { "if-none-match": etag })).status, 304, url);
    assert.equal((await answer(url, { "if-modified-since": made })).status, 304, url);
    assert.equal((await answer(url, { "if-match": '"x"' })).status, 412, url);
  }
  const index = await answer("/openapi/v3");
  assert.equal(index.headers["etag"], undefined);
  assert.equal((await answer("/openapi/v3", { "if-none-match": '"x"' })).status, 200);
  // It may have changed within that second: only a later date proves that the client has it.
  const date = String(index.headers["last-modified"]), later = new Date(Date.parse(date) + 1_000).toUTCString();
  assert.equal((await answer("/openapi/v3", { "if-modified-since": date })).status, 200);
  assert.equal((await answer("/openapi/v3", { "if-modified-since": later })).status, 304);
  assert.deepEqual(Object.keys((await answer("/openapi/v3", { "if-match": '"x"' })).headers), ["last-modified"]);
});

test("openapiReply() compresses version 2 on request", async () => {
  const plain = await answer("/openapi/v2"), packed = await answer("/openapi/v2", { "accept-encoding": "deflate, gzip;q=0.5" });
  assert.equal(packed.headers["content-encoding"], "gzip");
  assert.deepEqual(new Uint8Array(gunzipSync(bytesOf(packed))), bytesOf(plain));
  assert.equal(Object.hasOwn((await answer("/openapi/v2", { "accept-encoding": "gzip;q=0" })).headers, "content-encoding"), false);
});

test("v3 documents have every operation under kube-apiserver's operation id", async () => {
  const ids = async (name: string) => {
    const paths = part(await answer(`/openapi/v3/${name}`), "paths") as Record<string, Record<string, { operationId: string }>>;
    return Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId)).filter((id) =>
      id !== undefined
    );
  };
  assert.deepEqual(await ids("api"), ["getCoreAPIVersions"]);
  assert.deepEqual(await ids("apis"), ["getAPIVersions"]);
  assert.deepEqual(await ids("version"), ["getCodeVersion"]);
  assert.deepEqual(await ids("apis/rbac.authorization.k8s.io"), ["getRbacAuthorizationAPIGroup"]);
  assert.deepEqual(await ids("apis/stable.example.com/v1"), ["getStableExampleComV1APIResources", "createStableExampleComV1Thing"]);
  assert.deepEqual(await ids("apis/rbac.authorization.k8s.io/v1"), [
    "getRbacAuthorizationV1APIResources",
    "deleteRbacAuthorizationV1CollectionNamespacedRole",
    "listRbacAuthorizationV1NamespacedRole",
    "createRbacAuthorizationV1NamespacedRole",
    "deleteRbacAuthorizationV1NamespacedRole",
    "readRbacAuthorizationV1NamespacedRole",
    "patchRbacAuthorizationV1NamespacedRole",
    "replaceRbacAuthorizationV1NamespacedRole",
    "listRbacAuthorizationV1RoleForAllNamespaces",
    "watchRbacAuthorizationV1NamespacedRoleList",
    "watchRbacAuthorizationV1NamespacedRole",
    "watchRbacAuthorizationV1RoleListForAllNamespaces",
  ]);
  const core = await ids("api/v1");
  assert.deepEqual(core.filter((id) => id.includes("Namespace") && /Status|Finalize/.test(id)), [
    "replaceCoreV1NamespaceFinalize",
    "readCoreV1NamespaceStatus",
    "patchCoreV1NamespaceStatus",
    "replaceCoreV1NamespaceStatus",
  ]);
  assert.equal(core.includes("deleteCoreV1CollectionNamespace"), false);
  assert.equal(new Set(core).size, core.length);
});

test("v3 documents contain the complete patch operation", async () => {
  const item = part(await answer("/openapi/v3/api/v1"), "paths", "/api/v1/namespaces/{namespace}/configmaps/{name}");
  assert.deepEqual(item.parameters.map(({ name, in: place, required, schema }: any) => [name, place, required, schema]), [
    ["name", "path", true, { type: "string", uniqueItems: true }],
    ["namespace", "path", true, { type: "string", uniqueItems: true }],
    ["pretty", "query", undefined, { type: "string", uniqueItems: true }],
  ]);
  const { patch } = item, schema = { $ref: "#/components/schemas/io.k8s.api.core.v1.ConfigMap" };
  assert.deepEqual(patch.tags, ["core_v1"]);
  assert.deepEqual(patch.parameters.map(({ name }: any) => name), ["dryRun", "fieldManager", "fieldValidation", "force"]);
  assert.deepEqual(patch.requestBody.required, true);
  assert.deepEqual(Object.keys(patch.requestBody.content), [
    "application/apply-patch+yaml",
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
  ]);
  assert.deepEqual(Object.keys(patch.responses), ["200", "201", "401"]);
  assert.deepEqual(patch.responses[200].content, {
    "application/json": { schema },
    "application/vnd.kubernetes.protobuf": { schema },
    "application/yaml": { schema },
  });
  assert.equal(patch["x-kubernetes-action"], "patch");
  assert.deepEqual(patch["x-kubernetes-group-version-kind"], { group: "", version: "v1", kind: "ConfigMap" });
});

test("v3 documents have stream parameters for lists and replies for deletions", async () => {
  const paths = part(await answer("/openapi/v3/api/v1"), "paths");
  assert.deepEqual(Object.keys(paths["/api/v1/configmaps"].get.responses[200].content), [
    "application/json",
    "application/json;stream=watch",
    "application/vnd.kubernetes.protobuf",
    "application/vnd.kubernetes.protobuf;stream=watch",
    "application/yaml",
  ]);
  // Parameters of a path with a single operation are stored with the path.
  assert.equal(Object.hasOwn(paths["/api/v1/configmaps"].get, "parameters"), false);
  const answered = (path: string) => paths[path].delete.responses[202].content["application/json"].schema.$ref;
  assert.equal(answered("/api/v1/namespaces/{name}"), "#/components/schemas/io.k8s.api.core.v1.Namespace");
  assert.equal(
    answered("/api/v1/namespaces/{namespace}/configmaps/{name}"),
    "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.Status",
  );
  assert.equal(Object.hasOwn(paths["/api/v1/namespaces/{namespace}/configmaps/{name}"].delete.requestBody, "required"), false);
  assert.equal(paths["/api/v1/watch/namespaces/{namespace}/configmaps/{name}"].get["x-kubernetes-action"], "watch");
  assert.equal(paths["/api/v1/watch/configmaps"].get["x-kubernetes-action"], "watchlist");
});

test("documents list the kinds of their components", async () => {
  const schemas = part(await answer("/openapi/v3/apis/stable.example.com/v1"), "components", "schemas");
  const kinds = (name: string) => schemas[name]["x-kubernetes-group-version-kind"];
  assert.deepEqual(kinds("com.example.stable.v1.Thing"), [{ group: "stable.example.com", version: "v1", kind: "Thing" }]);
  assert.deepEqual(kinds("io.k8s.apimachinery.pkg.apis.meta.v1.APIResourceList"), [{ group: "", version: "v1", kind: "APIResourceList" }]);
  const core = part(await answer("/openapi/v3/api/v1"), "components", "schemas");
  const list = core["io.k8s.api.core.v1.ConfigMapList"];
  assert.deepEqual(list.required, ["items"]);
  assert.deepEqual(list["x-kubernetes-group-version-kind"], [{ group: "", version: "v1", kind: "ConfigMapList" }]);
  // Versions that are not served are included.
  assert.deepEqual(
    core["io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"]["x-kubernetes-group-version-kind"].map(({ group, version }: any) =>
      `${group}/${version}`
    ),
    [
      "/v1",
      "rbac.authorization.k8s.io/v1",
      "stable.example.com/v1",
      "stable.example.com/v1beta1",
    ],
  );
});

test("every reference in a document resolves within it", async () => {
  for (
    const url of [
      "/openapi/v2",
      "/openapi/v3/api/v1",
      "/openapi/v3/apis/rbac.authorization.k8s.io/v1",
      "/openapi/v3/apis",
      "/openapi/v3/version",
    ]
  ) {
    const document = part(await answer(url));
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]*)"/g)].map((match) => match[1]!);
    assert.ok(references.length > 0);
    for (const reference of references) {
      const [section = "", ...keys] = reference.split("/");
      assert.ok(keys.reduce((at, key) => at?.[key], document[section]) !== undefined, `${reference} in ${url}`);
    }
  }
});

test("the v2 document shares parameters, except those that old kubectl versions look for in operations", async () => {
  const document = part(await answer("/openapi/v2"));
  assert.equal(document.swagger, "2.0");
  assert.deepEqual(document.info, { title: "Kubernetes", version: "1.35" });
  assert.deepEqual(document.security, [{ BearerToken: [] }]);
  const { put } = document.paths["/api/v1/namespaces/{namespace}/configmaps/{name}"];
  assert.deepEqual(put.parameters.map(({ name, $ref }: any) => name ?? $ref), [
    "body",
    "dryRun",
    "#/parameters/fieldManager",
    "fieldValidation",
  ]);
  assert.deepEqual(put.consumes, ["*/*"]);
  const { data } = document.definitions["io.k8s.api.core.v1.ConfigMap"].properties;
  assert.deepEqual(data, { description: "Text by key.", type: "object", additionalProperties: { type: "string" } });
  assert.equal(JSON.stringify(document.definitions).includes('"default"'), false);
});

test("openapiDocuments() use the configured domain and platform name", async () => {
  const other = catalogOf({ domain: "acme.dev", platform: "acme" });
  const document = JSON.parse(
    new TextDecoder().decode((await openapiDocuments(other, undescribed).v3("apis/rbac.authorization.acme.dev/v1"))!.json),
  );
  assert.equal(document.info.title, "Acme");
  const { post } = document.paths["/apis/rbac.authorization.acme.dev/v1/namespaces/{namespace}/roles"];
  assert.equal(post.operationId, "createRbacAuthorizationV1NamespacedRole");
  assert.deepEqual(Object.keys(post.responses[200].content), ["application/json", "application/vnd.acme.protobuf", "application/yaml"]);
  assert.ok(Object.hasOwn(document.components.schemas, "dev.acme.api.rbac.v1.Role"));
});

test("openapiDocuments() builds a document once", async () => {
  assert.equal(openapiDocuments(catalog, undescribed), openapiDocuments(catalog, undescribed));
  assert.equal(await openapiDocuments(catalog, undescribed).v2(), await openapiDocuments(catalog, undescribed).v2());
  assert.equal(await openapiDocuments(catalog, undescribed).v3("api/v1"), await openapiDocuments(catalog, undescribed).v3("api/v1"));
});

test("openapiDocuments() reuses the documents of versions that have not changed under another catalog", async () => {
  const plugins: readonly Plugin[] = [{ name: "test", summary: "", resources }];
  const config = { names: defaultNames, featureGates: new Map(), runtimeConfig: new Map() };
  const appear = (kind: string, group: string): Resource => ({
    kind,
    scope: "Cluster",
    summary: "",
    custom: true,
    storedAs: `${group}/v1`,
    storedUnder: `${group}/${kind.toLowerCase()}s`,
    served: { [`${group}/v1`]: { schema: object(kind, {}, { doc: kind }), introduced: "1.0" } },
  });
  const one = appear("One", "one.example.com"), two = appear("Two", "two.example.com"), three = appear("Three", "two.example.com");
  const before = openapiDocuments(compile(plugins, config, [one, two]), undescribed),
    after = openapiDocuments(compile(plugins, config, [one, two, three]), undescribed);
  const same = async (name: string) => await before.v3(name) === await after.v3(name);
  await before.index();
  assert.equal(await same("api/v1"), true);
  assert.equal(await same("apis/one.example.com/v1"), true);
  assert.equal(await same("apis/two.example.com/v1"), false);
  const text = async (documents: typeof after) => new TextDecoder().decode((await documents.v2()).json);
  await text(before);
  const { paths, definitions } = JSON.parse(await text(after));
  assert.deepEqual(Object.keys(paths), Object.keys(paths).toSorted());
  assert.deepEqual(Object.keys(definitions), Object.keys(definitions).toSorted());
  assert.notEqual(definitions["com.example.two.v1.Three"], undefined);
  // A document in parts that were kept is that of new parts.
  const anew = compile(plugins, config, [{ ...one }, { ...two }, { ...three }]);
  assert.equal(await text(openapiDocuments(anew, undescribed)), await text(after));
});

test("openapiDocuments() builds the document of a version without the schemas of others", async () => {
  const read: string[] = [];
  const appear = (kind: string): Resource => {
    const schema = object(kind, {}, { doc: kind });
    const observed = new Proxy(schema, {
      get(target, key, receiver) {
        if (key === "doc") read.push(kind);
        return Reflect.get(target, key, receiver);
      },
    });
    const group = `${kind.toLowerCase()}.example.com`;
    return {
      kind,
      scope: "Cluster",
      summary: "",
      custom: true,
      storedAs: `${group}/v1`,
      storedUnder: `${group}/${kind.toLowerCase()}s`,
      served: { [`${group}/v1`]: { schema: observed, introduced: "1.0" } },
    };
  };
  const config = { names: defaultNames, featureGates: new Map(), runtimeConfig: new Map() };
  const catalog = compile([{ name: "test", summary: "", resources }], config, [appear("One"), appear("Two")]);
  const documents = openapiDocuments(catalog, undescribed);
  assert.deepEqual(read, []);
  await documents.v3("apis/one.example.com/v1");
  assert.deepEqual([...new Set(read)], ["One"]);
});

test("openapiDocuments() leave out a version whose schemas cannot be published, and report it once", async () => {
  const good = object("One", {}, { doc: "One." });
  const appear = (group: string, schema: typeof good): Resource => ({
    kind: "One",
    scope: "Cluster",
    summary: "",
    custom: true,
    storedAs: `${group}/v1`,
    storedUnder: `${group}/ones`,
    served: { [`${group}/v1`]: { schema, introduced: "1.0" } },
  });
  const bad = new Proxy(good, {
    get(target, key, receiver) {
      if (key === "doc") throw new Error("no text");
      return Reflect.get(target, key, receiver);
    },
  });
  const config = { names: defaultNames, featureGates: new Map(), runtimeConfig: new Map() };
  const plugins: readonly Plugin[] = [{ name: "test", summary: "", resources }];
  const reported: string[] = [];
  const documents = openapiDocuments(
    compile(plugins, config, [appear("bad.example.com", bad), appear("good.example.com", good)]),
    (error, name) => void reported.push(`${name}: ${(error as Error).message}`),
  );
  const index = JSON.parse(new TextDecoder().decode((await documents.index()).json));
  const v2 = JSON.parse(new TextDecoder().decode((await documents.v2()).json));
  const paths = Object.keys(index.paths), oldPaths = Object.keys(v2.paths);
  assert.ok(paths.includes("apis/good.example.com/v1") && paths.includes("api/v1"));
  assert.ok(!paths.includes("apis/bad.example.com/v1"));
  assert.ok(oldPaths.includes("/apis/good.example.com/v1/ones") && oldPaths.includes("/api/v1/configmaps"));
  assert.ok(!oldPaths.includes("/apis/bad.example.com/v1/ones"));
  assert.deepEqual(reported, ["apis/bad.example.com/v1: no text", "apis/bad.example.com/v1: no text"], "once for each document");
});
