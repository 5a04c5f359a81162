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

test("custom resources have the verbs of the request info: HEAD reads, and POST creates with any name in the path", async () => {
  await define();
  const group = "/apis/paths.example.com/v1", widgets = `${group}/namespaces/default/widgets`;
  const widget = (name: string) => ({ apiVersion: "paths.example.com/v1", kind: "Widget", metadata: { name } });
  for (const [path, name] of [[`${widgets}/posted`, "posted"], [`${widgets}/other`, "inner"], [`${widgets}/A%25_`, "third"]] as const) {
    const created = await client.ask(path, { method: "POST", body: widget(name) });
    assert.deepEqual([created.status, created.json().metadata.name], [201, name], path);
  }
  assert.equal((await told("GET", `${widgets}/other`)).status, 404);
  const again = await told("POST", `${widgets}/other`, widget("inner"));
  assert.deepEqual([again.status, again.message], [409, 'widgets.paths.example.com "inner" already exists']);
  const unnamed = { apiVersion: "paths.example.com/v1", kind: "Widget" };
  assert.equal((await told("POST", `${widgets}/other`, unnamed)).status, 422);

  for (const path of [widgets, `${widgets}/inner`, `${widgets}/inner/status`, `${widgets}/inner?watch=1`, `${widgets}?watch=1`]) {
    const { status, text, headers } = await client.ask(path, { method: "HEAD" });
    assert.deepEqual([status, text, headers["content-type"]], [200, "", "application/json"], path);
  }
  for (const [path, status] of [[`${widgets}/none`, 404], [`${widgets}/inner/none`, 404], [`${group}/widgets/inner`, 404]] as const) {
    assert.equal((await client.ask(path, { method: "HEAD" })).status, status, path);
  }
  for (const path of ["/api/v1/namespaces", "/api/v1/namespaces/default", "/api/v1/namespaces/default/configmaps"]) {
    assert.equal((await client.ask(path, { method: "HEAD" })).status, 405, path);
  }

  const refusals = [["POST", "/inner/status", "create"], ["DELETE", "/inner/status", "delete"], ["OPTIONS", "/inner", ""], [
    "OPTIONS",
    "",
    "",
  ], [
    "GET",
    "//status",
    "list",
  ]] as const;
  for (const [method, below, verb] of refusals) {
    assert.deepEqual(await told(method, widgets + below, method === "POST" ? {} : undefined), {
      status: 405,
      message: `${verb} is not supported on resources of kind "widgets.paths.example.com"`,
      reason: "MethodNotAllowed",
      details: { group: "paths.example.com", kind: "widgets" },
    }, `${method} ${below}`);
  }
  assert.equal(
    (await told("GET", `${group}/proxy/gadgets/g`)).message,
    'proxy is not supported on resources of kind "gadgets.paths.example.com"',
  );
  assert.equal((await client.ask(`${group}/proxy/widgets/g`)).text, "404 page not found\n");

  // Segments below a subresource are ignored, and so are those below an empty one.
  for (const below of ["/status/x", "/status/x/y/z", "//status", "//x"]) {
    assert.equal((await client.ask(`${widgets}/inner${below}`)).json().metadata.name, "inner", below);
  }
  for (const [path, name] of [["/inner/none", "inner"], ["/inner/none/x/y", "inner"], ["//none", ""]] as const) {
    assert.equal((await told("GET", widgets + path)).message, `widgets.paths.example.com "${name}" not found`, path);
  }

  // An empty namespace is none.
  assert.equal((await client.ask(`${group}/namespaces//gadgets`)).status, 200);
  assert.equal((await told("POST", `${group}/namespaces//gadgets`, { ...widget("g"), kind: "Gadget" })).status, 201);
  assert.equal((await client.ask(`${group}/namespaces//widgets`)).status, 200);
  for (const path of ["widgets", "widgets/inner"]) {
    const { status, text } = await client.ask(`${group}/namespaces//${path}`, { method: "DELETE" });
    assert.deepEqual([status, text], [404, "404 page not found\n"], path);
  }

  // Below the deprecated prefix, every method watches, over all namespaces too.
  const watched = `${group}/watch/widgets/inner?timeoutSeconds=1`;
  for (
    const [method, path] of [["GET", watched], ["PUT", watched], [
      "POST",
      `${group}/watch/namespaces/default/widgets/inner?timeoutSeconds=1`,
    ]] as const
  ) {
    const { status, text } = await client.ask(path, { method });
    const events = text.trim().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(
      [status, events.map(({ type, object }) => [type, object.metadata.name])],
      [200, [["ADDED", "inner"]]],
      `${method} ${path}`,
    );
  }
  assert.equal(
    (await told("GET", `${group}/watch/widgets/inner/status`)).message,
    'watch is not supported on resources of kind "widgets.paths.example.com"',
  );

  for (const method of ["HEAD", "POST", "DELETE"]) {
    for (const path of [group, "/apis/paths.example.com"]) {
      assert.equal((await client.ask(path, { method })).status, 200, `${method} ${path}`);
    }
    assert.equal((await client.ask("/apis/apiextensions.k8s.io/v1", { method })).status, 405, method);
  }
});

test("a write of a collection of custom resources lacks a name; a path of the wrong scope is no path", async () => {
  await define();
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

/** Defines widgets in namespaces, and gadgets outside of them. */
async function define(): Promise<void> {
  for (const [plural, kind, scope] of [["widgets", "Widget", "Namespaced"], ["gadgets", "Gadget", "Cluster"]] as const) {
    const definition = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.paths.example.com` },
      spec: {
        group: "paths.example.com",
        names: { plural, kind },
        scope,
        versions: [{
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object" } },
          subresources: { status: {} },
        }],
      },
    };
    const { status } = await told("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    assert.ok(status === 201 || status === 409, "an earlier test may have made it");
    await until(async () => assert.equal((await client.ask(`/apis/paths.example.com/v1/${plural}`)).status, 200));
  }
}
