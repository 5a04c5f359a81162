/** Conversion between versions without a webhook: members that the other version does not have are pruned. */
import type { Json } from "../json.ts";
import type { StructuralSchema } from "../structural-schema.ts";
import { pruneValue } from "../structural/prune.ts";
import type { ApiObject } from "../meta/object-meta.ts";
import type { Served } from "../plugin.ts";
import type { Version } from "./definition.ts";
import { schemaOfVersion } from "./root-schema.ts";
import { valueText } from "../value-text.ts";

/** Returns the conversions between a version and the stored one; none if both have the same schema. */
export function conversions(versions: readonly Version[], version: Version): Pick<Served, "toStored" | "fromStored"> {
  const stored = versions.find(({ storage }) => storage);
  if (stored === undefined || stored === version) return {};
  const own = schemaOfVersion(version), other = schemaOfVersion(stored);
  if (valueText(own) === valueText(other)) return {};
  return { toStored: prunerFor(other), fromStored: prunerFor(own) };
}

function prunerFor(schema: StructuralSchema): (object: ApiObject) => ApiObject {
  // Kind, version and metadata stay as they are.
  const whole: StructuralSchema = { ...schema, "x-kubernetes-embedded-resource": true };
  return (object) => {
    const { kind, apiVersion, metadata, ...contents } = object;
    const next = pruneValue(contents as unknown as Json, whole, { metadata: (value) => value }) as object;
    return { kind, apiVersion, metadata, ...next } as ApiObject; // of the kind, whose members were pruned
  };
}
