/** Rules for the metadata of every kind, tested on one of them. */
import { type Case, type Change, type KindRules, partly, type Reason, rule } from "../rule.ts";

const meta = (metadata: Change): Change => ({ metadata });
const both = "create+update";
const written = "create+update+status";
const stored = "update+status";

/** A ConfigMap has no status: below, the same is tested on a kind with one. */
const noStatus = { status: "the kind on which metadata is tried has no status" };
const copied = { all: "the value of what is stored is put in before the check" };

function of(at: string, reason: Reason, broken: Change, held: Change, rest: Partial<Case> = {}): Case {
  return { at: `metadata.${at}`, reason, broken: meta(broken), held: meta(held), ...rest };
}

const senseless = { all: "entries that make no sense are replaced by those of what is stored before the check" };

/** An owner of a kind that is not served: the garbage collector ignores its dependents. */
const owner = { apiVersion: "example.com/v1", kind: "Thing", name: "a", uid: "u-1" };
/** An owner with a missing part, which is empty. */
function badOwner(at: string, ...changes: readonly Change[]): Case {
  const owners = changes.map((change, i) => ({ ...owner, uid: `u-${i}`, ...change }));
  return of(at, "Invalid", { ownerReferences: owners }, { ownerReferences: [owner] });
}

const entry = {
  manager: "m",
  operation: "Update",
  apiVersion: "v1",
  time: "2024-01-02T03:04:05Z",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:data": { "f:gone": {} } },
};
/** An entry of managed fields that cannot be stored as sent. */
function badEntry(key: string, reason: Reason, wrong: string, right: string): Case {
  const entries = (value: string) => ({ managedFields: [{ ...entry, [key]: value }] });
  return of(`managedFields[0].${key}`, reason, entries(wrong), entries(right), { prior: { data: { a: "1" } } });
}

const kept = meta({ finalizers: ["example.com/a"] });

export const objectMeta: KindRules = {
  kind: "objectMeta",
  path: "/api/v1/namespaces/default/configmaps",
  valid: {},
  rules: [
    partly(["metadata.name", both, "Required (name or generateName is required)", "missing after generation"], {
      update: "an update without a name is a bad request before it is checked",
    }, of("name", "Required", { name: null }, {})),
    partly(
      ["metadata.name", both, "Invalid", "kind name format; every kind also pathSegmentName"],
      {
        update: "no object with such a name is stored",
      },
      of("name", "Invalid", { name: "A" }, {}),
      of("name", "Invalid", { name: "a/b" }, {}),
    ),
    rule(
      ["metadata.generateName", both, "Invalid", "kind name format in prefix mode (checked even when name given)"],
      of("generateName", "Invalid", { generateName: "A1-" }, { generateName: "a1-" }),
    ),
    partly(["metadata.namespace", both, "Required", "namespaced kind: non-empty"], {
      all: "the namespace of the path is put in before the check",
    }),
    partly(["metadata.namespace", both, "Invalid", "namespaced kind: dns1123Label"], {
      all: "a namespace of that name is not found before the check",
    }),
    partly(
      [
        "metadata.namespace",
        both,
        "Forbidden (not allowed on this type)",
        "cluster kind: must be empty (store clears it before validation, error only reachable inside)",
      ],
      { all: "the namespace is taken away before the check" },
    ),
    partly(["metadata.generation", both, "Invalid", ">= 0"], {
      update: "the generation of what is stored is put in before the check",
    }, of("generation", "Invalid", { generation: -1 }, { generation: 0 })),
    partly(
      ["metadata.labels", written, "Invalid", "key qualifiedName (path has no key: metadata.labels), value labelValue"],
      noStatus,
      of("labels", "Invalid", { labels: { "a b": "" } }, { labels: { "example.com/a_b": "" } }),
      of("labels", "Invalid", { labels: { a: "x".repeat(64) } }, { labels: { a: "x".repeat(63) } }),
    ),
    partly(
      ["metadata.annotations", written, "Invalid", "key qualifiedName of lower-cased key"],
      noStatus,
      of("annotations", "Invalid", { annotations: { "a b": "" } }, { annotations: { "Example.COM/a": "" } }),
    ),
    partly(
      ["metadata.annotations", written, "TooLong", "sum of key and value bytes <= 262144"],
      noStatus,
      of("annotations", "TooLong", { annotations: { a: "x".repeat(262_144) } }, { annotations: { a: "x".repeat(262_143) } }),
    ),
    rule(
      ["metadata.finalizers", both, "Invalid", "each qualifiedName (path metadata.finalizers)"],
      of("finalizers", "Invalid", { finalizers: ["example.com/a b"] }, { finalizers: ["example.com/a"] }),
    ),
    rule(
      [
        "metadata.finalizers[i]",
        both,
        "Invalid",
        "core kinds only: name without slash must be orphan, foregroundDeletion or kubernetes",
      ],
      of("finalizers[1]", "Invalid", { finalizers: ["kubernetes", "bare"] }, { finalizers: ["kubernetes", "orphan"] }),
    ),
    rule(
      ["metadata.finalizers", both, "Invalid", "orphan and foregroundDeletion together"],
      of("finalizers", "Invalid", { finalizers: ["orphan", "foregroundDeletion"] }, { finalizers: ["foregroundDeletion"] }),
    ),
    partly(
      ["metadata.finalizers", stored, "Forbidden", "no additions once deletionTimestamp set"],
      noStatus,
      of("finalizers", "Forbidden", { finalizers: ["example.com/a", "example.com/b"] }, { labels: { touched: "yes" } }, {
        prior: kept,
        deleting: true,
      }),
    ),
    partly(["metadata.ownerReferences.apiVersion", written, "Invalid", "version part non-empty"], noStatus, {
      ...badOwner("ownerReferences.apiVersion", { apiVersion: "apps/" }),
    }),
    ...(["kind", "name", "uid"] as const).map((key) =>
      partly(
        [`metadata.ownerReferences.${key}`, written, "Invalid", "non-empty"],
        noStatus,
        badOwner(`ownerReferences.${key}`, { [key]: "" }),
      )
    ),
    partly(
      ["metadata.ownerReferences", written, "Invalid", "owner v1 Event not allowed"],
      noStatus,
      badOwner("ownerReferences", { apiVersion: "v1", kind: "Event" }),
    ),
    partly(
      ["metadata.ownerReferences", written, "Invalid", "at most one controller=true"],
      noStatus,
      badOwner("ownerReferences", { controller: true }, { controller: true }),
    ),
    partly(["metadata.managedFields[i].operation", written, "Invalid", "Apply or Update"], senseless),
    partly(["metadata.managedFields[i].fieldsType", written, "Invalid", "empty or FieldsV1"], senseless),
    partly(
      ["metadata.managedFields[i].manager", written, "TooLong / Invalid", "<= 128 bytes, printable"],
      noStatus,
      badEntry("manager", "TooLong", "m".repeat(129), "m".repeat(128)),
      badEntry("manager", "Invalid", "a\nb", "a b"),
    ),
    partly(
      ["metadata.managedFields[i].subresource", written, "TooLong", "<= 256 bytes"],
      noStatus,
      badEntry("subresource", "TooLong", "s".repeat(257), "s".repeat(256)),
    ),
    partly(["metadata.resourceVersion", stored, "Invalid", "non-empty on update validation"], {
      all: "the store's own check stands before it: none means any version",
    }),
    partly(["metadata.generation", stored, "Invalid", "not decremented"], copied),
    partly(["metadata.name", stored, "Invalid", "immutable"], { all: "a name that is not the path's is a bad request before the check" }),
    partly(["metadata.namespace", stored, "Invalid", "immutable"], {
      all: "a namespace that is not the path's is a bad request before the check",
    }),
    partly(["metadata.uid", stored, "Invalid", "immutable (empty filled from old first)"], {
      all: "another uid is a conflict before the check",
    }),
    partly(["metadata.creationTimestamp", stored, "Invalid", "immutable (old value copied first)"], copied),
    partly(
      ["metadata.deletionTimestamp", stored, "Invalid", "immutable (old value copied when set)"],
      noStatus,
      of("deletionTimestamp", "Invalid", { deletionTimestamp: "2024-01-02T03:04:05Z" }, {}),
    ),
    partly(
      ["metadata.deletionGracePeriodSeconds", stored, "Invalid", "immutable (nil filled from old when old set)"],
      noStatus,
      of("deletionGracePeriodSeconds", "Invalid", { deletionGracePeriodSeconds: 5 }, {}),
      of("deletionGracePeriodSeconds", "Invalid", { deletionGracePeriodSeconds: 5 }, {}, { prior: kept, deleting: true }),
    ),
  ],
};

const ignored = "metadata.managedFields";

/** Checks of metadata by an update of the status. Entries of managed fields are ignored. */
export const objectMetaByStatus: KindRules = {
  kind: "objectMeta by status",
  path: "/api/v1/namespaces/default/persistentvolumeclaims",
  valid: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
  rules: objectMeta.rules
    .filter(({ field, except }) => except.status !== undefined && !field.startsWith(ignored))
    .map((each) => ({ ...each, cases: each.cases.map((one) => ({ ...one, on: ["status"] })) })),
};
