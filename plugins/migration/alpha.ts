/**
 * Converts between v1alpha1 and the stored form, v1beta1. Two fields of v1alpha1 have no counterpart in v1beta1 and are stored in
 * annotations, which v1alpha1 does not show:
 *
 *     v1alpha1  spec.resource.version: v1       spec.continueToken: x
 *     stored    metadata.annotations: storagemigration.k8s.io/v1alpha1-version: v1, ...-continue-token: x
 *
 * A condition's lastUpdateTime is its lastTransitionTime, null if it has none. A condition of v1alpha1 has no observedGeneration: v1alpha1 shows those of all
 * conditions in an annotation, which is not stored.
 */
import { type Int64, type ObjectMeta, valueText } from "../../toolbox.ts";
import type { AlphaStorageVersionMigration, StorageVersionMigration } from "./schema.ts";

/** The fields of v1alpha1 that are stored as annotations. */
interface AlphaFields {
  readonly version: string;
  readonly continueToken: string;
}

/** The keys of the two annotations. Their prefix is the API group. */
function keysOf(apiVersion: string): { readonly version: string; readonly continueToken: string } {
  const group = apiVersion.slice(0, apiVersion.indexOf("/"));
  return { version: `${group}/v1alpha1-version`, continueToken: `${group}/v1alpha1-continue-token` };
}

/** The annotation in which v1alpha1 shows the observed generations: JSON, a list of types of conditions and numbers as text. */
function generationsKey(apiVersion: string): string {
  return `${apiVersion.slice(0, apiVersion.indexOf("/"))}/v1beta1-observed-generations`;
}

type Generations = ReadonlyMap<string, Int64>;

/** The generations in the annotation of a v1alpha1 object. Clients can write it: what is wrong in it is ignored. */
function generationsOf({ apiVersion, metadata: { annotations = {} } }: AlphaStorageVersionMigration): Generations {
  const key = generationsKey(apiVersion);
  if (!Object.hasOwn(annotations, key)) return new Map();
  let pairs: unknown;
  try {
    pairs = JSON.parse(annotations[key]!);
  } catch {
    return new Map();
  }
  if (!Array.isArray(pairs)) return new Map();
  return new Map(pairs.flatMap((pair: unknown) => {
    if (!Array.isArray(pair) || typeof pair[0] !== "string" || typeof pair[1] !== "string") return [];
    const generation = int64Of(pair[1]);
    return generation === undefined ? [] : [[pair[0], generation] as const];
  }));
}

function int64Of(text: string): Int64 | undefined {
  if (!/^-?[0-9]{1,19}$/.test(text)) return undefined;
  const exact = BigInt(text), number = Number(exact);
  if (BigInt.asIntN(64, exact) !== exact) return undefined;
  return Number.isSafeInteger(number) ? number : exact;
}

/** The metadata with this value of an annotation; undefined removes it. */
function withAnnotation(metadata: ObjectMeta, key: string, value: string | undefined): ObjectMeta {
  const { annotations = {}, ...rest } = metadata, { [key]: _, ...others } = annotations;
  if (value !== undefined) return { ...rest, annotations: { ...others, [key]: value } };
  if (!Object.hasOwn(annotations, key)) return metadata;
  return Object.keys(others).length === 0 ? rest : { ...rest, annotations: others };
}

/** Reads the v1alpha1 fields of a stored migration; absent ones are empty. */
export function alphaFieldsOf({ apiVersion, metadata: { annotations = {} } }: StorageVersionMigration): AlphaFields {
  const keys = keysOf(apiVersion);
  const own = (key: string) => Object.hasOwn(annotations, key) ? annotations[key]! : "";
  return { version: own(keys.version), continueToken: own(keys.continueToken) };
}

/** Replaces the annotations of the v1alpha1 fields. An empty field removes its annotation. */
function withAlphaFields(metadata: ObjectMeta, apiVersion: string, { version, continueToken }: AlphaFields): ObjectMeta {
  const keys = keysOf(apiVersion);
  const { annotations = {}, ...rest } = metadata;
  const { [keys.version]: _version, [keys.continueToken]: _token, ...others } = annotations;
  const all = {
    ...others,
    ...(version === "" ? {} : { [keys.version]: version }),
    ...(continueToken === "" ? {} : { [keys.continueToken]: continueToken }),
  };
  return Object.keys(all).length === 0 ? rest : { ...rest, annotations: all };
}

/** Adds the v1alpha1 fields of `prior` that `next` lacks, because clients of v1beta1 may drop the annotations. */
export function inheritAlphaFields(next: StorageVersionMigration, prior: StorageVersionMigration): StorageVersionMigration {
  const now = alphaFieldsOf(next), before = alphaFieldsOf(prior);
  const merged = { version: now.version || before.version, continueToken: now.continueToken || before.continueToken };
  if (merged.version === now.version && merged.continueToken === now.continueToken) return next;
  return { ...next, metadata: withAlphaFields(next.metadata, next.apiVersion, merged) };
}

/** Replaces the continue token. */
export function withToken(migration: StorageVersionMigration, continueToken: string): StorageVersionMigration {
  const { metadata, apiVersion } = migration;
  return { ...migration, metadata: withAlphaFields(metadata, apiVersion, { ...alphaFieldsOf(migration), continueToken }) };
}

/** Sets the version of the resource if the migration has none. */
export function withVersion(migration: StorageVersionMigration, version: string): StorageVersionMigration {
  const { metadata, apiVersion } = migration, fields = alphaFieldsOf(migration);
  return fields.version === "" ? { ...migration, metadata: withAlphaFields(metadata, apiVersion, { ...fields, version }) } : migration;
}

export function toStored(alpha: AlphaStorageVersionMigration): StorageVersionMigration {
  const { kind, apiVersion, metadata, spec, status } = alpha;
  const { group = "", version = "", resource = "" } = spec.resource;
  const { conditions, ...rest } = status, generations = generationsOf(alpha);
  const kept = withAnnotation(metadata, generationsKey(apiVersion), undefined);
  return {
    kind,
    apiVersion,
    metadata: withAlphaFields(kept, apiVersion, { version, continueToken: spec.continueToken ?? "" }),
    spec: { resource: { group, resource } },
    status: {
      ...(conditions && {
        conditions: conditions.map(({ type, status, lastUpdateTime, reason = "", message = "" }) => ({
          type,
          status,
          ...(generations.has(type) ? { observedGeneration: generations.get(type)! } : {}),
          lastTransitionTime: lastUpdateTime ?? null,
          reason,
          message,
        })),
      }),
      ...rest,
    },
  };
}

export function fromStored(stored: StorageVersionMigration): AlphaStorageVersionMigration {
  const { kind, apiVersion, metadata, spec: { resource: { group, resource } }, status } = stored;
  const { version, continueToken } = alphaFieldsOf(stored);
  const { conditions, ...rest } = status;
  const observed = (conditions ?? []).flatMap(({ type, observedGeneration = 0 }) =>
    observedGeneration === 0 ? [] : [[type, `${observedGeneration}`]]
  );
  const shown = withAlphaFields(metadata, apiVersion, { version: "", continueToken: "" });
  return {
    kind,
    apiVersion,
    metadata: observed.length === 0 ? shown : withAnnotation(shown, generationsKey(apiVersion), valueText(observed)),
    spec: {
      resource: { ...(group === "" ? {} : { group }), ...(version === "" ? {} : { version }), ...(resource === "" ? {} : { resource }) },
      ...(continueToken === "" ? {} : { continueToken }),
    },
    status: {
      ...(conditions && {
        conditions: conditions.map(({ type, status, lastTransitionTime, reason, message }) => ({
          type,
          status,
          lastUpdateTime: lastTransitionTime,
          ...(reason === "" ? {} : { reason }),
          ...(message === "" ? {} : { message }),
        })),
      }),
      ...rest,
    },
  };
}
