// Audit events of a server: those that kube-apiserver 1.35 logged for the same requests, and those of this server's own features.
// In Deno's suite only: events do not depend on the runtime.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { definePlugin } from "../../core/define/define.ts";
import { startHeavyThread } from "../../server/heavy/thread.ts";
import { configMaps as configMap } from "../../plugins/configmaps/mod.ts";
import { plugins } from "../../plugins/mod.ts";
import { startTestServer, type TestServer } from "../harness.ts";
import { type Answer, httpsClient } from "../https.ts";
import { holdsItsPlace, served } from "../flags/served.ts";
import { until } from "../real-server.ts";
import { inlineBodyBytesMax } from "../../kernel/request-context.ts";

/** One request and its events, with `*` for values that differ between runs. */
interface Recorded {
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly token?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    /** Sends the object of the last read with this data. */
    readonly edit?: object;
  };
  readonly events: readonly object[];
}

const recordedPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- level: Metadata
  resources: [{group: "", resources: [secrets]}]
- level: RequestResponse
`;

/** A server with a policy and a log; `events` returns those of network requests, `all` includes those in process. */
async function audited(
  policy: string,
  flags: readonly string[],
  use: (server: TestServer, events: () => Promise<any[]>, all: () => Promise<any[]>, text: () => Promise<string>) => Promise<void>,
  more: Omit<Parameters<typeof startTestServer>[0] & object, "args"> = {},
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-audit-"));
  try {
    const file = (name: string) => join(folder, name);
    await writeFile(file("policy"), policy);
    await writeFile(file("tokens"), 'admintoken,admin,uid-admin,"system:masters"\nalicetoken,alice,uid-alice,"devs"\n');
    const args = [
      `--audit-policy-file=${file("policy")}`,
      `--audit-log-path=${file("log")}`,
      `--token-auth-file=${file("tokens")}`,
      ...flags,
    ];
    const server = await startTestServer({ ...more, args });
    const text = () => readFile(file("log"), "utf8");
    const all = async () => (await text()).split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
    const events = async () => (await all()).filter(({ sourceIPs }) => sourceIPs !== undefined);
    try {
      await use(server, events, all, text);
    } finally {
      await server.close();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Sends a request to its end. */
async function send(server: TestServer, { method, path, token, headers = {}, body }: Recorded["request"]): Promise<Answer> {
  const client = httpsClient({ ...server, ...(token === undefined ? {} : { token }), single: true });
  try {
    const all = { "user-agent": "probe/1", accept: "application/json", ...headers };
    return await client.ask(path, { method, headers: all, ...(body === undefined ? {} : { body }) });
  } finally {
    client.close();
  }
}

/** The value in the form of the recordings. */
function normal(value: any, key = ""): any {
  if (Array.isArray(value)) {
    return key === "cells" ? value.slice(0, 2) : value.map((each) => normal(each, key === "columnDefinitions" ? key : ""));
  }
  if (typeof value === "object" && value !== null) {
    // Descriptions of columns are our own.
    const entries = Object.entries(value).filter(([name]) => key !== "columnDefinitions" || name !== "description");
    return Object.fromEntries(entries.map(([name, each]) => [name, normal(each, name)]));
  }
  if (["uid", "resourceVersion", "creationTimestamp", "time"].includes(key)) return "*";
  if (/Timestamp$/.test(key)) return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(value) ? "*" : value;
  if (key === "auditID" && value.length === 36) return "*";
  return typeof value === "string" && /^sc-.{5}$/.test(value) ? "*" : value;
}

test("events equal those of kube-apiserver for the same requests, member by member", async () => {
  const recordings: readonly Recorded[] = JSON.parse(await readFile(new URL("recorded.json", import.meta.url), "utf8"));
  await audited(recordedPolicy, [], async (server, events) => {
    let read = 0, last = "";
    for (const { request, events: wanted } of recordings) {
      const { edit } = request;
      const body = edit === undefined ? {} : { body: JSON.stringify({ ...JSON.parse(last), data: edit }) };
      last = (await send(server, { ...request, ...body })).text;
      await until(async () => assert.ok((await events()).length >= read + wanted.length));
      const found = (await events()).slice(read);
      read += found.length;
      const what = `${request.method} ${request.path} by ${request.token}`;
      for (const event of found.filter(({ responseStatus }) => responseStatus?.code === 401)) {
        // Our own: kube-apiserver records no reason.
        assert.deepEqual(event.annotations, { "authentication.k8s.io/reason": "invalid bearer token" });
        delete event.annotations;
      }
      assert.deepEqual(found.map((event) => normal(event)), wanted, what);
      assert.equal(JSON.stringify(found.map((event) => normal(event))), JSON.stringify(wanted), `the order of members: ${what}`);
    }
    assert.equal((await events()).length, read);
  });
});

const everything = (level: string) => `{"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":[{"level":"${level}","users":["admin"]}]}`;
const configMaps = "/api/v1/namespaces/default/configmaps";
const admin = { token: "admintoken" };

test("a refused token is in the log with the audit id of its event, without the token", async () => {
  await audited('{"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":[{"level":"Metadata"}]}', [], async (server, events) => {
    const token = "s3cret-of-nobody", headers = { "audit-id": "refused-1" };
    assert.equal((await send(server, { method: "GET", path: configMaps, token, headers })).status, 401);
    await until(async () => assert.equal((await events()).find(({ auditID }) => auditID === "refused-1")?.responseStatus.code, 401));
    const lines = server.logged.filter((line) => line.includes("Unable to authenticate the request")).map((line) => JSON.parse(line));
    assert.deepEqual(lines.map(({ auditID, error }) => [auditID, error]), [["refused-1", "invalid bearer token"]]);
    assert.ok(!server.logged.join().includes(token) && !JSON.stringify(await events()).includes(token));
  });
});

test("requests of the heavy thread are recorded like others", async () => {
  await audited(everything("RequestResponse"), [], async (server, events) => {
    const text = "x".repeat(2 * inlineBodyBytesMax);
    const body = JSON.stringify({ metadata: { name: "large" }, data: { text } });
    assert.equal((await send(server, { method: "POST", path: configMaps, ...admin, body })).status, 201);
    const patched = { method: "PATCH", path: `${configMaps}/large`, ...admin, headers: { "content-type": "application/merge-patch+json" } };
    assert.equal((await send(server, { ...patched, body: JSON.stringify({ data: { more: text } }) })).status, 200);
    const wrong = JSON.stringify({ metadata: { name: "LARGE" }, data: { text } });
    assert.equal((await send(server, { method: "POST", path: configMaps, ...admin, body: wrong })).status, 422);
    const [created, changed, refused] = (await events()).filter(({ stage }) => stage === "ResponseComplete");
    assert.deepEqual([created.objectRef.name, created.requestObject.data.text, created.responseObject.data.text], ["large", text, text]);
    assert.deepEqual([changed.requestObject, changed.responseObject.data.more], [{ data: { more: text } }, text]);
    assert.deepEqual([refused.responseStatus.code, refused.requestObject.metadata.name], [422, "LARGE"]);
  }, { startHeavy: startHeavyThread });
});

test("an internal error is a Panic event with the reference in the response", async () => {
  const broken = definePlugin({
    name: "broken",
    summary: "Fails.",
    admission: [{
      name: "Broken",
      resources: [configMap],
      refuse() {
        throw new TypeError("a secret of the program");
      },
    }],
  });
  await audited(everything("Metadata"), [], async (server, events) => {
    const { status, text } = await send(server, { method: "POST", path: configMaps, ...admin, body: '{"metadata":{"name":"a"}}' });
    assert.equal(status, 500);
    const [, { stage, responseStatus }] = await events();
    assert.equal(stage, "Panic");
    const reference = /reference ([-\da-f]{36})/.exec(text)?.[1];
    assert.deepEqual([responseStatus.code, responseStatus.reason, responseStatus.message.includes(reference)], [
      500,
      "InternalError",
      true,
    ]);
    assert.ok(!JSON.stringify(await events()).includes("a secret of the program"));
  }, { plugins: [...plugins, broken] });
});

test("bodies of Secrets are not in events at Metadata, for every result of their requests", async () => {
  const secrets = "/api/v1/namespaces/default/secrets", secret = "aHVudGVyMg==";
  await audited(everything("Metadata"), [], async (server, events) => {
    const asked = (method: string, path: string, body?: string, headers?: Record<string, string>) =>
      send(server, { method, path, ...admin, ...(body === undefined ? {} : { body }), ...(headers === undefined ? {} : { headers }) });
    const body = (name: string) => `{"metadata":{"name":"${name}"},"data":{"k":"${secret}"}}`;
    await asked("POST", secrets, body("s"));
    await asked("POST", secrets, body("BAD"));
    await asked("POST", secrets, `{"data":{"k":"${secret}"},`);
    await asked("PUT", `${secrets}/s`, body("s"));
    // The response to an invalid patch quotes the whole object.
    const broken = await asked("PATCH", `${secrets}/s`, '{"type":5}', { "content-type": "application/merge-patch+json" });
    assert.ok(broken.status === 422 && broken.text.includes(secret), broken.text);
    await asked("PATCH", `${secrets}/s`, `{"data":{"j":"${secret}"}}`, { "content-type": "application/merge-patch+json" });
    await asked("GET", secrets);
    await asked("DELETE", `${secrets}/s`);
    assert.equal((await events()).length, 16);
    assert.ok(!JSON.stringify(await events()).includes(secret));
  });
});

test("omitManagedFields removes managed fields from requests, objects, lists and tables", async () => {
  const policy =
    '{"apiVersion":"audit.k8s.io/v1","kind":"Policy","omitManagedFields":true,"rules":[{"level":"RequestResponse","users":["admin"]}]}';
  await audited(policy, [], async (server, events) => {
    const asked = (method: string, path: string, more: Partial<Recorded["request"]> = {}) =>
      send(server, { method, path, ...admin, ...more });
    const made = await asked("POST", configMaps, { body: '{"metadata":{"name":"a"},"data":{"k":"v"}}' });
    assert.match(made.text, /managedFields/);
    await asked("PUT", `${configMaps}/a`, { body: made.text });
    await asked("GET", configMaps);
    await asked("GET", configMaps, { headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" } });
    await asked("GET", configMaps, { headers: { accept: "application/vnd.kubernetes.protobuf" } });
    const found = (await events()).filter(({ userAgent, stage }) => userAgent === "probe/1" && stage === "ResponseComplete");
    assert.deepEqual(found.map(({ responseObject }) => responseObject.kind), [
      "ConfigMap",
      "ConfigMap",
      "ConfigMapList",
      "Table",
      "ConfigMapList",
    ]);
    assert.ok(!JSON.stringify(found).includes("managedFields"));
    assert.equal(found[1].requestObject.data.k, "v");
  });
});

test("events of requests in process name the impersonated user", async () => {
  await audited('{"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":[{"level":"Metadata"}]}', [], async (server, _, all) => {
    await send(server, { method: "POST", path: "/api/v1/namespaces", ...admin, body: '{"metadata":{"name":"team"}}' });
    await until(async () => {
      const own = (await all()).find((event) =>
        event.verb === "create" && event.objectRef?.namespace === "team" && event.stage === "ResponseComplete"
      );
      assert.match(own?.user.username ?? "", /^system:/);
      assert.equal(own?.annotations["authorization.k8s.io/decision"], "allow");
    });
  });
});

test("a client cannot forge lines of the log through its URI, agent, audit id or names", async () => {
  const hostile = "%0a%7B%22kind%22:%22Event%22%7D%0d%e2%80%a8";
  for (const format of ["json", "legacy"]) {
    await audited(everything("Metadata"), [`--audit-log-format=${format}`], async (server, _events, _all, text) => {
      const headers = { "user-agent": 'x"\u00ff\t{}', "audit-id": 'a"b\\', "impersonate-user": 'b"ob\\n', "x-forwarded-for": '1.2.3.4"' };
      const answer = await send(server, { method: "GET", path: `${configMaps}/${hostile}?x=${hostile}`, ...admin, headers });
      assert.equal(answer.status, 403);
      const lines = (await text()).trimEnd().split(/[\n\r\u2028]/);
      assert.equal(lines.length, 2);
      for (const line of lines) assert.match(line, format === "json" ? /^\{"kind":"Event",.*\}$/ : /^\S+Z AUDIT: id="a\\"b\\\\" stage="/);
    });
  }
});

test("rejected (429) and timed out requests (504) are recorded with their status", async () => {
  const policy = everything("Metadata");
  const folder = await mkdtemp(join(tmpdir(), "thole-audit-"));
  try {
    await writeFile(join(folder, "policy"), policy);
    const log = join(folder, "log");
    const flags = ["--max-mutating-requests-inflight=1", "--enable-priority-and-fairness=false", "--request-timeout=1s"];
    await served([`--audit-policy-file=${join(folder, "policy")}`, `--audit-log-path=${log}`, ...flags], async (server) => {
      const slow = server.unfinished("POST", configMaps);
      await holdsItsPlace(server);
      assert.equal((await server.client.ask(configMaps, { method: "POST", body: { metadata: { name: "a" } } })).status, 429);
      assert.equal((await slow.answer).status, 504);
      const events = (await readFile(log, "utf8")).trim().split("\n").map((line) => JSON.parse(line));
      const ended = events.filter(({ verb, stage }) => verb === "create" && stage === "ResponseComplete");
      assert.deepEqual(ended.map(({ responseStatus }) => [responseStatus.code, responseStatus.reason]), [[429, "TooManyRequests"], [
        504,
        "Timeout",
      ]]);
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("events have annotations of deprecated versions and of admission", async () => {
  const noting = definePlugin({
    name: "noting",
    summary: "Notes what it sees.",
    admission: [{
      name: "Noting",
      resources: [configMap],
      refuse(next, _prior, context) {
        context.annotate("noting.example.com/name", next.metadata.name ?? "");
        return undefined;
      },
    }],
  });
  const flags = ["--runtime-config=storage.k8s.io/v1beta1=true", "--feature-gates=VolumeAttributesClass=true"];
  await audited(everything("Metadata"), flags, async (server, events) => {
    await send(server, { method: "POST", path: configMaps, ...admin, body: '{"metadata":{"name":"a"}}' });
    await send(server, { method: "GET", path: "/apis/storage.k8s.io/v1beta1/volumeattributesclasses", ...admin });
    const [, made, , listed] = await events();
    assert.equal(made.annotations["noting.example.com/name"], "a");
    assert.deepEqual([listed.annotations["k8s.io/deprecated"], listed.annotations["k8s.io/removed-release"]], ["true", "1.37"]);
  }, { plugins: [...plugins, noting] });
});
