/** The two faces of an event: the core one, which is stored, and that of the events group. */
import { object } from "../../core/meta/object.ts";
import { ObjectMeta } from "../../core/meta/object-meta.ts";
import { ObjectReference } from "../../core/meta/references.ts";
import { field, type Infer, int32, microTime, string, structsOf, time } from "../../core/schema.ts";

const core = structsOf("core/v1");
const events = structsOf("events/v1");

const EventSource = core("EventSource", {
  component: field(1, string, "The program that reports."),
  host: field(2, string, "The node on which it runs."),
}, { doc: "Who reports an event." });

const CoreSeries = core("EventSeries", {
  count: field(1, int32, "How often it happened up to the last time."),
  lastObservedTime: field(2, microTime, "When it last happened.", { written: "always" }),
}, { doc: "An event that happens again and again." });

export const CoreEvent = object("Event", {
  metadata: field(1, ObjectMeta, "Standard metadata of the object.", { required: true }), // in no other kind it is
  involvedObject: field(2, ObjectReference, "The object that the event is about.", { required: true }),
  reason: field(3, string, "Why it happened, as one word for machines."),
  message: field(4, string, "What happened, for people."),
  source: field(5, EventSource, "Who reports it.", { written: "always" }),
  firstTimestamp: field(6, time, "When it first happened.", { written: "always" }),
  lastTimestamp: field(7, time, "When it last happened.", { written: "always" }),
  count: field(8, int32, "How often it has happened."),
  type: field(9, string, "Normal or Warning."),
  eventTime: field(10, microTime, "When it was first seen.", { written: "always" }),
  series: field(11, CoreSeries, "How it goes on, where it happens again and again.", { pointer: true }),
  action: field(12, string, "What was done, or failed, about the object."),
  related: field(13, ObjectReference, "Another object that has to do with it.", { pointer: true }),
  reportingComponent: field(14, string, "Name of the controller that reports, such as example.com/builder.", {
    written: "always",
    goName: "ReportingController",
  }),
  reportingInstance: field(15, string, "Which instance of that controller.", { written: "always" }),
}, { package: "core/v1", doc: "Something that happened to an object. Events are told at best effort and go after a while." });
export type CoreEvent = Infer<typeof CoreEvent>;

const Series = events("EventSeries", {
  count: field(1, int32, "How often it happened up to the last time; two at least.", { required: true }),
  lastObservedTime: field(2, microTime, "When it last happened.", { required: true }),
}, { doc: "An event that happens again and again." });

export const Event = object("Event", {
  eventTime: field(2, microTime, "When it was first seen; required.", { required: true }),
  series: field(3, Series, "How it goes on, where it happens again and again.", { pointer: true }),
  reportingController: field(4, string, "Name of the controller that reports, such as example.com/builder; required, cannot change."),
  reportingInstance: field(5, string, "Which instance of that controller; required, at most 128 characters."),
  action: field(6, string, "What was done, or failed, about the object; required, at most 128 characters."),
  reason: field(7, string, "Why, as one word for machines; required, at most 128 characters."),
  regarding: field(8, ObjectReference, "The object that the event is about.", { written: "always" }),
  related: field(9, ObjectReference, "Another object that has to do with it.", { pointer: true }),
  note: field(10, string, "What happened, for people; at most 1024 characters."),
  type: field(11, string, "Normal or Warning; required."),
  deprecatedSource: field(12, EventSource, "What the core version has for source.", { written: "always" }),
  deprecatedFirstTimestamp: field(13, time, "What the core version has for firstTimestamp.", { written: "always" }),
  deprecatedLastTimestamp: field(14, time, "What the core version has for lastTimestamp.", { written: "always" }),
  deprecatedCount: field(15, int32, "What the core version has for count."),
}, { package: "events/v1", doc: "Something that happened to an object. Events are told at best effort and go after a while." });
export type Event = Infer<typeof Event>;

/** The same object without keys whose value is undefined. */
function present<T extends object>(object: { readonly [K in keyof T]: T[K] | undefined }): T {
  // What is left has the values that T asks for.
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}

export function toCoreEvent(event: Event): CoreEvent {
  const { kind, apiVersion, metadata, eventTime, series, reportingController = "", reportingInstance = "", action, reason, type, related } =
    event;
  return present<CoreEvent>({
    kind,
    apiVersion,
    metadata,
    involvedObject: event.regarding,
    reason,
    message: event.note,
    source: event.deprecatedSource,
    firstTimestamp: event.deprecatedFirstTimestamp,
    lastTimestamp: event.deprecatedLastTimestamp,
    count: event.deprecatedCount,
    type,
    eventTime,
    series,
    action,
    related,
    reportingComponent: reportingController,
    reportingInstance,
  });
}

export function fromCoreEvent(event: CoreEvent): Event {
  const { kind, apiVersion, metadata, eventTime, series, reportingComponent, reportingInstance, action, reason, type, related } = event;
  return present<Event>({
    kind,
    apiVersion,
    metadata,
    eventTime,
    series: series === undefined ? undefined : { count: series.count ?? 0, lastObservedTime: series.lastObservedTime },
    reportingController: reportingComponent === "" ? undefined : reportingComponent,
    reportingInstance: reportingInstance === "" ? undefined : reportingInstance,
    action,
    reason,
    regarding: event.involvedObject,
    related,
    note: event.message,
    type,
    deprecatedSource: event.source,
    deprecatedFirstTimestamp: event.firstTimestamp,
    deprecatedLastTimestamp: event.lastTimestamp,
    deprecatedCount: event.count,
  });
}
