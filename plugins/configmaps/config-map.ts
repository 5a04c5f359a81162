import {
  ageColumn,
  boolean,
  bytes,
  type Column,
  defineResource,
  field,
  type FieldError,
  type Infer,
  invalid,
  nameColumn,
  object,
  record,
  string,
  tooLong,
} from "../../plugin.ts";
import { append, metaRulesOf, type Strategy, utf8Length, validateObjectMeta, validateObjectMetaUpdate } from "../../toolbox.ts";
import { decodedLength, immutableError, sameValues, validateKey } from "./values.ts";
import { configBytesMax } from "./bounds.ts";

const ConfigMap = object("ConfigMap", {
  immutable: field(4, boolean, "If true, only metadata can change: neither the data nor this field can be updated.", { pointer: true }),
  data: field(
    2,
    record(string),
    "Values as text. Keys consist of letters, digits, '-', '_' and '.'. A key must not occur in both data and binaryData.",
  ),
  binaryData: field(3, record(bytes), "Values that are not text, encoded in base64. Keys follow the same rules as those of data.", {
    keepsEmpty: true,
  }),
}, { package: "core/v1", doc: "Configuration for programs: keys and values that are not confidential." });
type ConfigMap = Infer<typeof ConfigMap>;

const strategy: Strategy = { coreFinalizers: true };

const columns: readonly Column<ConfigMap>[] = [
  nameColumn,
  {
    name: "Data",
    type: "string",
    description: "The number of entries, text and binary.",
    cell: ({ data = {}, binaryData = {} }) => Object.keys(data).length + Object.keys(binaryData).length,
  },
  ageColumn,
];

/** Checks the keys of both maps, that no key is in both, and the total size of all values. */
function validateValues({ data = {}, binaryData = {} }: ConfigMap): readonly FieldError[] {
  const errors: FieldError[] = [];
  let size = 0, characters = 0;
  for (const key of Object.keys(data)) {
    append(errors, validateKey(key, "data"));
    if (Object.hasOwn(binaryData, key)) errors.push(invalid(`data[${key}]`, key, "duplicate of key present in binaryData"));
    characters += data[key]!.length;
  }
  // A UTF-16 unit takes at most three bytes in UTF-8: only large objects are counted.
  if (characters * 3 > configBytesMax) { for (const key of Object.keys(data)) size += utf8Length(data[key]!); }
  else size = characters;
  for (const [key, value] of Object.entries(binaryData)) {
    append(errors, validateKey(key, "binaryData"));
    size += decodedLength(value);
  }
  // The limit applies to the whole object; "[]" is how upstream prints an empty path.
  if (size > configBytesMax) errors.push(tooLong("[]", configBytesMax));
  return errors;
}

function validateImmutable(next: ConfigMap, prior: ConfigMap): readonly FieldError[] {
  if (prior.immutable !== true) return [];
  return [
    ...(next.immutable === true ? [] : [immutableError("immutable")]),
    // Upstream defaults an absent `data` to an empty map, but not `binaryData`.
    ...(sameValues(next.data ?? {}, prior.data ?? {}) ? [] : [immutableError("data")]),
    ...(sameValues(next.binaryData, prior.binaryData) ? [] : [immutableError("binaryData")]),
  ];
}

export const configMaps = defineResource<ConfigMap>({
  kind: "ConfigMap",
  scope: "Namespaced",
  shortNames: ["cm"],
  summary: "Configuration for programs: keys and values that are not confidential.",
  storedAs: "v1",
  storedUnder: "configmaps",
  served: { v1: { schema: ConfigMap, introduced: "1.2", columns } },
  strategy,
  create: validateValues,
  update(next, prior, context) {
    const rules = metaRulesOf(configMaps, context.names);
    return [
      ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", rules),
      ...validateImmutable(next, prior),
      ...validateObjectMeta(next.metadata, rules),
      ...validateValues(next),
    ];
  },
});
