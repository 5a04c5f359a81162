// In Deno's suite only: nothing here depends on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../../core/names.ts";
import { requestInfo } from "../../request/request-info.ts";
import { auditLatencyMs, openAudit } from "./audit.ts";
import type { AuditEvent } from "../../../core/audit/event.ts";

/** A record of a request at 0, and the events of its end at `now`. */
function recorded(now = () => 0) {
  const events: AuditEvent[] = [];
  const audit = openAudit({
    evaluate: () => ({ level: "RequestResponse", omitStages: new Set(), omitsManagedFields: false }),
    backend: {
      process(written) {
        events.push(...written.map(({ event }) => event));
        return true;
      },
      close: () => Promise.resolve(),
    },
    names: defaultNames,
    meter: { level() {}, event() {}, rejected() {} },
    now,
  });
  const url = "/api/v1/namespaces/default/configmaps";
  const exchange = {
    method: "POST",
    url,
    headers: {},
    body: () => new Uint8Array(),
    peer: undefined,
    remote: "local",
    protocol: "HTTP/1.1",
    signal: new AbortController().signal,
  } as const;
  const record = audit.begin(exchange, requestInfo("POST", url)!, { name: "admin", groups: [] }, "id", 0)!; // a valid path, and a level
  return { record, events };
}

test("an event has the times of layers if its request has taken more than half a second", async () => {
  const latenciesAfter = async (ms: number) => {
    const { record, events } = recorded(() => ms), { notes } = record;
    const layers = [["etcd", 250], ["etcd", 12.345], ["authorization", 7], ["validating-webhook", 300], ["validating-webhook", 100], [
      "mutating-webhook",
      0,
    ]] as const;
    for (const [layer, ms] of layers) notes.took(layer, ms);
    await record.end({ status: 201, headers: {}, body: "" });
    return Object.fromEntries(events[0]!.annotations);
  };
  assert.deepEqual(await latenciesAfter(auditLatencyMs), {});
  const start = "apiserver.latency.k8s.io/";
  assert.deepEqual(await latenciesAfter(auditLatencyMs + 1), {
    [`${start}etcd`]: "262.345ms",
    [`${start}authorization`]: "7ms",
    [`${start}validating-webhook`]: "300ms",
    [`${start}total`]: "501ms",
  });
});

test("an event has the times in which the chunks of a reply were made and written", async () => {
  let now = auditLatencyMs;
  const { record, events } = recorded(() => now);
  const chunk = new Uint8Array(1), made = [20, 3];
  const reply = await record.end({
    status: 200,
    headers: {},
    body: (async function* () {
      for (const ms of made) {
        now += ms;
        yield chunk;
      }
    })(),
  });
  for await (const _ of reply.body as AsyncIterable<Uint8Array>) now += 100;
  const start = "apiserver.latency.k8s.io/";
  assert.deepEqual(Object.fromEntries(events[0]!.annotations), {
    [`${start}serialize-response-object`]: "223ms",
    [`${start}response-write`]: "200ms",
    [`${start}total`]: `${auditLatencyMs + 223}ms`,
  });
});

test("AuditNotes.checkpoint() returns a function that removes what was noted since", () => {
  const { record, events } = recorded();
  const { notes } = record;
  notes.annotate("before", "1");
  const restore = notes.checkpoint();
  notes.annotate("after", "1");
  notes.annotate("before", "2");
  notes.requestObject({ namespace: "default", name: "a", uid: "u", resourceVersion: "7" }, "{}");
  notes.responseObject("{}");
  restore();
  record.end({ status: 201, headers: {}, body: "" });
  const [{ annotations, objectRef, requestObject, responseObject, responseStatus }] = events as [AuditEvent];
  assert.deepEqual([...annotations], [["before", "1"]]);
  assert.deepEqual({ name: objectRef?.name, uid: objectRef?.uid, requestObject, responseObject, responseStatus }, {
    name: "",
    uid: "",
    requestObject: undefined,
    responseObject: undefined,
    responseStatus: { code: 201 },
  });
});
