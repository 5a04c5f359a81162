import assert from "node:assert/strict";
import { test } from "node:test";
import { type FieldError, fieldErrorText } from "../../core/field-error.ts";
import { defaultNames } from "../../core/names.ts";
import type { HookContext } from "../../core/hook-context.ts";
import { cellAt } from "../../core/test-cells.ts";
import { noMetric } from "../../core/test-context.ts";
import { events } from "./event.ts";
import type { CoreEvent, Event } from "./event-schema.ts";

const contextOf = (requestVersion: string): HookContext => ({
  names: defaultNames,
  gates: () => false,
  now: "2024-01-02T03:04:05Z",
  subresource: "",
  requestVersion,
  minCompatibility: "1.34",
  caller: { name: "alice", groups: [] },
  metric: noMetric,
});
const core = contextOf("v1"), group = contextOf("events.k8s.io/v1");
const metadata = { name: "one", namespace: "demo", uid: "u", creationTimestamp: "2024-01-02T03:04:05Z" };
const make = (rest: Partial<CoreEvent> = {}): CoreEvent => ({
  kind: "Event",
  apiVersion: "v1",
  metadata,
  involvedObject: { namespace: "demo" },
  source: {},
  firstTimestamp: null,
  lastTimestamp: null,
  eventTime: null,
  reportingComponent: "",
  reportingInstance: "",
  ...rest,
});
const reported = (rest: Partial<CoreEvent> = {}): CoreEvent =>
  make({
    eventTime: "2024-01-02T03:04:05.000000Z",
    reportingComponent: "a.example.com/b",
    reportingInstance: "c",
    action: "Act",
    reason: "Why",
    type: "Normal",
    ...rest,
  });
const texts = (errors: readonly FieldError[] | undefined) => errors?.map(fieldErrorText);
const created = (event: CoreEvent, here: HookContext) => texts(events.create?.(event, here));
const updated = (next: CoreEvent, prior: CoreEvent, here: HookContext) => texts(events.update?.(next, prior, here));
const mismatch = (namespace: string) => `involvedObject.namespace: Invalid value: "${namespace}": does not match event.namespace`;

test("an event without eventTime is in the namespace of its object, or in default if the object has none", () => {
  assert.deepEqual(created(make(), core), []);
  assert.deepEqual(created(make({ involvedObject: { namespace: "other" } }), core), [mismatch("other")]);
  assert.deepEqual(created(make({ involvedObject: {} }), core), [mismatch("")]);
  assert.deepEqual(created(make({ involvedObject: {}, metadata: { ...metadata, namespace: "default" } }), core), []);
  assert.deepEqual(created(make({ involvedObject: {}, metadata: { ...metadata, namespace: "kube-system" } }), core), [mismatch("")]);
});

test("an event with eventTime may refer to another namespace, or to none in default and kube-system", () => {
  assert.deepEqual(created(reported({ involvedObject: { namespace: "other" } }), core), []);
  assert.deepEqual(created(reported({ involvedObject: {} }), core), [mismatch("")]);
  for (const namespace of ["default", "kube-system"]) {
    assert.deepEqual(created(reported({ involvedObject: {}, metadata: { ...metadata, namespace } }), group), []);
  }
});

test("an event with eventTime requires reporter, action and reason; the path of the controller depends on the API", () => {
  const bare = make({ eventTime: "2024-01-02T03:04:05.000000Z", type: "Normal" });
  for (const [here, path] of [[core, "reportingComponent"], [group, "reportingController"]] as const) {
    const errors = events.create?.(bare, here).map((error) => `${error.path} ${error.type}`);
    assert.deepEqual(errors, [
      `${path} Required`,
      `${path} Invalid`,
      `${path} Invalid`,
      "reportingInstance Required",
      "action Required",
      "reason Required",
    ]);
  }
});

test("with eventTime, instance, action and reason have at most 128 bytes, and the message 1024", () => {
  const of = (length: number, note: number) => ({
    reportingInstance: "x".repeat(length),
    action: "x".repeat(length),
    reason: "x".repeat(length),
    message: "n".repeat(note),
  });
  assert.deepEqual(created(reported(of(128, 1024)), group), []);
  assert.deepEqual(created(reported(of(129, 1025)), group), [
    'reportingInstance: Invalid value: "": can have at most 128 characters',
    'action: Invalid value: "": can have at most 128 characters',
    'reason: Invalid value: "": can have at most 128 characters',
    'message: Invalid value: "": can have at most 1024 characters',
  ]);
  assert.deepEqual(created(make(of(129, 1025)), core), []);
});

test("the events group requires eventTime and type, and rejects deprecated fields", () => {
  assert.deepEqual(created(make(), group), ["eventTime: Required value", 'type: Invalid value: "": has invalid value: ']);
  assert.deepEqual(created(reported({ type: "Odd" }), group), ['type: Invalid value: "": has invalid value: Odd']);
  assert.deepEqual(
    created(
      reported({ firstTimestamp: "2024-01-02T03:04:05Z", lastTimestamp: "2024-01-02T03:04:05Z", count: 1, source: { host: "h" } }),
      group,
    ),
    ["firstTimestamp", "lastTimestamp", "count", "source"].map((path) => `${path}: Invalid value: "": needs to be unset`),
  );
});

test("the events group requires a series count of at least 2 and a last time, the core API does not", () => {
  const series = { count: 1, lastObservedTime: null };
  assert.deepEqual(created(reported({ series }), group), [
    'series.count: Invalid value: "": should be at least 2',
    "series.lastObservedTime: Required value",
  ]);
  assert.deepEqual(created(reported({ series: { count: 2, lastObservedTime: "2024-01-02T03:04:05.000000Z" } }), group), []);
  assert.deepEqual(created(reported({ series }), core), []);
  assert.deepEqual(updated(reported({ series }), reported({ series: { lastObservedTime: null, count: 1 } }), group), []);
  assert.equal(updated(reported({ series }), reported(), group)?.length, 2);
});

test("the events group validates names, the core API does not", () => {
  const event = reported({ metadata: { ...metadata, name: "Bad_Name:1" } });
  assert.deepEqual(created(event, core), []);
  assert.deepEqual(events.create?.(event, group).map((error) => error.path), ["metadata.name"]);
  assert.deepEqual(updated(event, event, group), []);
});

test("the core API reports metadata errors of an event only if it has no others", () => {
  const event = reported({ metadata: { ...metadata, labels: { "a b": "" } }, reason: "" });
  assert.deepEqual(events.create?.(event, core).map((error) => error.path), ["reason"]);
  assert.deepEqual(events.create?.(event, group).map((error) => error.path), ["reason", "metadata.labels"]);
  assert.equal(events.strategy?.ownMetaRules, true);
});

test("most fields of an event are immutable in the events group, and the error of reason is repeated", () => {
  const prior = reported({ involvedObject: { kind: "ConfigMap", name: "a", namespace: "demo" }, message: "hello" });
  const next = reported({
    involvedObject: { kind: "ConfigMap", name: "b", namespace: "demo" },
    reportingComponent: "a.example.com/c",
    reportingInstance: "d",
    action: "Do",
    reason: "How",
    type: "Warning",
    message: "bye",
    related: { name: "c" },
  });
  assert.deepEqual(events.update?.(next, prior, group).map((error) => error.path), [
    "involvedObject",
    "reason",
    "message",
    "reason",
    "type",
    "action",
    "related",
    "reportingController",
    "reportingInstance",
  ]);
  assert.deepEqual(updated(next, prior, core), []);
  assert.deepEqual(updated(reported({ ...prior, count: 1, eventTime: "2024-01-02T03:04:05.000001Z" }), prior, group), [
    "count: Invalid value: 1: field is immutable",
    'eventTime: Invalid value: "2024-01-02T03:04:05.000001Z": field is immutable',
  ]);
  const deprecated = { source: { host: "h" }, firstTimestamp: "2024-01-02T03:04:05Z", lastTimestamp: "2024-01-02T03:04:05Z" };
  assert.deepEqual(events.update?.(reported({ ...prior, ...deprecated }), prior, group).map((error) => error.path), [
    "source",
    "firstTimestamp",
    "lastTimestamp",
  ]);
  assert.deepEqual(updated({ ...prior, count: 0, source: { component: "" } }, prior, group), []);
  assert.deepEqual(updated({ ...prior, related: {} }, prior, group), ["related: Invalid value: {}: field is immutable"]);
});

const view = events.served["events.{domain}/v1"]!;

test("an event converts to the events group and back without loss", () => {
  const full = reported({
    involvedObject: { kind: "ConfigMap" },
    message: "hello",
    source: { component: "x" },
    count: 3,
    series: { count: 2, lastObservedTime: "2024-01-02T03:04:05.000000Z" },
    related: {},
  });
  const shown: Event = view.fromStored!(full);
  assert.deepEqual([shown.note, shown.regarding, shown.deprecatedSource, shown.deprecatedCount], ["hello", { kind: "ConfigMap" }, {
    component: "x",
  }, 3]);
  assert.deepEqual(view.toStored!(shown), full);
  assert.deepEqual(view.toStored!(view.fromStored!(make())), make());
  assert.deepEqual(view.fromStored!(make({ series: { lastObservedTime: null } })).series, { count: 0, lastObservedTime: null });
});

test("selectable fields of events have the names of their API", () => {
  const event = make({ involvedObject: { kind: "ConfigMap", fieldPath: "data{x}" }, reason: "Why", reportingComponent: "rep" });
  const { selectableFields: ofCore = {} } = events.served["v1"]!;
  assert.equal(ofCore["involvedObject.fieldPath"]!(event), "data{x}");
  assert.equal(ofCore["involvedObject.uid"]!(event), "");
  assert.equal(ofCore["source"]!(event), "rep");
  assert.equal(ofCore["source"]!({ ...event, source: { component: "from" } }), "from");
  const shown = view.fromStored!(event), { selectableFields: ofGroup = {} } = view;
  assert.equal(ofGroup["regarding.kind"]!(shown), "ConfigMap");
  assert.equal(ofGroup["reportingController"]!(shown), "rep");
  assert.deepEqual(Object.keys(ofGroup).filter((path) => Object.hasOwn(ofCore, path)), ["reason", "type"]);
});

test("both APIs have the same cells: a single event has count 1, and missing times fall back to others", () => {
  const now = Date.parse("2024-01-02T03:05:05Z");
  const cells = (event: CoreEvent) => {
    const row = events.served["v1"]!.columns!.map((column) => cellAt(column.cell(event), now));
    assert.deepEqual(view.columns!.map((column) => cellAt(column.cell(view.fromStored!(event)), now)), row);
    return row;
  };
  const involvedObject = { kind: "ConfigMap", name: "thing", fieldPath: "data{x}" };
  assert.deepEqual(cells(reported({ involvedObject, message: " hi \n" })), [
    "60s",
    "Normal",
    "Why",
    "configmap/thing",
    "data{x}",
    "a.example.com/b, c",
    "hi",
    "60s",
    1,
    "one",
  ]);
  const old = make({
    involvedObject: { kind: "Node" },
    firstTimestamp: "2024-01-02T03:04:00Z",
    lastTimestamp: "2024-01-02T03:05:00Z",
    count: 4,
    source: { component: "k" },
  });
  assert.deepEqual(cells(old), ["5s", "", "", "node", "", "k", "", "65s", 4, "one"]);
  const series = { count: 7, lastObservedTime: "2024-01-02T03:05:03.000000Z" };
  assert.deepEqual(cells({ ...old, series }).filter((_, i) => i === 0 || i === 8), ["2s", 7]);
  assert.equal(cells(make())[0], "<unknown>");
});
