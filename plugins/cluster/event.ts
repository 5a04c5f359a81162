import { type Column, defineResource, nameColumn, type Resource } from "../../plugin.ts";
import { age, type Cell, type Served } from "../../toolbox.ts";
import { validateEventCreate, validateEventUpdate } from "./event-rules.ts";
import { CoreEvent, Event, fromCoreEvent, toCoreEvent } from "./event-schema.ts";

/** Seconds after which the store deletes an event. */
const ttlSeconds = 3600;

function firstSeen(event: CoreEvent): Cell {
  return age(event.firstTimestamp ?? event.eventTime);
}
function lastSeen(event: CoreEvent): Cell {
  if (event.series !== undefined) return age(event.series.lastObservedTime);
  return event.lastTimestamp === null ? firstSeen(event) : age(event.lastTimestamp);
}
function target({ involvedObject: { kind = "", name = "" } }: CoreEvent): string {
  return name === "" ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`;
}
function reporter({ source, reportingComponent, reportingInstance }: CoreEvent): string {
  const component = source.component || reportingComponent, instance = source.host || reportingInstance;
  return instance === "" ? component : `${component}, ${instance}`;
}
function count({ series, count = 0 }: CoreEvent): number {
  return series === undefined ? count || 1 : series.count ?? 0;
}

const columns: readonly Column<CoreEvent>[] = [
  {
    name: "Last Seen",
    type: "string",
    description: "Time since the latest occurrence.",
    cell: lastSeen,
  },
  {
    name: "Type",
    type: "string",
    description: "The type of the event, such as Normal or Warning.",
    cell: ({ type = "" }) => type,
  },
  {
    name: "Reason",
    type: "string",
    description: "A word for the cause of the event.",
    cell: ({ reason = "" }) => reason,
  },
  { name: "Object", type: "string", description: "Kind and name of the object that the event is about.", cell: target },
  {
    name: "Subobject",
    type: "string",
    priority: 1,
    description: "The part of the object that the event is about, such as one container.",
    cell: ({ involvedObject: { fieldPath = "" } }) => fieldPath,
  },
  {
    name: "Source",
    type: "string",
    priority: 1,
    description: "The program that has reported the event.",
    cell: reporter,
  },
  {
    name: "Message",
    type: "string",
    description: "What has happened, as a text for people.",
    cell: ({ message = "" }) => message.trim(),
  },
  {
    name: "First Seen",
    type: "string",
    priority: 1,
    description: "Time since the first occurrence.",
    cell: firstSeen,
  },
  { name: "Count", type: "string", priority: 1, description: "How often the event has occurred.", cell: count },
  { ...nameColumn, priority: 1 },
];

type Selectable = Readonly<Record<string, (event: CoreEvent) => string>>;

/** Returns the selectable fields of the object that an event is about. `name` is the API's name of the reference. */
function selectableReference(name: string): Selectable {
  const keys = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"] as const;
  return Object.fromEntries(keys.map((key) => [`${name}.${key}`, ({ involvedObject }: CoreEvent) => involvedObject[key] ?? ""]));
}
const selectableReason: Selectable = { reason: ({ reason = "" }) => reason, type: ({ type = "" }) => type };
const coreSelectable: Selectable = {
  ...selectableReference("involvedObject"),
  ...selectableReason,
  reportingComponent: ({ reportingComponent }) => reportingComponent,
  source: ({ source, reportingComponent }) => source.component || reportingComponent,
};
const newSelectable: Selectable = {
  ...selectableReference("regarding"),
  ...selectableReason,
  reportingController: ({ reportingComponent }) => reportingComponent,
};

/** The event in the events group. Its columns and selectable fields derive from those of the stored form. */
const inEventsGroup: Served = {
  schema: Event,
  introduced: "1.19",
  columns: columns.map((column) => ({ ...column, cell: (event: Event) => column.cell(toCoreEvent(event)) })),
  selectableFields: Object.fromEntries(
    Object.entries(newSelectable).map(([path, value]) => [path, (event: Event) => value(toCoreEvent(event))]),
  ),
  toStored: toCoreEvent,
  fromStored: fromCoreEvent,
};

export const events: Resource<CoreEvent> = defineResource({
  kind: "Event",
  scope: "Namespaced",
  shortNames: ["ev"],
  summary: "A report of something that happened to an object.",
  storedAs: "v1",
  storedUnder: "events",
  served: {
    v1: { schema: CoreEvent, introduced: "1.0", columns, selectableFields: coreSelectable },
    "events.{domain}/v1": inEventsGroup,
  },
  strategy: { createOnUpdate: true, ownMetaRules: true, ttlSeconds, cached: false, garbageCollected: false },
  create: validateEventCreate,
  update: validateEventUpdate,
});
