/** Who wrote an object, as far as its managed fields say. */
import type { Json } from "../json.ts";
import { valueText } from "../value-text.ts";
import type { ApiObject, ManagedFieldsEntry } from "./object-meta.ts";

/** The writers of one version of an object. */
export interface Writers {
  /** The managers whose entries differ from the version before, such as `kubectl`. */
  readonly managers: readonly string[];
  /** The newest time of these entries, in the form of the API. */
  readonly time: string | undefined;
}

/**
 * The writers of the version `after`. A manager that writes has an entry with a new time; another one that only loses fields to it keeps its time. Of a
 * second write of a manager in the same second only a change of its fields shows.
 */
export function writersOf(before: ApiObject | undefined, after: ApiObject | undefined): Writers {
  const entriesBefore = before?.metadata.managedFields ?? [], entries = after?.metadata.managedFields ?? [];
  const differing = (textOf: (entry: ManagedFieldsEntry) => string) => {
    const known = new Set(entriesBefore.map(textOf));
    return entries.filter((entry) => !known.has(textOf(entry)));
  };
  const timed = differing(({ fieldsV1: _, ...entry }) => valueText(entry)), written = timed.length > 0 ? timed : differing(valueText);
  const times = written.flatMap(({ time }) => typeof time === "string" ? [time] : []).sort();
  return { managers: [...new Set(written.map(({ manager = "" }) => manager))], time: times.at(-1) };
}

/** The object without what differs after every write: its revision and the owners of its fields. */
export function withoutWriters(object: ApiObject): Json {
  const { managedFields: _, resourceVersion: _revision, ...metadata } = object.metadata;
  return { ...object, metadata } as unknown as Json; // JSON of an object
}
