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

test("requestInfo() takes a namespace for its own namespace, and status and finalize for its subresources", () => {
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

test("requestInfo() tells list, watch and deletecollection from get and delete by the missing name", () => {
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

test("requestInfo() names the object that a field selector names", () => {
  const name = (selector: string) => requestInfo("GET", `/api/v1/configmaps?fieldSelector=${selector}`)!.name;
  assert.equal(name("metadata.name%3Dx"), "x");
  assert.equal(name("metadata.name!%3Dx"), "");
  assert.equal(name("metadata.name%3D..%2Fx"), "");
  assert.equal(
    requestInfo("DELETE", "/api/v1/configmaps?fieldSelector=metadata.name%3Dx")!.name,
    "",
    "only lists and watches are about one object",
  );
  assert.equal(requestInfo("GET", "/api/v1/watch/configmaps?fieldSelector=metadata.name%3Dx")!.name, "");
});

test("requestInfo() leaves paths outside of /api and /apis, and discovery, alone", () => {
  assert.deepEqual(brief("GET", "/livez/etcd?verbose"), { ...none, verb: "get" });
  assert.deepEqual(brief("POST", "/apis/storage.k8s.io/v1"), { ...none, verb: "post" });
  assert.equal(requestInfo("GET", "/apis/storage.k8s.io/v1")!.prefix, "apis");
});

test("requestInfo() decodes an escaped slash before it splits, so that no name holds one", () => {
  const info = requestInfo("GET", "/api/v1/namespaces/a/configmaps/b%2fstatus")!;
  assert.deepEqual([info.name, info.subresource], ["b", "status"]);
});

test("requestInfo() of a path with a broken escape is undefined", () => {
  assert.equal(requestInfo("GET", "/api/v1/%zz"), undefined);
  assert.equal(requestInfo("GET", "/api/v1/%f"), undefined);
});

test("requestInfo() is plain about names of the prototype", () => {
  assert.equal(requestInfo("constructor", "/api/v1/configmaps/x")!.verb, "");
  assert.equal(requestInfo("GET", "/api/v1/namespaces/__proto__/constructor")!.resource, "constructor");
});
