import assert from "node:assert/strict";
import { test } from "node:test";
import { requestInfo } from "../../request/request-info.ts";
import { attributesOf } from "./attributes.ts";

const selectorsOf = (method: string, url: string) => {
  const { fieldSelector, labelSelector } = attributesOf(requestInfo(method, url)!);
  return { fieldSelector, labelSelector };
};
const none = { fieldSelector: undefined, labelSelector: undefined };
const pods = "/api/v1/namespaces/a/pods";

test("attributesOf() has the requirements of the selectors of lists, watches and deletions of collections", () => {
  const query = "fieldSelector=spec.nodeName%3Dn1,status.phase!%3DFailed&labelSelector=app%20in%20(b,a),!old";
  const wanted = {
    fieldSelector: [
      { field: "spec.nodeName", operator: "=", value: "n1" },
      { field: "status.phase", operator: "!=", value: "Failed" },
    ],
    labelSelector: [{ key: "app", operator: "in", values: ["a", "b"] }, { key: "old", operator: "!", values: [] }],
  };
  assert.deepEqual(selectorsOf("GET", `${pods}?${query}`), wanted);
  assert.deepEqual(selectorsOf("GET", `${pods}?watch=1&${query}`), wanted);
  assert.deepEqual(selectorsOf("DELETE", `${pods}?${query}`), wanted);
});

test("attributesOf() has no selectors for other verbs, non-resource paths and the old prefix of watches", () => {
  const query = "labelSelector=a%3Db&fieldSelector=x%3Dy";
  for (
    const [method, url] of [["GET", `${pods}/b`], ["POST", pods], ["PUT", `${pods}/b`], ["PATCH", `${pods}/b`], [
      "DELETE",
      `${pods}/b`,
    ]] as const
  ) {
    assert.deepEqual(selectorsOf(method, `${url}?${query}`), none, `${method} ${url}`);
  }
  assert.deepEqual(selectorsOf("GET", `/metrics?${query}`), none);
  assert.deepEqual(selectorsOf("GET", `/api/v1/watch/namespaces/a/pods?${query}`), none);
});

test("attributesOf() ignores a selector that cannot be parsed, and keeps the other; of repeated ones only the first is used", () => {
  const label = [{ key: "a", operator: "=", values: ["b"] }];
  assert.deepEqual(selectorsOf("GET", `${pods}?labelSelector=a%3Db&fieldSelector=nonsense`), { ...none, labelSelector: label });
  assert.deepEqual(selectorsOf("GET", `${pods}?labelSelector=a%20b%20c`), none);
  assert.deepEqual(selectorsOf("GET", `${pods}?labelSelector=a%3Db&labelSelector=c%3Dd`), { ...none, labelSelector: label });
  assert.deepEqual(selectorsOf("GET", `${pods}?labelSelector=&fieldSelector=`), none);
});

test("attributesOf() returns the request info itself if there are no selectors", () => {
  const info = requestInfo("GET", pods)!;
  assert.equal(attributesOf(info), info);
});
