import assert from "node:assert/strict";
import { test } from "node:test";
import { requestInfo } from "./request-info.ts";

function brief(method: string, url: string): unknown {
  const info = requestInfo(method, url)!;
  const { verb, group, version, namespace, resource, subresource, name, isResourceRequest } = info;
  return { verb, group, version, namespace, resource, subresource, name, isResourceRequest };
}
const none = { group: "", version: "", namespace: "", resource: "", subresource: "", name: "", isResourceRequest: false };

test("requestInfo() reads group, version, namespace, name and subresource", () => {
  assert.deepEqual(brief("GET", "/apis/storage.k8s.io/v1/namespaces/a/csistoragecapacities/b/status"), {
    verb: "get",
    group: "storage.k8s.io",
    version: "v1",
    namespace: "a",
    resource: "csistoragecapacities",
    subresource: "status",
    name: "b",
    isResourceRequest: true,
  });
});

test("requestInfo() of a namespace has its name as the namespace, and status and finalize as subresources", () => {
  for (const subresource of ["", "status", "finalize"]) {
    assert.deepEqual(brief("PUT", `/api/v1/namespaces/a/${subresource}`), {
      ...none,
      verb: "update",
      version: "v1",
      namespace: "a",
      resource: "namespaces",
      name: "a",
      subresource,
      isResourceRequest: true,
    });
  }
});

test("requestInfo() without a name is list, watch or deletecollection instead of get or delete", () => {
  const verb = (method: string, url: string) => requestInfo(method, url)!.verb;
  assert.equal(verb("GET", "/api/v1/configmaps"), "list");
  assert.equal(verb("GET", "/api/v1/configmaps?watch"), "watch");
  assert.equal(verb("GET", "/api/v1/configmaps?watch=0"), "list");
  assert.equal(verb("GET", "/api/v1/configmaps?watch=FALSE"), "list");
  assert.equal(verb("GET", "/api/v1/watch/configmaps"), "watch");
  assert.equal(verb("DELETE", "/api/v1/namespaces/a/configmaps"), "deletecollection");
  assert.equal(verb("DELETE", "/api/v1/namespaces/a/configmaps/b"), "delete");
  assert.equal(verb("GET", "/api/v1/namespaces/a/configmaps/b?watch=1"), "get");
  assert.equal(verb("HEAD", "/api/v1/namespaces/a/configmaps/b"), "get");
  assert.equal(verb("FOO", "/api/v1/namespaces/a/configmaps/b"), "");
});

test("requestInfo() takes the name from a field selector on metadata.name", () => {
  const name = (selector: string) => requestInfo("GET", `/api/v1/configmaps?fieldSelector=${selector}`)!.name;
  assert.equal(name("metadata.name%3Dx"), "x");
  assert.equal(name("metadata.name!%3Dx"), "");
  assert.equal(name("metadata.name%3Dy,metadata.name%3Dx"), "x", "the first one in the order of their text, as upstream");
  assert.equal(name("metadata.name%3D..%2Fx"), "");
  assert.equal(
    requestInfo("DELETE", "/api/v1/configmaps?fieldSelector=metadata.name%3Dx")!.name,
    "",
    "only lists and watches are about one object",
  );
  assert.equal(requestInfo("GET", "/api/v1/watch/configmaps?fieldSelector=metadata.name%3Dx")!.name, "");
});

test("requestInfo() takes no name from a field selector beside an option of the list that cannot be read", () => {
  const name = (query: string) => requestInfo("GET", `/api/v1/configmaps?fieldSelector=metadata.name%3Dx&${query}`)!.name;
  for (const query of ["labelSelector=a%20b", "labelSelector=%21", "limit=x", "limit=", "timeoutSeconds=1.5", `limit=${2n ** 63n}`]) {
    assert.equal(name(query), "", query);
    assert.equal(name(`watch=1&${query}`), "", query);
  }
  for (const query of ["labelSelector=a", "labelSelector=", "limit=-1", "timeoutSeconds=%2B5", "allowWatchBookmarks=x", "continue=x"]) {
    assert.equal(name(query), "x", query);
  }
});

test("requestInfo() of the old prefix of proxies has no subresource, as upstream", () => {
  const info = requestInfo("GET", "/api/v1/proxy/namespaces/a/pods/b/status")!;
  assert.deepEqual([info.verb, info.resource, info.name, info.subresource], ["proxy", "pods", "b", ""]);
});

test("requestInfo() of discovery and of paths outside /api and /apis is not a resource request", () => {
  assert.deepEqual(brief("GET", "/livez/etcd?verbose"), { ...none, verb: "get" });
  assert.deepEqual(brief("POST", "/apis/storage.k8s.io/v1"), { ...none, verb: "post" });
  assert.equal(requestInfo("GET", "/apis/storage.k8s.io/v1")!.prefix, "apis");
});

test("requestInfo() decodes an escaped slash before it splits the path, so that no name contains one", () => {
  const info = requestInfo("GET", "/api/v1/namespaces/a/configmaps/b%2fstatus")!;
  assert.deepEqual([info.name, info.subresource], ["b", "status"]);
});

test("requestInfo() of a path with a malformed escape is undefined", () => {
  assert.equal(requestInfo("GET", "/api/v1/%zz"), undefined);
  assert.equal(requestInfo("GET", "/api/v1/%f"), undefined);
});

test("requestInfo() treats names of prototype properties as ordinary names", () => {
  assert.equal(requestInfo("constructor", "/api/v1/configmaps/x")!.verb, "");
  assert.equal(requestInfo("GET", "/api/v1/namespaces/__proto__/constructor")!.resource, "constructor");
});
