import { append } from "../../core/append.ts";
import { defineResource } from "../../core/define/define.ts";
import { type FieldError, invalid, tooLong } from "../../core/field-error.ts";
import { limits } from "../../core/limits.ts";
import { ageColumn, nameColumn } from "../../core/meta/columns.ts";
import { object } from "../../core/meta/object.ts";
import { utf8Length } from "../../core/meta/utf8.ts";
import { metaRulesOf, validateObjectMeta, validateObjectMetaUpdate } from "../../core/meta/validate-object-meta.ts";
import type { Column, Strategy } from "../../core/plugin.ts";
import { boolean, bytes, field, type Infer, record, string } from "../../core/schema.ts";
import { decodedLength, sameValues, sealed, validateKey } from "./values.ts";

const ConfigMap = object("ConfigMap", {
  immutable: field(4, boolean, "Once true, neither the data nor this flag can change; only metadata can.", { pointer: true }),
  data: field(
    2,
    record(string),
    "Settings as text. Keys are made of letters, digits, '-', '_' and '.', and occur in only one of the two maps.",
  ),
  binaryData: field(3, record(bytes), "Settings that are not text, in base64. Keys follow the rules of those in data.", {
    keepsEmpty: true,
  }),
}, { package: "core/v1", doc: "Settings for programs, kept as keys and values that are not secret." });
type ConfigMap = Infer<typeof ConfigMap>;

const strategy: Strategy = { coreFinalizers: true };

const columns: readonly Column<ConfigMap>[] = [
  nameColumn,
  {
    name: "Data",
    type: "string",
    description:
      "Data contains the configuration data. Each key must consist of alphanumeric characters, '-', '_' or '.'. Values with non-UTF-8 byte " +
      "sequences must use the BinaryData field. The keys stored in Data must not overlap with the keys in the BinaryData field, this is " +
      "enforced during validation process.",
    cell: ({ data = {}, binaryData = {} }) => Object.keys(data).length + Object.keys(binaryData).length,
  },
  ageColumn,
];

/** Keys of both maps, each key in one of them only, and the bytes of all values. */
function validateValues({ data = {}, binaryData = {} }: ConfigMap): readonly FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(data)) {
    append(errors, validateKey(key, "data"));
    if (Object.hasOwn(binaryData, key)) errors.push(invalid(`data[${key}]`, key, "duplicate of key present in binaryData"));
    size += utf8Length(value);
  }
  for (const [key, value] of Object.entries(binaryData)) {
    append(errors, validateKey(key, "binaryData"));
    size += decodedLength(value);
  }
  // The object as a whole is too long; upstream shows its empty path so.
  if (size > limits.configBytesMax) errors.push(tooLong("[]", limits.configBytesMax));
  return errors;
}

function validateImmutable(next: ConfigMap, prior: ConfigMap): readonly FieldError[] {
  if (prior.immutable !== true) return [];
  return [
    ...(next.immutable === true ? [] : [sealed("immutable")]),
    // An absent map of data is filled with an empty one upstream, one of binary data is not.
    ...(sameValues(next.data ?? {}, prior.data ?? {}) ? [] : [sealed("data")]),
    ...(sameValues(next.binaryData, prior.binaryData) ? [] : [sealed("binaryData")]),
  ];
}

export const configMaps = defineResource<ConfigMap>({
  kind: "ConfigMap",
  scope: "Namespaced",
  shortNames: ["cm"],
  summary: "Settings for programs, kept as keys and values that are not secret.",
  storedAs: "v1",
  storedUnder: "configmaps",
  served: { v1: { schema: ConfigMap, introduced: "1.2", columns } },
  strategy,
  create: validateValues,
  update(next, prior, at) {
    const rules = metaRulesOf(configMaps, at.names);
    return [
      ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", rules),
      ...validateImmutable(next, prior),
      ...validateObjectMeta(next.metadata, rules),
      ...validateValues(next),
    ];
  },
});
