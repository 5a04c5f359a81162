// Documents of this server with those of others: one that answers, one that hangs, and one that answers nonsense.
// In Deno's suite only: forwarded_test.ts reaches other servers on both runtimes.
import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { test } from "node:test";
import { startTestServer } from "../harness.ts";
import { httpsClient } from "../https.ts";
import { until } from "../real-server.ts";
import { backend, group, register, untilReason } from "./backend.ts";

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", name = `apis/${group}/v1`;
const resource = {
  resource: "boats",
  responseKind: { group, version: "v1", kind: "Boat" },
  scope: "Namespaced",
  singularResource: "boat",
  verbs: ["get"],
};
const documents: Readonly<Record<string, readonly [type: string, value: unknown]>> = {
  "/apis": [aggregated, {
    items: [{ metadata: { name: group }, versions: [{ version: "v1", resources: [resource], freshness: "Current" }] }],
  }],
  "/openapi/v3": ["text/plain", {
    paths: {
      [name]: { serverRelativeURL: `/openapi/v3/${name}?hash=AB` },
      [`apis/${group}`]: { serverRelativeURL: `/openapi/v3/apis/${group}?hash=CD` },
      "apis/apps": { serverRelativeURL: "/evil" },
      "api/v1": { serverRelativeURL: "/evil" },
    },
  }],
  [`/openapi/v3/${name}`]: ["application/json", { openapi: "3.0.0", of: "boats" }],
  [`/openapi/v3/apis/${group}`]: ["application/json", { openapi: "3.0.0", of: "the group" }],
  "/openapi/v2": ["application/json", {
    swagger: "2.0",
    paths: {
      [`/${name}/boats`]: { get: { responses: { 200: { description: "OK", schema: { $ref: "#/definitions/Boat" } } } } },
      "/api/v1/evil": {},
    },
    definitions: { Boat: { type: "object" } },
  }],
};
function answer({ url = "" }: IncomingMessage, response: ServerResponse): void {
  const found = documents[url.split("?")[0]!];
  if (found === undefined) response.writeHead(404).end();
  else response.writeHead(200, { "content-type": found[0], "etag": '"e"' }).end(JSON.stringify(found[1]));
}

test("discovery and OpenAPI have the versions of other servers, and those that hang or answer nonsense are stale", async () => {
  const server = await startTestServer(), client = httpsClient({ ...server, token: server.tokens.admin });
  const healthy = await backend("healthy", answer), hanging = await backend("hanging", () => {});
  const silly = await backend(
    "silly",
    (_request, response) => void response.writeHead(200, { "content-type": `${aggregated}` }).end("<html>"),
  );
  const read = async (path: string, accept = "application/json") => (await client.ask(path, { headers: { accept } })).json();
  const groupIn = async () => (await read("/apis", aggregated)).items.find(({ metadata }: any) => metadata.name === group);
  try {
    const before = { v2: await read("/openapi/v2"), groups: (await read("/apis")).groups.map((each: any) => each.name) };
    await register(client, "healthy", "v1", healthy.port, { caBundle: Buffer.from(healthy.authority.cert).toString("base64") });
    await register(client, "hanging", "v2", hanging.port, {
      caBundle: Buffer.from(hanging.authority.cert).toString("base64"),
      versionPriority: 1,
    });
    await register(client, "silly", "v3", silly.port, {
      caBundle: Buffer.from(silly.authority.cert).toString("base64"),
      versionPriority: 1,
    });
    await untilReason(client, "v1", "Passed");
    await untilReason(client, "v3", "Passed"); // it is asked for the version only
    await until(async () => assert.equal((await groupIn())?.versions[0].freshness, "Current"));
    assert.deepEqual(await groupIn(), {
      metadata: { name: group },
      versions: [
        { version: "v1", resources: [resource], freshness: "Current" },
        { version: "v3", freshness: "Stale" },
        { version: "v2", freshness: "Stale" },
      ],
    });
    const { groups } = await read("/apis");
    assert.deepEqual(groups.map((each: any) => each.name), [...before.groups, group]);
    assert.deepEqual((await read(`/apis/${group}`)).versions.map((each: any) => each.version), ["v1", "v3", "v2"]);

    const { paths } = await read("/openapi/v3");
    assert.equal(paths[name].serverRelativeURL, `/openapi/v3/${name}?hash=AB`);
    for (const own of ["api/v1", "apis/apps"]) assert.notEqual(paths[own].serverRelativeURL, "/evil");
    assert.deepEqual(await read(paths[`apis/${group}`].serverRelativeURL), { openapi: "3.0.0", of: "the group" });
    assert.deepEqual(await read(paths[name].serverRelativeURL), { openapi: "3.0.0", of: "boats" });
    await until(async () => assert.ok(Object.hasOwn((await read("/openapi/v2")).paths, `/${name}/boats`)));
    const v2 = await client.ask("/openapi/v2");
    assert.deepEqual(v2.json().definitions.Boat, { type: "object" });
    assert.deepEqual(Object.keys(v2.json().paths), [...Object.keys(before.v2.paths), `/${name}/boats`].sort());
    const { etag = "" } = v2.headers;
    assert.equal((await client.ask("/openapi/v2", { headers: { "if-none-match": String(etag) } })).status, 304);
    const protobuf = await client.ask("/openapi/v2", { headers: { accept: "application/com.github.proto-openapi.spec.v2.v1.0+protobuf" } });
    assert.equal(protobuf.status, 200);

    // The rest of this server is not affected: readiness, garbage collection, and a namespace but for the versions whose resources are unknown.
    assert.equal((await client.ask("/readyz")).status, 200);
    const make = async (path: string, body: object) => (await client.ask(path, { method: "POST", body })).json().metadata;
    await make("/api/v1/namespaces", { metadata: { name: "team" } });
    const { uid } = await make("/api/v1/namespaces/team/configmaps", { metadata: { name: "owner" } });
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid }];
    await make("/api/v1/namespaces/team/configmaps", { metadata: { name: "owned", ownerReferences } });
    await make("/api/v1/namespaces/team/configmaps", { metadata: { name: "other" } });
    await client.ask("/api/v1/namespaces/team/configmaps/owner", { method: "DELETE" });
    await until(async () => assert.equal((await client.ask("/api/v1/namespaces/team/configmaps/owned")).status, 404));
    await client.ask("/api/v1/namespaces/team", { method: "DELETE" });
    await until(async () => assert.equal((await client.ask("/api/v1/namespaces/team/configmaps/other")).status, 404));
    assert.equal((await client.ask("/api/v1/namespaces/team")).json().status.phase, "Terminating");

    for (const version of ["v1", "v2", "v3"]) {
      assert.equal((await client.ask(`/apis/apiregistration.k8s.io/v1/apiservices/${version}.${group}`, { method: "DELETE" })).status, 200);
    }
    await until(async () => assert.equal(await groupIn(), undefined));
    await until(async () => assert.equal((await client.ask("/api/v1/namespaces/team")).status, 404));
    assert.deepEqual((await read("/openapi/v2")).paths, before.v2.paths);
  } finally {
    client.close();
    healthy.close();
    hanging.close();
    silly.close();
    await server.close();
  }
});

test("a local group version that nobody has is in the list of groups only", async () => {
  const server = await startTestServer(), client = httpsClient({ ...server, token: server.tokens.admin });
  try {
    const spec = { group: "none.example", version: "v1", groupPriorityMinimum: 1, versionPriority: 1 };
    await client.ask("/apis/apiregistration.k8s.io/v1/apiservices", {
      method: "POST",
      body: { metadata: { name: "v1.none.example" }, spec },
    });
    await until(async () => assert.equal((await client.ask("/apis/none.example")).status, 200));
    assert.equal((await client.ask("/apis/none.example/v1")).status, 404);
    const { items } = (await client.ask("/apis", { headers: { accept: aggregated } })).json();
    assert.ok(!items.some(({ metadata }: any) => metadata.name === "none.example"));
  } finally {
    client.close();
    await server.close();
  }
});

test("a server with OpenAPI v2 only has a v3 document that is made of it", async () => {
  const server = await startTestServer(), client = httpsClient({ ...server, token: server.tokens.admin });
  const old = await backend("old", (request, response) => {
    if (request.url?.startsWith("/openapi/v3") === true) response.writeHead(404).end();
    else answer(request, response);
  });
  try {
    await register(client, "old", "v1", old.port, { caBundle: Buffer.from(old.authority.cert).toString("base64") });
    await untilReason(client, "v1", "Passed");
    let url = "";
    await until(async () => {
      url = (await client.ask("/openapi/v3")).json().paths[name]?.serverRelativeURL ?? "";
      assert.match(url, /\?hash=[0-9A-F]{128}$/);
    });
    const { status, headers, text } = await client.ask(url), document = JSON.parse(text);
    assert.deepEqual([status, document.openapi, Object.keys(document.components.schemas)], [200, "3.0.0", ["Boat"]]);
    assert.match(String(headers["cache-control"]), /immutable/);
    assert.equal((await client.ask(`/openapi/v3/${name}`)).json().openapi, "3.0.0");
    const protobuf = { accept: "application/com.github.proto-openapi.spec.v3@v1.0+protobuf" };
    assert.equal(
      (await client.ask(url, { headers: protobuf })).headers["content-type"],
      "application/com.github.proto-openapi.spec.v3.v1.0+protobuf",
    );
    assert.equal((await client.ask(`/openapi/v3/apis/${group}`)).status, 404, "the document of the group is the other server's");
  } finally {
    client.close();
    await old.close();
    await server.close();
  }
});
