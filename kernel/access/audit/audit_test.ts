// In Deno's suite only: nothing here depends on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../../core/names.ts";
import { requestInfo } from "../../request/request-info.ts";
import { openAudit } from "./audit.ts";
import type { AuditEvent } from "../../../core/audit/event.ts";

test("AuditNotes.checkpoint() returns a function that removes what was noted since", () => {
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
    now: () => 0,
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
