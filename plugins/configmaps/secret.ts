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
} from "../../plugin.ts";
import { base64Of, metaRulesOf, named, type Strategy, validateObjectMeta, validateObjectMetaUpdate } from "../../toolbox.ts";
import { keyPairProblem } from "./key-pair.ts";
import { secretTypes, validateData } from "./secret-types.ts";
import { immutableError, sameValues } from "./values.ts";

const defaultType = "Opaque";

const Secret = object("Secret", {
  immutable: field(5, boolean, "If true, only metadata can change: neither the data nor this field can be updated.", { pointer: true }),
  data: field(2, record(bytes), "The confidential values, encoded in base64. Keys consist of letters, digits, '-', '_' and '.'.", {
    keepsEmpty: true,
  }),
  stringData: field(
    4,
    record(string),
    "Values as text. Write-only: on write they are merged into data and replace values with the same key.",
  ),
  type: field(
    3,
    named("v1.SecretType", string),
    "The purpose of the Secret. Built-in types require certain keys; Opaque, the default, requires none. Immutable.",
  ),
}, {
  package: "core/v1",
  doc: "Confidential values, such as passwords, keys and tokens.",
  applyDefaults: (self: { readonly type?: string }) => (self.type ?? "") === "" ? { ...self, type: defaultType } : self,
});
type Secret = Infer<typeof Secret>;

const strategy: Strategy = { coreFinalizers: true };

const columns: readonly Column<Secret>[] = [
  nameColumn,
  {
    name: "Type",
    type: "string",
    description: "The type, which tells programs what the entries mean.",
    cell: ({ type = "" }) => type,
  },
  {
    name: "Data",
    type: "string",
    description: "The number of entries.",
    cell: ({ data = {} }) => Object.keys(data).length,
  },
  ageColumn,
];

/** Merges `stringData` into `data`. An empty `stringData` changes nothing. */
function toStored(served: Secret): Secret {
  const { kind, apiVersion, metadata, immutable, data, stringData, type } = served;
  if (stringData === undefined) return served;
  const utf8 = new TextEncoder();
  const texts = Object.entries(stringData).map(([key, value]) => [key, base64Of(utf8.encode(value))] as const);
  const merged = texts.length === 0 ? data : { ...data, ...Object.fromEntries(texts) };
  return {
    kind,
    apiVersion,
    metadata,
    ...(immutable === undefined ? {} : { immutable }),
    ...(merged === undefined ? {} : { data: merged }),
    ...(type === undefined ? {} : { type }),
  };
}

function validateImmutable(next: Secret, prior: Secret): readonly FieldError[] {
  if (prior.immutable !== true) return [];
  return [
    ...(next.immutable === true ? [] : [immutableError("immutable")]),
    ...(sameValues(next.data, prior.data) ? [] : [immutableError("data")]),
  ];
}

export const secrets = defineResource<Secret>({
  kind: "Secret",
  scope: "Namespaced",
  summary: "Confidential values, such as passwords, keys and tokens.",
  storedAs: "v1",
  storedUnder: "secrets",
  served: {
    v1: {
      schema: Secret,
      introduced: "1.0",
      columns,
      selectableFields: { type: ({ type = "" }: Secret) => type },
      toStored,
    },
  },
  strategy,
  create: (next, context) => validateData(next, context.names),
  update(next, prior, context) {
    const rules = metaRulesOf(secrets, context.names);
    return [
      ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", rules),
      ...(next.type === prior.type ? [] : [invalid("type", next.type, "field is immutable")]),
      ...validateImmutable(next, prior),
      ...validateObjectMeta(next.metadata, rules),
      ...validateData(next, context.names),
    ];
  },
  warn(next, _prior, context) {
    if (next.type !== secretTypes(context.names).tls) return [];
    const problem = keyPairProblem(next.data?.["tls.crt"] ?? "", next.data?.["tls.key"] ?? "");
    return problem === undefined ? [] : [problem];
  },
});
