/** What differs between two states, for people. */
import { changedFields } from "../../core/changed-fields.ts";
import type { Json } from "../../core/json.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { differencesOf, type Present } from "./differences.ts";
import { documentsOf, titleOf } from "./documents.ts";
import type { Contents } from "./memory-engine.ts";
import { objectOf, type StoredObject, storedObjects } from "./objects.ts";
import { keyOf } from "./order.ts";
import type { SnapshotParts } from "./snapshot.ts";
import { meantBy, type StateFilter } from "./state-objects.ts";

/** An object that is not the same in both states. */
interface ChangedObject {
  readonly before: ApiObject | undefined;
  readonly after: ApiObject | undefined;
}

/** The differences of two states of one family of servers. Revisions and owners of fields are not compared. */
export function diffOfParts(before: SnapshotParts, after: SnapshotParts, baseline: Contents, filter: StateFilter): string {
  const isMeant = meantBy(filter, baseline), objects: ChangedObject[] = [];
  const stored = (version: Present | undefined, { active: { config, catalog } }: SnapshotParts): StoredObject | undefined =>
    version && storedObjects([version], config["etcd-prefix"], catalog)[0];
  for (const difference of differencesOf(before.store.keys, after.store.keys)) {
    const was = stored(difference.before, before), is = stored(difference.after, after);
    if ([was, is].some((each) => each !== undefined && isMeant(each))) {
      objects.push({ before: was && objectOf(was), after: is && objectOf(is) });
    }
  }
  return textOf(objects);
}

/** The differences of two dumps. */
export function diffOfDumps(before: string, after: string): string {
  const [was, is] = [before, after].map(objectsByKey);
  const keys = [...new Set([...was!.keys(), ...is!.keys()])];
  return textOf(keys.map((key) => ({ before: was!.get(key), after: is!.get(key) })));
}

function objectsByKey(dump: string): ReadonlyMap<string, ApiObject> {
  return new Map(
    documentsOf(dump, "dump").map(({ object, place, problem }) => {
      if (object === undefined) throw new Error(`${place}: ${problem}`);
      return [keyOf(object), object];
    }),
  );
}

/** A line for each object, and below it one for each field:
 *
 *     ~ Deployment default/web
 *         spec.replicas: 1 -> 3
 *     + ConfigMap default/new
 *         data.k: "v"
 *     - Secret default/old
 */
function textOf(objects: readonly ChangedObject[]): string {
  const blocks = objects.flatMap(({ before, after }) => {
    const object = after ?? before;
    if (object === undefined) return [];
    const sign = before === undefined ? "+" : after === undefined ? "-" : "~";
    const lines = after === undefined
      ? []
      : changedFields(before === undefined ? {} : compared(before, true), compared(after, before !== undefined));
    // All fields of a new object are new.
    const fields = before === undefined ? lines.map((line) => line.replace(": (none) -> ", ": ")) : lines;
    if (sign === "~" && lines.length === 0) return [];
    return [{ title: titleOf(object), text: [`${sign} ${titleOf(object)}`, ...fields.map((line) => `    ${line}`)].join("\n") }];
  });
  return blocks.sort((a, b) => (a.title < b.title ? -1 : a.title > b.title ? 1 : 0)).map(({ text }) => `${text}\n`).join("");
}

/** An object without what each write changes; of a new one, without what its line says already. */
function compared(object: ApiObject, isChange: boolean): Json {
  const { managedFields: _, resourceVersion: _version, ...metadata } = object.metadata;
  if (isChange) return { ...object, metadata } as unknown as Json; // JSON of an object
  const { apiVersion: _apiVersion, kind: _kind, metadata: _all, ...rest } = object;
  const { name: _name, namespace: _namespace, uid: _uid, creationTimestamp: _time, generation: _generation, ...more } = metadata;
  return { ...rest, ...(Object.keys(more).length === 0 ? {} : { metadata: more }) } as unknown as Json; // as above
}
