import assert from "node:assert/strict";
import { test } from "node:test";
import { createRegistry } from "../../metrics/mod.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { requestMetrics } from "./metrics.ts";
import { requestInfo } from "../request/request-info.ts";
import { metricDryRun, metricScope, metricVerb, recordRequest, requestLabels } from "./request-metrics.ts";

const info = (method: string, url: string) => requestInfo(method, url)!;
const verb = (method: string, url: string, contentType?: string) => metricVerb(method, info(method, url), contentType);
const scope = (method: string, url: string) => metricScope(info(method, url));

test("metricVerb() is the method, except LIST and WATCH for GET and APPLY for PATCH", () => {
  const one = "/api/v1/namespaces/a/configmaps/b", all = "/api/v1/namespaces/a/configmaps";
  for (const method of ["GET", "PUT", "PATCH", "DELETE"]) assert.equal(verb(method, one), method);
  assert.equal(verb("POST", all), "POST");
  assert.equal(verb("DELETE", all), "DELETE");
  assert.equal(verb("GET", all), "LIST");
  assert.equal(verb("GET", "/api/v1/configmaps"), "LIST");
  assert.equal(verb("HEAD", all), "LIST");
  assert.equal(verb("HEAD", one), "GET");
  assert.equal(verb("GET", `${all}?watch`), "WATCH");
  assert.equal(verb("GET", `${all}?watch=0`), "LIST");
  assert.equal(verb("GET", "/api/v1/watch/configmaps"), "WATCH");
  assert.equal(verb("PATCH", one, "application/apply-patch+yaml"), "APPLY");
  assert.equal(verb("PATCH", one, "application/apply-patch+cbor"), "PATCH");
  assert.equal(verb("GET", "/livez"), "GET");
});

test("metricVerb() is CONNECT for long-running subresources and other for unknown methods", () => {
  assert.equal(verb("POST", "/api/v1/namespaces/a/pods/b/exec"), "CONNECT");
  assert.equal(verb("GET", "/api/v1/namespaces/a/pods/b/log"), "CONNECT");
  for (const method of ["OPTIONS", "TRACE", "CONNECT", "BREW", "__proto__", ""]) assert.equal(verb(method, "/api/v1/configmaps"), "other");
  assert.equal(verb("get", "/api/v1/namespaces/a/configmaps/b"), "GET");
});

test("metricScope() is the scope of the request's target", () => {
  assert.equal(scope("GET", "/api/v1/namespaces/a/configmaps/b"), "resource");
  assert.equal(scope("POST", "/api/v1/namespaces/a/configmaps"), "resource");
  assert.equal(scope("GET", "/api/v1/namespaces/a/configmaps"), "namespace");
  assert.equal(scope("GET", "/api/v1/configmaps"), "cluster");
  assert.equal(scope("GET", "/api/v1/configmaps?fieldSelector=metadata.name%3Dx"), "resource");
  assert.equal(scope("GET", "/version"), "");
});

test("metricDryRun() returns one of its three values", () => {
  assert.equal(metricDryRun([]), "");
  assert.equal(metricDryRun(["All"]), "All");
  assert.equal(metricDryRun(["All", "All"]), "All");
  assert.equal(metricDryRun(["all"]), "invalid");
  assert.equal(metricDryRun([""]), "invalid");
});

// Labels use the endpoints of a catalog only.
const catalog = {
  endpoint: (group: string, version: string, plural: string) =>
    group === "" && version === "v1" && plural === "namespaces"
      ? { group, version, plural, subresources: new Map([["status", {}]]) }
      : undefined,
} as unknown as Catalog;
const labels = (method: string, url: string) => requestLabels(method, info(method, url), undefined, catalog);

test("requestLabels() has names of served resources only, and no text of clients", () => {
  const known = { component: "apiserver", dry_run: "", group: "", version: "v1", resource: "namespaces", scope: "resource" };
  assert.deepEqual(labels("PUT", "/api/v1/namespaces/a/status?dryRun=All"), {
    ...known,
    verb: "PUT",
    subresource: "status",
    dry_run: "All",
  });
  assert.deepEqual(labels("GET", "/api/v1/namespaces/a/finalize"), { ...known, verb: "GET", subresource: "" });
  assert.deepEqual(labels("GET", "/apis/g17/v99/thing5/b/c?dryRun=r"), {
    ...known,
    version: "",
    resource: "",
    verb: "GET",
    subresource: "",
  });
  const outer = { component: "", dry_run: "", group: "", version: "", resource: "", scope: "", verb: "GET" };
  assert.deepEqual(labels("GET", "/livez"), { ...outer, subresource: "/livez" });
  assert.deepEqual(labels("GET", "/invented/by/me"), { ...outer, subresource: "" });
});

async function recorded(method: string, url: string): Promise<(name: string) => string | undefined> {
  const { record, text } = createRegistry(requestMetrics);
  recordRequest(record, labels(method, url), { code: 200, seconds: 0.25, waitedSeconds: 0.2, bytes: 1000 });
  const written = await text();
  return (name) => new RegExp(`^${name}(?:\\{.*\\})? (.*)$`, "m").exec(written)?.[1];
}

test("recordRequest() counts a read with its duration and size", async () => {
  const value = await recorded("GET", "/api/v1/namespaces");
  assert.equal(value("apiserver_request_total"), "1");
  assert.equal(value("apiserver_request_duration_seconds_sum"), "0.25");
  assert.equal(Number(value("apiserver_request_sli_duration_seconds_sum")).toFixed(2), "0.05");
  assert.equal(value("apiserver_response_sizes_sum"), "1000");
});

test("recordRequest() records no sizes of writes, and excludes dry runs from the SLI", async () => {
  const value = await recorded("POST", "/api/v1/namespaces?dryRun=All");
  assert.equal(value("apiserver_request_total"), "1");
  assert.equal(value("apiserver_request_duration_seconds_count"), "1");
  assert.equal(value("apiserver_request_sli_duration_seconds_count"), undefined);
  assert.equal(value("apiserver_response_sizes_count"), undefined);
});
