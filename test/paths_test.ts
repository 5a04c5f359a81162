// Paths of requests: escapes, dots, slashes, and bytes that are not UTF-8.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestServer, type TestServer } from "./harness.ts";
import { type Client, httpsClient } from "./https.ts";
import { until } from "./real-server.ts";

let server: TestServer, client: Client;
before(async () => {
  server = await startTestServer();
  client = httpsClient({ port: server.port, ca: server.ca, token: server.tokens.admin });
});
after(async () => {
  client.close();
  await server.close();
});

async function told(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const answer = await client.ask(path, { method, headers, ...(body === undefined ? {} : { body }) });
  const { message, reason, details } = answer.json();
  return { status: answer.status, message, reason, details };
}

test("a namespace of one or two dots is an invalid store key, as in kube-apiserver", async () => {
  const refused = (key: string) => ({ status: 500, message: `invalid key: "${key}"`, reason: undefined, details: undefined });
  const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
  for (const namespace of [".", "..", "%2e", "%2E%2e"]) {
    const below = `/api/v1/namespaces/${namespace}/configmaps`, key = `/configmaps/${decodeURIComponent(namespace)}`;
    assert.deepEqual(await told("GET", below), refused(key));
    assert.deepEqual(await told("GET", `${below}?watch=1`), refused(key));
    assert.deepEqual(await told("DELETE", below), refused(key));
    assert.deepEqual(await told("GET", `${below}?fieldSelector=metadata.name%3Da`), refused(`${key}/a`));
    assert.deepEqual(await told("GET", `/api/v1/watch/namespaces/${namespace}/configmaps/a`), refused(`${key}/a`));
    for (const [method, body] of [["GET"], ["PUT", config], ["DELETE"]] as const) {
      assert.deepEqual(await told(method, `${below}/a`, body), refused(`${key}/a`), method);
    }
    for (const type of ["merge-patch+json", "apply-patch+yaml"]) {
      const patched = await told("PATCH", `${below}/a?fieldManager=x`, config, { "content-type": `application/${type}` });
      assert.deepEqual(patched, refused(`${key}/a`), type);
    }
  }
  assert.deepEqual(
    await told("GET", "/apis/coordination.k8s.io/v1/namespaces/%2e/leases/b"),
    refused("/leases/./b"),
    "whatever the group, the key begins with the resource",
  );
  assert.equal((await told("GET", "/api/v1/namespaces/%2e/configmaps/%2e")).message, `Name parameter invalid: ".": may not be '.'`);
  assert.equal((await told("GET", "/api/v1/namespaces/.../configmaps/a")).status, 404);
});

test("a create in a namespace that is not a path segment is an internal error", async () => {
  for (const [namespace, why] of [["%2e", "may not be '.'"], ["..", "may not be '..'"], ["a%25b", "may not contain '%'"]] as const) {
    const what = `invalid resource name "${decodeURIComponent(namespace)}": [${why}]`;
    assert.deepEqual(await told("POST", `/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name: "a" } }), {
      status: 500,
      message: `Internal error occurred: ${what}`,
      reason: "InternalError",
      details: { causes: [{ message: what }] },
    });
  }
});

test("invalid UTF-8 of a name has Go's escapes in quotes, and replacement characters elsewhere", async () => {
  const found = await told("GET", "/api/v1/namespaces/default/configmaps/a%ff%c3%28%e2%82");
  assert.deepEqual(found, {
    status: 404,
    message: String.raw`configmaps "a\xff\xc3(\xe2\x82" not found`,
    reason: "NotFound",
    details: { name: "a\ufffd\ufffd(\ufffd\ufffd", kind: "configmaps" },
  });
  const put = await told("PUT", "/api/v1/namespaces/default/configmaps/%e2%82", { metadata: { name: "a" } });
  assert.equal(put.message, "the name of the object (a) does not match the name on the URL (\ufffd\ufffd)");
  const namespace = await told("POST", "/api/v1/namespaces/%ff/configmaps", { metadata: { name: "a" } });
  assert.equal(namespace.message, String.raw`namespaces "\xff" not found`);
});

test("an invalid escape is rejected before all other checks, without the usual headers", async () => {
  const { status, headers, text } = await client.ask("/api/v1/namespaces/%zz");
  assert.deepEqual([status, headers["content-type"], text], [400, "text/plain; charset=utf-8", "400 Bad Request"]);
  assert.equal(headers["x-content-type-options"], undefined);
});

test("paths below /version are 404 as a Status; an empty group is 404 as text", async () => {
  for (const path of ["/version/x", "/version/x/y"]) assert.equal((await told("GET", path)).reason, "NotFound");
  assert.equal((await client.ask("/version//")).json().major, "1");
  for (const path of ["/apis/%2f/v1", "/apis//v1", "/apis//"]) {
    assert.equal((await client.ask(path)).text, "404 page not found\n", path);
  }
});

test("a get rejects `export` unless it is false or 0; other verbs ignore it", async () => {
  const path = "/api/v1/namespaces/default";
  for (const query of ["export=true", "export=1", "export=", "export=x", "export=true&exact=true"]) {
    const { status, message } = await told("GET", `${path}?${query}`);
    assert.deepEqual([status, message], [400, "the export parameter, deprecated since v1.14, is no longer supported"], query);
  }
  for (const query of ["export=false", "export=0", "exact=true"]) assert.equal((await told("GET", `${path}?${query}`)).status, 200, query);
  assert.equal((await told("GET", "/api/v1/namespaces?export=true")).status, 200);
});

test("a PUT checks the namespace in the body before the name", async () => {
  const path = "/api/v1/namespaces/default/configmaps/a";
  const { message } = await told("PUT", path, { metadata: { name: "b", namespace: "other" } });
  assert.equal(message, "the namespace of the provided object does not match the namespace sent on the request");
});

test("a deletion with a body of another kind and without a version is rejected with the meta group version", async () => {
  const { status, message } = await told("DELETE", "/api/v1/namespaces/default/configmaps/a", { kind: "ConfigMap" });
  assert.equal(status, 400);
  assert.match(message, /^no kind "ConfigMap" is registered for version "meta\.k8s\.io\/v1" in scheme /);
});

test("for a path with an empty namespace, errors of the body precede the missing namespace", async () => {
  const path = "/api/v1/namespaces//configmaps/a", named = { metadata: { name: "a" } };
  const lacking = "Namespace parameter required.";
  assert.match((await told("PUT", path, {})).message, /was undeterminable: name must be provided$/);
  assert.equal((await told("PUT", path, named)).message, lacking);
  assert.equal((await told("PATCH", path, {})).status, 415);
  assert.equal((await told("PATCH", path, {}, { "content-type": "application/merge-patch+json" })).message, lacking);
  for (const method of ["GET", "DELETE"]) assert.equal((await told(method, path)).message, lacking);
  assert.equal((await told("DELETE", "/api/v1/namespaces//configmaps")).message, lacking);
});

test("a write of a collection of custom resources lacks a name; a path of the wrong scope is no path", async () => {
  for (const [plural, kind, scope] of [["widgets", "Widget", "Namespaced"], ["gadgets", "Gadget", "Cluster"]] as const) {
    const definition = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.paths.example.com` },
      spec: {
        group: "paths.example.com",
        names: { plural, kind },
        scope,
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    };
    assert.equal((await told("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)).status, 201);
    await until(async () => assert.equal((await client.ask(`/apis/paths.example.com/v1/${plural}`)).status, 200));
  }
  const unnamed = { status: 400, message: "name must be provided", reason: "BadRequest", details: undefined };
  const type = (name: string) => ({ "content-type": `application/${name}` });
  for (const path of ["/apis/paths.example.com/v1/namespaces/default/widgets", "/apis/paths.example.com/v1/gadgets/"]) {
    // Neither options, nor the body, nor the media type that is asked for matter.
    for (const query of ["", "?dryRun=x"]) assert.deepEqual(await told("PUT", path + query, "{", type("nope")), unnamed);
    assert.deepEqual(await told("PUT", path, {}, { accept: "text/nope" }), unnamed);
    for (const dialect of ["merge-patch+json", "json-patch+json", "apply-patch+yaml"]) {
      assert.deepEqual(await told("PATCH", path, {}, type(dialect)), unnamed, dialect);
    }
    const { status, message } = await told("PATCH", path, {}, type("strategic-merge-patch+json"));
    assert.equal(status, 415);
    assert.match(
      message,
      /^the body of the request was in an unknown format - accepted media types include: application\/json-patch\+json, /,
    );
  }
  for (const path of ["/apis/paths.example.com/v1/widgets", "/apis/paths.example.com/v1/namespaces/default/gadgets"]) {
    for (const method of ["PUT", "PATCH", "POST", "DELETE"]) {
      const { status, text } = await client.ask(path, { method, body: {} });
      assert.deepEqual([status, text], [404, "404 page not found\n"], `${method} ${path}`);
    }
  }
  const { status, message } = await told("PUT", "/api/v1/namespaces/default/configmaps", {});
  assert.deepEqual([status, message], [405, "the server does not allow this method on the requested resource"]);
});
