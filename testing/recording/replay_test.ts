// Replays: a recording is sent to another server, and what differs is said.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openTestServer, type TestServer } from "../../testing.ts";
import { readRecording } from "./read-recording.ts";

const base = "https://test/api/v1/namespaces/default";

function ask(server: TestServer, method: string, path: string, body?: unknown, type = "application/json", user?: string) {
  const sent = body === undefined ? {} : { headers: { "content-type": type }, body: JSON.stringify(body) };
  const by = user === undefined ? undefined : { name: user, groups: ["system:masters"] };
  return server.handle(new Request(`${base}${path}`, { method, ...sent }), by).then(async (response) => ({
    response,
    json: await response.json(),
  }));
}

/** A session that uses what servers name differently: uids, revisions, generated names, continue tokens and owners. */
async function session(server: TestServer): Promise<void> {
  const ending = new AbortController();
  const watch = await server.handle(
    new Request(`${base}/configmaps?watch=true&fieldSelector=metadata.name!=kube-root-ca.crt`, { signal: ending.signal }),
  );
  const { json: owner } = await ask(server, "POST", "/configmaps", { metadata: { name: "owner" }, data: { n: "1" } });
  const owners = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid }];
  const { json: made } = await ask(
    server,
    "POST",
    "/configmaps",
    { metadata: { generateName: "g-", ownerReferences: owners } },
    undefined,
    "eve",
  );
  await ask(server, "PUT", "/configmaps/owner", { ...owner, data: { n: "2" } });
  await ask(server, "PUT", "/configmaps/owner", { ...owner, data: { n: "3" } }); // a conflict
  await ask(server, "PATCH", `/configmaps/${made.metadata.name}`, { data: { m: "4" } }, "application/merge-patch+json");
  const { json: now } = await ask(server, "GET", "/configmaps/owner");
  const patch = [{ op: "replace", path: "/metadata/resourceVersion", value: now.metadata.resourceVersion }, {
    op: "add",
    path: "/data/p",
    value: "5",
  }];
  await ask(server, "PATCH", "/configmaps/owner", patch, "application/json-patch+json");
  const { json: page } = await ask(server, "GET", "/configmaps?limit=1");
  await ask(server, "GET", `/configmaps?limit=1&continue=${page.metadata.continue}`);
  await ask(server, "POST", "/secrets", { metadata: { name: "s" }, data: { p: "aHVudGVyMg==" } });
  await ask(server, "DELETE", `/configmaps/${made.metadata.name}`, { preconditions: { uid: made.metadata.uid } });
  const reader = watch.body!.getReader();
  for (let events = 0; events < 6;) events += new TextDecoder().decode((await reader.read()).value).split("\n").length - 1;
  ending.abort();
}

test("replay(): a recording from its file gives the same answers on a server with other uids, revisions and names", async () => {
  await using first = await openTestServer();
  await ask(first, "POST", "/secrets", { metadata: { name: "of-another-revision" } });
  await ask(first, "DELETE", "/secrets/of-another-revision");
  const recording = first.record();
  await session(first);
  const folder = await mkdtemp(join(tmpdir(), "thole-replay-")), path = join(folder, "recording.yaml");
  try {
    await recording.save(path);
    await using other = await openTestServer();
    const report = await other.replay({ path });
    assert.deepEqual(report.differences, [], report.text());
    assert.deepEqual([report.sent, report.skipped.length], [12, 0]);
    const { items } = (await ask(other, "GET", "/configmaps")).json;
    assert.ok(items.some(({ metadata }: any) => metadata.name === "owner"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("replay(): differences are named by request and place; what the recording lacks is skipped", async () => {
  await using first = await openTestServer();
  const recording = first.record();
  await ask(first, "POST", "/configmaps", { metadata: { name: "a" }, data: { n: "1" } });
  await ask(first, "GET", "/configmaps/b");
  await ask(first, "POST", "/serviceaccounts/default/token", { spec: {} });
  first.faults.add({ verb: "delete", drop: "after" });
  await ask(first, "DELETE", "/configmaps/a").catch(() => {});
  await using other = await openTestServer();
  await other.load({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b", namespace: "default" } });
  const { differences, skipped, sent, text } = await other.replay(recording);
  assert.deepEqual([sent, skipped.map(({ request, why }) => [request, why])], [3, [[4, "its connection was dropped"]]]);
  assert.deepEqual(new Set(differences.map(({ request }) => request)), new Set([2]));
  assert.ok(differences.some(({ place, recorded, replayed }) => place === "status" && recorded === 404 && replayed === 200));
  assert.match(text(), /request 2 \(admin: GET \/api\/v1\/namespaces\/default\/configmaps\/b\):\n {2}status: recorded 404, replayed 200/);
  const changed = recording.text().replace("user: admin", "user: nobody").replace(/^groups:\n(- .*\n)+/m, "groups: []\n");
  const [refused] = (await other.replay(changed)).differences;
  assert.deepEqual([refused?.request, refused?.place, refused?.replayed], [1, "status", 403]);
});

test("replay(): a log that is followed is skipped, and a HEAD is sent without its body", async () => {
  await using server = await openTestServer();
  const request = (method: string, url: string, more = "") =>
    `---\ntime: t\nuser: admin\ngroups: ["system:masters"]\nverb: get\nmethod: ${method}\nurl: ${url}\n${more}status: 200\n`;
  const log = "/api/v1/namespaces/default/pods/p/log";
  const { skipped, sent } = await server.replay(
    ["true", "1"].map((value) => request("GET", `${log}?follow=${value}`)).join("") + request("GET", `${log}?follow=false`) +
      request("HEAD", "/api/v1/namespaces/default", "body: {a: 1}\n"),
  );
  const why = "it follows a log, whose answer has no end";
  assert.deepEqual([sent, skipped.map((each) => [each.request, each.why])], [2, [[1, why], [2, why]]]);
});

test("readRecording() names the request that is none", () => {
  assert.deepEqual(readRecording(""), []);
  assert.throws(() => readRecording("time: t\n---\n"), /a recording begins with a line "---"/);
  assert.throws(() => readRecording("---\n[1]\n"), /request 1 of the recording is no object/);
  assert.throws(
    () => readRecording("---\ntime: t\nuser: u\nverb: get\nmethod: GET\nurl: /api\n"),
    /request 1 of the recording has no status/,
  );
  assert.throws(() => readRecording("---\na: [\n"), /request 1 of the recording: /);
});
