/** The two schemas of an event: that of the core API, which is the stored form, and that of the events group. */
import { field, type Infer, int32, object, ObjectReference, string, structsOf, time } from "../../plugin.ts";
import { microTime, ObjectMeta } from "../../toolbox.ts";

const core = structsOf("core/v1");
const events = structsOf("events/v1");

const EventSource = core("EventSource", {
  component: field(1, string, "The component that reports the event."),
  host: field(2, string, "The node on which the component runs."),
}, { doc: "The source of an event." });

const CoreSeries = core("EventSeries", {
  count: field(1, int32, "The number of occurrences up to lastObservedTime."),
  lastObservedTime: field(2, microTime, "The time of the last occurrence.", { written: "always" }),
}, { doc: "A series of occurrences of one event." });

export const CoreEvent = object("Event", {
  metadata: field(1, ObjectMeta, "Standard metadata of the object.", { required: true }), // required, as in StorageVersion only
  involvedObject: field(2, ObjectReference, "The object that the event is about.", { required: true }),
  reason: field(3, string, "The reason of the event, in CamelCase."),
  message: field(4, string, "A description of the event for people."),
  source: field(5, EventSource, "The source of the event.", { written: "always" }),
  firstTimestamp: field(6, time, "The time of the first occurrence.", { written: "always" }),
  lastTimestamp: field(7, time, "The time of the last occurrence.", { written: "always" }),
  count: field(8, int32, "The number of occurrences."),
  type: field(9, string, "Normal or Warning."),
  eventTime: field(10, microTime, "The time of the first observation.", { written: "always" }),
  series: field(11, CoreSeries, "The series, if the event is repeated.", { pointer: true }),
  action: field(12, string, "The action that was taken or failed."),
  related: field(13, ObjectReference, "A second object that is involved.", { pointer: true }),
  reportingComponent: field(14, string, "The name of the reporting controller, such as example.com/builder.", {
    written: "always",
    goName: "ReportingController",
  }),
  reportingInstance: field(15, string, "The instance of the reporting controller.", { written: "always" }),
}, { package: "core/v1", doc: "A report of something that happened to an object. Events are best-effort and expire." });
export type CoreEvent = Infer<typeof CoreEvent>;

const Series = events("EventSeries", {
  count: field(1, int32, "The number of occurrences up to lastObservedTime, at least 2.", { required: true }),
  lastObservedTime: field(2, microTime, "The time of the last occurrence.", { required: true }),
}, { doc: "A series of occurrences of one event." });

export const Event = object("Event", {
  eventTime: field(2, microTime, "The time of the first observation. Required.", { required: true }),
  series: field(3, Series, "The series, if the event is repeated.", { pointer: true }),
  reportingController: field(4, string, "The name of the reporting controller, such as example.com/builder. Required and immutable."),
  reportingInstance: field(5, string, "The instance of the reporting controller. Required, at most 128 characters."),
  action: field(6, string, "The action that was taken or failed. Required, at most 128 characters."),
  reason: field(7, string, "The reason of the event, in CamelCase. Required, at most 128 characters."),
  regarding: field(8, ObjectReference, "The object that the event is about.", { written: "always" }),
  related: field(9, ObjectReference, "A second object that is involved.", { pointer: true }),
  note: field(10, string, "A description of the event for people. At most 1024 characters."),
  type: field(11, string, "Normal or Warning. Required."),
  deprecatedSource: field(12, EventSource, "The field source of the core version.", { written: "always" }),
  deprecatedFirstTimestamp: field(13, time, "The field firstTimestamp of the core version.", { written: "always" }),
  deprecatedLastTimestamp: field(14, time, "The field lastTimestamp of the core version.", { written: "always" }),
  deprecatedCount: field(15, int32, "The field count of the core version."),
}, { package: "events/v1", doc: "A report of something that happened to an object. Events are best-effort and expire." });
export type Event = Infer<typeof Event>;

/** Returns a copy of the object without the keys whose value is undefined. */
function present<T extends object>(object: { readonly [K in keyof T]: T[K] | undefined }): T {
  // `as`: the remaining values have the types of T.
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
