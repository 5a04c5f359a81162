/** The state of a server as text. */
import { writeYaml } from "../../core/codec/yaml.ts";
import type { Json } from "../../core/json.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { Contents } from "./memory-engine.ts";
import type { SnapshotParts } from "./snapshot.ts";
import { byPlace, meantBy, objectsOf, type StateFilter } from "./state-objects.ts";
import { steadyForms, type Unsteady } from "./steady-form.ts";

/** What a dump contains. */
export interface DumpOptions extends StateFilter {
  /** What stays although it differs from run to run. Default: nothing. */
  readonly keep?: readonly Unsteady[];
}

/** A YAML document for each object, sorted, without what differs from run to run. */
export function dumpOf(parts: Pick<SnapshotParts, "store" | "active">, baseline: Contents, { keep = [], ...filter }: DumpOptions): string {
  return byPlace(steadyForms(objectsOf(parts, meantBy(filter, baseline)), keep)).map(documentOf).join("---\n");
}

function documentOf(object: ApiObject): string {
  return writeYaml(object as unknown as Json); // JSON of an object
}
