import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer, type TestServer } from "../testing.ts";
import type { UserInfo } from "../core/user-info.ts";
import { ask } from "./requests.ts";
import { until } from "./values.ts";

const group = "/apis/flowcontrol.apiserver.k8s.io/v1";
const eve: UserInfo = { name: "eve", groups: ["system:masters-of-nothing", "system:authenticated"] };
const schemaUid = "x-kubernetes-pf-flowschema-uid", levelUid = "x-kubernetes-pf-prioritylevel-uid";

/** The levels share two seats: the new one gets one of them. */
const settings = { "max-requests-inflight": 1, "max-mutating-requests-inflight": 1, "authorization-mode": ["AlwaysAllow"] } as const;

async function created(server: TestServer, resource: string, body: object): Promise<string> {
  const { status, body: { metadata } } = await ask(server, "POST", `${group}/${resource}`, body);
  assert.equal(status, 201);
  return metadata.uid;
}

/** A level whose only queue has room for one request, and the schema of eve's requests. */
async function narrowed(server: TestServer): Promise<{ schema: string; level: string }> {
  const level = await created(server, "prioritylevelconfigurations", {
    metadata: { name: "narrow" },
    spec: {
      type: "Limited",
      limited: {
        nominalConcurrencyShares: 30,
        borrowingLimitPercent: 0,
        limitResponse: { type: "Queue", queuing: { queues: 1, handSize: 1, queueLengthLimit: 1 } },
      },
    },
  });
  const every = { verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] };
  const schema = await created(server, "flowschemas", {
    metadata: { name: "eve" },
    spec: {
      matchingPrecedence: 50,
      priorityLevelConfiguration: { name: "narrow" },
      distinguisherMethod: { type: "ByUser" },
      rules: [{ subjects: [{ kind: "User", user: { name: "eve" } }], resourceRules: [every] }],
    },
  });
  // The watches have brought both.
  await until(async () => {
    const { headers } = await ask(server, "GET", path, undefined, { user: eve });
    return headers.get(schemaUid) === schema && headers.get(levelUid) === level;
  });
  return { schema, level };
}
const path = "/api/v1/namespaces/default/configmaps";

/** A create that runs until its body is sent. */
function unfinished(server: TestServer, name: string, signal?: AbortSignal) {
  const send = Promise.withResolvers<void>(), asked = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      asked.resolve();
      await send.promise;
      controller.enqueue(new TextEncoder().encode(JSON.stringify({ metadata: { name } })));
      controller.close();
    },
  }, { highWaterMark: 0 });
  const init = { method: "POST", headers: { "content-type": "application/json" }, body, duplex: "half", ...(signal && { signal }) };
  const status = server.handle(new Request(`https://test${path}`, init as RequestInit), eve).then((response) => response.status);
  return { running: asked.promise, status, end: send.resolve };
}

async function dumped(server: TestServer, what: string): Promise<string> {
  const { status, headers, text } = await ask(server, "GET", `/debug/api_priority_and_fairness/${what}`);
  assert.deepEqual([status, headers.get("content-type")], [200, "text/plain; charset=utf-8"]);
  return text;
}
/** The cells of the first line that begins with a level's name. */
const lineOf = (text: string, level: string) =>
  text.split("\n").find((line) => line.startsWith(`${level},`))?.split(/, */).map((cell) => cell.trim());

test("a level runs as many requests as it has seats, queues as many as its queues hold, and rejects further ones with 429", async () => {
  await using server = await openTestServer({ settings });
  const { schema, level } = await narrowed(server);
  const first = unfinished(server, "first");
  await first.running;
  const gone = new AbortController(), left = unfinished(server, "left", gone.signal);
  await until(async () => lineOf(await dumped(server, "dump_priority_levels"), "narrow")?.[4] === "1");

  const { status, headers, text } = await ask(server, "GET", path, undefined, { user: eve });
  assert.deepEqual([status, headers.get("retry-after"), headers.get(schemaUid), headers.get(levelUid)], [429, "1", schema, level]);
  assert.match(text, /Too many requests, please try again later/);
  assert.equal((await ask(server, "GET", path)).status, 200, "other levels have seats of their own");
  assert.deepEqual(lineOf(await dumped(server, "dump_queues"), "narrow")?.slice(0, 5), ["narrow", "0", "1", "1", "1"]);
  const shown = (await dumped(server, "dump_requests?includeRequestDetails=1")).split("\n").filter((line) => line.startsWith("narrow,"));
  assert.deepEqual(
    shown.map((line) => line.split(/, */).map((cell) => cell.trim())).map((
      cells,
    ) => [cells[1], cells[3], cells[4], ...cells.slice(10, 14)]),
    [["eve", "0", "eve", "eve", "create", path, "default"], ["eve", "-1", "eve", "eve", "create", path, "default"]],
  );

  gone.abort();
  assert.equal(await left.status, 429, "a request whose client has left leaves its queue");
  const second = unfinished(server, "second");
  first.end();
  assert.equal(await first.status, 201);
  await second.running;
  second.end();
  assert.equal(await second.status, 201);
  await until(async () => lineOf(await dumped(server, "dump_priority_levels"), "narrow")?.[2] === "true");
  const metrics = (await ask(server, "GET", "/metrics")).text;
  for (const reason of ["queue-full", "cancelled"]) {
    assert.match(
      metrics,
      new RegExp(
        `^apiserver_flowcontrol_rejected_requests_total\\{flow_schema="eve",priority_level="narrow",reason="${reason}"\\} 1$`,
        "m",
      ),
    );
  }
  assert.match(metrics, /^apiserver_flowcontrol_current_executing_requests\{flow_schema="eve",priority_level="narrow"\} 0$/m);
});

test("a request that waits for a quarter of the time that it has is rejected, and a watch has its seat until it begins", async () => {
  await using server = await openTestServer({ settings });
  await narrowed(server);
  const watch = await server.handle(new Request(`https://test${path}?watch=true`), eve);
  assert.equal(watch.status, 200);
  const first = unfinished(server, "first");
  await first.running;
  const { status } = await ask(server, "GET", `${path}?timeout=8ms`, undefined, { user: eve });
  assert.equal(status, 429);
  // Requests that last have no seats, and name no schema.
  const log = await ask(server, "GET", "/api/v1/namespaces/default/pods/none/log", undefined, { user: eve });
  assert.deepEqual([log.status, log.headers.get(schemaUid)], [404, null]);
  first.end();
  await first.status;
  await watch.body?.cancel();
});

test("a schema whose level is gone takes no request, and mandatory ones work without their objects", async () => {
  await using server = await openTestServer({ settings });
  const { schema } = await narrowed(server);
  assert.equal((await ask(server, "DELETE", `${group}/prioritylevelconfigurations/narrow`)).status, 200);
  await until(async () => (await ask(server, "GET", path, undefined, { user: eve })).headers.get(schemaUid) !== schema);
  assert.equal(lineOf(await dumped(server, "dump_priority_levels"), "narrow"), undefined);
  assert.equal((await ask(server, "DELETE", `${group}/flowschemas/exempt`)).status, 200);
  assert.equal((await ask(server, "GET", path)).status, 200);
});

test("without priority and fairness, replies name no schema, and the limits on requests in flight apply", async () => {
  await using server = await openTestServer({ settings: { ...settings, "enable-priority-and-fairness": false } });
  const first = unfinished(server, "first");
  await first.running;
  assert.equal((await ask(server, "POST", path, { metadata: { name: "second" } })).status, 429);
  const { status, headers } = await ask(server, "GET", path);
  assert.deepEqual([status, headers.get(schemaUid)], [200, null]);
  assert.equal((await ask(server, "GET", "/debug/api_priority_and_fairness/dump_queues")).status, 404);
  first.end();
  assert.equal(await first.status, 201);
});
