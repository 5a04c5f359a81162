/**
 * Keeps fields of the stored form that another version does not have. That version shows them in an annotation, so that its clients do not
 * lose them.
 */
import { decodeStored } from "../derive/decode.ts";
import { encoder } from "../derive/encode.ts";
import { once } from "../async.ts";
import { sameValue } from "../derive/same-value.ts";
import type { ObjectMeta } from "../meta/object-meta.ts";
import type { StructNode, Typed } from "../schema.ts";
import { readJson } from "../tree/json.ts";

/** Writes and reads the annotation with the fields `K` of `T`. `fromStored` uses `show`, `toStored` uses `take`. */
export interface KeptFields<T, K extends keyof T> {
  /**
   * Returns the metadata with the fields in the annotation. Fields that are absent, empty or equal to their default are left out, because
   * the defaults of the stored version are applied after `toStored`. Returns the metadata itself if no field is left.
   */
  show(metadata: ObjectMeta, fields: { readonly [Name in K]?: T[Name] | undefined }): ObjectMeta;
  /**
   * Returns the fields of the annotation, and the metadata without it. Clients can write the annotation, so a text that does not contain
   * these fields is dropped.
   */
  take(metadata: ObjectMeta): { readonly fields: { readonly [Name in K]?: Exclude<T[Name], undefined> }; readonly metadata: ObjectMeta };
}

/**
 * Keeps these fields of a struct in an annotation of a version that lacks them:
 *
 *     const kept = keptFields("db.example.com/v1-spec", DatabaseSpec, ["restartedAt", "tier"]);
 *
 *     fromStored: ({ spec: { engine, restartedAt, tier }, metadata, ...rest }) =>
 *       ({ ...rest, metadata: kept.show(metadata, { restartedAt, tier }), spec: { type: engine } }),
 *     toStored: ({ spec: { type }, metadata: shown, ...rest }) => {
 *       const { fields, metadata } = kept.take(shown);
 *       return { ...rest, metadata, spec: { engine: type, ...fields } };
 *     },
 *
 * The fields must be optional ones.
 */
export function keptFields<T, K extends keyof T & string>(
  annotation: string,
  struct: Typed<T, StructNode>,
  names: readonly K[],
): KeptFields<T, K> {
  type Fields = { readonly [Name in K]?: Exclude<T[Name], undefined> };
  const fields = Object.fromEntries(names.map((name) => [name, struct.fields[name]!]));
  const own = Object.freeze({ tag: "struct", name: struct.name, doc: struct.doc, fields }) as Typed<Fields, StructNode>; // it has only fields of the struct
  const encode = once(() => encoder(own)), decode = once(() => decodeStored(own));
  const without = ({ annotations = {}, ...rest }: ObjectMeta): ObjectMeta => {
    const { [annotation]: _, ...others } = annotations;
    return Object.keys(others).length === 0 ? rest : { ...rest, annotations: others };
  };
  // If a field has a gate that is off, its default will not be applied later.
  const defaults = Object.entries(fields).flatMap(([name, { default: always, unpublishedDefault, gate }]) => {
    const value = always ?? (gate === undefined ? unpublishedDefault : undefined);
    return value === undefined ? [] : [[name, value] as const];
  });
  const isLeftOut = (key: string, value: unknown): boolean =>
    value === undefined || defaults.some(([name, usual]) => name === key && sameValue(value, usual));
  const fieldsIn = (text: string): Fields => {
    const read = readJson(text);
    if (!read.ok) return {};
    try {
      return decode()(read.tree);
    } catch {
      return {};
    }
  };
  return {
    show(metadata, values) {
      const present = Object.fromEntries(names.flatMap((name) => isLeftOut(name, values[name]) ? [] : [[name, values[name]]]));
      const text = encode()(present as Fields); // the fields have these names
      if (text === "{}") return metadata;
      return { ...metadata, annotations: { ...metadata.annotations, [annotation]: text } };
    },
    take(metadata) {
      const { annotations = {} } = metadata;
      if (!Object.hasOwn(annotations, annotation)) return { fields: {}, metadata };
      return { fields: fieldsIn(annotations[annotation]!), metadata: without(metadata) };
    },
  };
}
