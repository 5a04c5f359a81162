// A request gets the same response from the heavy thread as from the thread that serves connections.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withDefaults } from "../server/config/parse.ts";
import type { Exchange, Reply } from "../kernel/request/exchange.ts";
import { handle } from "../kernel/handle.ts";
import { startHeavyThread } from "../server/heavy/thread.ts";
import { silentLog } from "../kernel/observe/log.ts";
import { openServer } from "../server/startup/open-server.ts";
import type { ServeOptions } from "../server/startup/serve-options.ts";
import { encoded } from "./cbor.ts";
import { plugins } from "../plugins/mod.ts";
import { inlineBodyBytesMax } from "../kernel/request-context.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const long = "x".repeat(inlineBodyBytesMax + 1);
const meta = (name: string) => `"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"}`;

interface Asked {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly accept?: string;
  readonly body?: string | Uint8Array;
}
const merge = "application/merge-patch+json",
  strategic = "application/strategic-merge-patch+json",
  operations = "application/json-patch+json";
const applied = "application/apply-patch+yaml";
const finalizers = Array.from({ length: 25_000 }, (_, index) => `"a.b/${index}"`).join(",");

/** Requests in this order, on one server. Each is large, or uses a large object. */
const requests: readonly Asked[] = [
  { name: "create", method: "POST", path: configMaps, body: `{${meta("a")},"data":{"a":"${long}"},"unknown":1}` },
  { name: "create again", method: "POST", path: configMaps, body: `{${meta("a")},"data":{"a":"${long}"}}` },
  {
    name: "strict",
    method: "POST",
    path: `${configMaps}?fieldValidation=Strict`,
    body: `{${meta("b")},"data":{"a":"${long}"},"unknown":1}`,
  },
  { name: "invalid", method: "POST", path: configMaps, body: `{${meta("-")},"data":{"a b":"${long}"}}` },
  { name: "broken JSON", method: "POST", path: configMaps, body: `{"a":"${long}"` },
  {
    name: "YAML",
    method: "POST",
    path: `${configMaps}?dryRun=All`,
    type: "application/yaml",
    body: `{${meta("y")},"data":{"a":"${long}"}}\n# ${long}`,
  },
  {
    name: "CBOR",
    method: "POST",
    path: configMaps,
    type: "application/cbor",
    body: encoded({ kind: "ConfigMap", apiVersion: "v1", metadata: { name: "c" }, data: { a: long } }),
  },
  {
    name: "protobuf",
    method: "POST",
    path: configMaps,
    type: "application/vnd.kubernetes.protobuf",
    body: new Uint8Array(inlineBodyBytesMax + 1),
  },
  { name: "no such namespace", method: "POST", path: configMaps.replace("default", "none"), body: `{${meta("a")},"data":{"a":"${long}"}}` },
  {
    name: "too large for the store",
    method: "POST",
    path: configMaps,
    body: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"l","finalizers":[${finalizers},${
      finalizers.replaceAll("a.b", "a.b.c.d.example.com")
    },${finalizers.replaceAll("a.b", "f.b.c.d.e.example.com")}]}}`,
  },
  { name: "update", method: "PUT", path: `${configMaps}/a`, body: `{${meta("a")},"data":{"a":"${long}","b":"1"}}` },
  { name: "update of another name", method: "PUT", path: `${configMaps}/a`, body: `{${meta("b")},"data":{"a":"${long}"}}` },
  { name: "merge patch", method: "PATCH", path: `${configMaps}/a`, type: merge, body: `{"data":{"c":"${long}","a":null}}` },
  {
    name: "strategic patch",
    method: "PATCH",
    path: `${configMaps}/a`,
    type: strategic,
    body: `{"metadata":{"finalizers":[${finalizers}]}}`,
  },
  {
    name: "JSON patch of a large object",
    method: "PATCH",
    path: `${configMaps}/a`,
    type: operations,
    body: `[{"op":"remove","path":"/data/c"}]`,
  },
  {
    name: "JSON patch that fails",
    method: "PATCH",
    path: `${configMaps}/a`,
    type: operations,
    body: `[{"op":"test","path":"/data/b","value":"2"}]`,
  },
  {
    name: "apply",
    method: "PATCH",
    path: `${configMaps}/new?fieldManager=me`,
    type: applied,
    body: `{${meta("new")},"data":{"a":"${long}"}}`,
  },
  {
    name: "apply with a conflict",
    method: "PATCH",
    path: `${configMaps}/new?fieldManager=you`,
    type: applied,
    body: `{${meta("new")},"data":{"a":"${long}1"}}`,
  },
  { name: "get as YAML", method: "GET", path: `${configMaps}/a`, accept: "application/yaml" },
  { name: "get as a table", method: "GET", path: `${configMaps}/a`, accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
  { name: "get", method: "GET", path: `${configMaps}/a` },
  {
    name: "delete with long options",
    method: "DELETE",
    path: `${configMaps}/new`,
    body: `{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"],"x":"${long}"}`,
  },
  {
    name: "delete with wrong options",
    method: "DELETE",
    path: `${configMaps}/new`,
    body: `{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["${long}"]}`,
  },
  { name: "delete of a large object", method: "DELETE", path: `${configMaps}/a` },
  { name: "list", method: "GET", path: configMaps },
  {
    name: "delete all with long options",
    method: "DELETE",
    path: configMaps,
    body: `{"kind":"DeleteOptions","apiVersion":"v1","x":"${long}"}`,
  },
];

async function told(reply: Reply): Promise<{ readonly status: number; readonly headers: object; readonly body: string }> {
  const { status, headers: { "audit-id": _, ...all }, body } = reply;
  // Each server has its own flow schemas.
  const headers = Object.fromEntries(Object.entries(all).filter(([name]) => !name.startsWith("x-kubernetes-pf-")));
  const chunks: Uint8Array[] = [];
  if (typeof body === "string") chunks.push(new TextEncoder().encode(body));
  else if (body instanceof Uint8Array) chunks.push(body);
  else for await (const chunk of body) chunks.push(chunk);
  // Values that differ between runs: generated names and times.
  const text = Buffer.concat(chunks).toString("latin1").replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "UID").replaceAll(
    /\d{4}-\d\d-\d\dT[\d:.]+Z/g,
    "TIME",
  )
    .replaceAll(/resourceVersion("?):\s*"\d+"/g, "resourceVersion");
  return { status, headers, body: text.replaceAll(/"\d+s"/g, "AGE") };
}

async function answers(options: Pick<ServeOptions, "startHeavy">) {
  const config = withDefaults({ "data-dir": ":memory:", "feature-gates": { CBORServingAndStorage: true } });
  const opened = await openServer({ config, plugins, log: silentLog, ...options });
  await opened.bootstrapped;
  const { server } = opened;
  const open = {
    ...server,
    catalog: server.catalog,
    requestTimeoutMs: server.requestTimeoutMs,
    authenticate: () => Promise.resolve({ name: "admin", groups: ["system:masters"] }),
  };
  try {
    const found = new Map<string, Awaited<ReturnType<typeof told>>>();
    for (const { name, method, path, type = "application/json", accept = "application/json", body = "" } of requests) {
      const bytes = Buffer.from(body);
      const exchange: Exchange = {
        method,
        url: path,
        headers: { "content-type": type, accept, "user-agent": "test" },
        body: () => Promise.resolve(bytes),
        peer: undefined,
        remote: "",
        protocol: "HTTP/1.1",
        signal: new AbortController().signal,
      };
      found.set(name, await told(await handle(exchange, open)));
    }
    return found;
  } finally {
    await opened.close();
  }
}

test("the heavy thread gives the same response to each large request as the serving thread", { timeout: 120_000 }, async () => {
  let jobs = 0;
  const here = await answers({});
  const there = await answers({
    startHeavy(...to) {
      const { post, end } = startHeavyThread(...to);
      return {
        post(message, transfer) {
          if (message.tag === "job") jobs++;
          post(message, transfer);
        },
        end,
      };
    },
  });
  for (const { name } of requests) assert.deepEqual(there.get(name), here.get(name), name);
  // The list and the stored object are existing bytes, which need no thread.
  assert.equal(jobs, requests.length - 2);
});
