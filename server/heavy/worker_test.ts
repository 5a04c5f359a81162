import assert from "node:assert/strict";
import { test } from "node:test";
import { definePlugin } from "../../core/define/define.ts";
import { invalid } from "../../core/field-error.ts";
import { object } from "../../core/meta/object.ts";
import { defineMetric } from "../../metrics/mod.ts";
import { withDefaults } from "../config/parse.ts";
import type { HeavyRequest } from "../../kernel/request/hand-over.ts";
import { noAdmissionConfiguration } from "../config/admission-configuration.ts";
import type { MadeDocument } from "../aggregation/made-documents.ts";
import type { Heap } from "./heap.ts";
import type { FromHeavy, Settled } from "./messages.ts";
import { heavyGarbageBytesMax, heavyWorker } from "./worker.ts";
import { heavyHeapBytesMax } from "./bounds.ts";

const checked = defineMetric({ name: "checked_total", type: "counter", help: "Checks.", labels: ["result"], stability: "ALPHA" });
const things = definePlugin({
  name: "things",
  summary: "For tests.",
  metrics: [checked],
  resources: [{
    kind: "Thing",
    scope: "Cluster",
    summary: "A thing.",
    storedAs: "example.com/v1",
    storedUnder: "things",
    served: { "example.com/v1": { schema: object("Thing", {}, { doc: "A thing." }), introduced: "1.0" } },
    create(_next, { metric }) {
      metric(checked).with({ result: "bad" }).add();
      return [invalid("metadata", "", "rejected by the test")];
    },
  }],
});

/** A worker with the plugin; `run` has it refuse a create. */
function openThings(heap: Pick<Heap, "bytes" | "collect">): { readonly posted: readonly FromHeavy[]; run(): Promise<void> } {
  const posted: FromHeavy[] = [];
  let done = Promise.withResolvers<void>();
  const send = heavyWorker([things], (message) => {
    posted.push(message);
    if (message.tag === "done") done.resolve();
  }, heap);
  send({ tag: "open", config: { ...withDefaults({}), plugins: ["things"] }, appeared: new Map(), admission: noAdmissionConfiguration });
  const user = { name: "admin", groups: ["system:masters"] };
  let id = 0;
  return {
    posted,
    run() {
      done = Promise.withResolvers();
      const request: HeavyRequest = {
        method: "POST",
        url: "/apis/example.com/v1/things",
        headers: {},
        remote: "",
        protocol: "HTTP/1.1",
        user,
        body: new TextEncoder().encode('{"metadata":{"name":"a"}}'),
      };
      send({ tag: "job", id: ++id, job: "answer", request, milliseconds: 60_000 });
      return done.promise;
    },
  };
}

test("heavyWorker() sends the recordings of a plugin's metrics to the main thread", async () => {
  const { posted, run } = openThings({ bytes: () => 0, collect() {} });
  await run();
  const recorded = posted.flatMap((message) => message.tag === "recorded" ? message.recording : []);
  assert.deepEqual(recorded, [{ definition: checked, labels: { result: "bad" }, method: "add", value: 1 }]);
});

test("heavyWorker() makes documents, and reports one that is none", async () => {
  const outcomes = new Map<number, Settled>(), done = Promise.withResolvers<void>();
  const send = heavyWorker([things], (message) => {
    if (message.tag === "done") outcomes.set(message.job, message.outcome);
    if (outcomes.size === 2) done.resolve();
  }, { bytes: () => 0, collect() {} });
  send({ tag: "open", config: { ...withDefaults({}), plugins: ["things"] }, appeared: new Map(), admission: noAdmissionConfiguration });
  const own = new TextEncoder().encode('{"swagger":"2.0","paths":{"/a":{}}}'), prefixes = ["/apis/g/v1/"];
  const remote = [{ server: "bad", prefixes, text: "[" }, { server: "good", prefixes, text: '{"paths":{"/apis/g/v1/":{},"/b":{}}}' }];
  send({ tag: "document", id: 1, work: { op: "merge", own, remote } });
  send({ tag: "document", id: 2, work: { op: "convert", text: "5" } });
  await done.promise;
  const first = outcomes.get(1), second = outcomes.get(2);
  assert.ok(first?.ok);
  const { chunks: [json, protobuf], unusable } = first.value as MadeDocument;
  assert.deepEqual(JSON.parse(new TextDecoder().decode(json)), { swagger: "2.0", paths: { "/a": {}, "/apis/g/v1/": {} } });
  assert.ok(protobuf!.length > 0);
  assert.deepEqual(unusable.map(({ server }) => server), ["bad"]);
  assert.ok(second?.ok === false && JSON.stringify(second.error).includes("the document is no object"));
});

test("heavyWorker() collects garbage after a request once the heap has grown, or is too large to be kept", async () => {
  const kept = 20 * 1024 * 1024;
  let bytes = 0, left = kept, collections = 0;
  const { posted, run } = openThings({
    bytes: () => bytes,
    collect() {
      collections++;
      bytes = left;
    },
  });
  const after = async (heapBytes: number) => {
    [bytes, collections] = [heapBytes, 0];
    await run();
    const last = posted.at(-1);
    assert.ok(last?.tag === "done");
    return { collections, heapBytes: last.heapBytes };
  };
  const growth = heavyGarbageBytesMax;
  const most = heavyHeapBytesMax;
  assert.deepEqual(await after(growth), { collections: 0, heapBytes: growth });
  assert.deepEqual(await after(growth + 1), { collections: 1, heapBytes: kept });
  assert.deepEqual(await after(kept + growth), { collections: 0, heapBytes: kept + growth });
  left = most - growth / 2;
  assert.deepEqual(await after(kept + growth + 1), { collections: 1, heapBytes: left });
  assert.deepEqual(await after(most), { collections: 0, heapBytes: most });
  assert.deepEqual(await after(most + 1), { collections: 1, heapBytes: left });
});
