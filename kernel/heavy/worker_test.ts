import assert from "node:assert/strict";
import { test } from "node:test";
import { definePlugin } from "../../core/define/define.ts";
import { invalid } from "../../core/field-error.ts";
import { object } from "../../core/meta/object.ts";
import { defineMetric } from "../../metrics/mod.ts";
import { withDefaults } from "../config/parse.ts";
import type { HeavyRequest } from "../request/hand-over.ts";
import { noAdmissionConfiguration } from "../config/admission-configuration.ts";
import type { FromHeavy } from "./messages.ts";
import { heavyWorker } from "./worker.ts";

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

test("heavyWorker() sends the recordings of a plugin's metrics to the main thread", async () => {
  const done = Promise.withResolvers<void>();
  const posted: FromHeavy[] = [];
  const send = heavyWorker([things], (message) => {
    posted.push(message);
    if (message.tag === "done") done.resolve();
  }, { bytes: () => 0, collect() {} });
  send({ tag: "open", config: withDefaults({ plugins: ["things"] }), appeared: new Map(), admission: noAdmissionConfiguration });
  const body = new TextEncoder().encode('{"metadata":{"name":"a"}}');
  const user = { name: "admin", groups: ["system:masters"] };
  const request: HeavyRequest = {
    method: "POST",
    url: "/apis/example.com/v1/things",
    headers: {},
    remote: "",
    protocol: "HTTP/1.1",
    user,
    body,
  };
  send({ tag: "job", id: 1, job: "answer", request, milliseconds: 60_000 });
  await done.promise;
  const recorded = posted.flatMap((message) => message.tag === "recorded" ? message.recording : []);
  assert.deepEqual(recorded, [{ definition: checked, labels: { result: "bad" }, method: "add", value: 1 }]);
});
