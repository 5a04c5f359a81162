/** Data sources of claims: an older field for snapshots and claims, a newer one for anything, kept alike. */
import { spell } from "../../core/names.ts";
import type { HookContext } from "../../core/plugin.ts";
import type { PersistentVolumeClaimSpec } from "../shared/volumes/mod.ts";

/** What the sources become before anything is checked: what is not allowed is dropped, then each is copied into the other. */
export function withSources(
  next: PersistentVolumeClaimSpec,
  prior: PersistentVolumeClaimSpec | undefined,
  at: HookContext,
): PersistentVolumeClaimSpec {
  return mirrored(withoutOldSource(withoutForeignSource(next, prior, at), prior, at));
}

/** A source in another namespace needs its gate, unless a newer source is stored already. */
function withoutForeignSource(
  next: PersistentVolumeClaimSpec,
  prior: PersistentVolumeClaimSpec | undefined,
  at: HookContext,
): PersistentVolumeClaimSpec {
  if ((next.dataSourceRef?.namespace ?? "") === "" || at.gates("CrossNamespaceVolumeDataSource") || prior?.dataSourceRef !== undefined) {
    return next;
  }
  const { dataSourceRef: _dropped, ...kept } = next;
  return kept;
}

/** The older field takes claims and snapshots; anything else in it was always dropped, and still is. */
function withoutOldSource(
  next: PersistentVolumeClaimSpec,
  prior: PersistentVolumeClaimSpec | undefined,
  { names }: HookContext,
): PersistentVolumeClaimSpec {
  const { dataSource, dataSourceRef } = next;
  if (dataSource === undefined || dataSourceRef !== undefined) return next;
  if (prior?.dataSource !== undefined || prior?.dataSourceRef !== undefined) return next;
  const group = dataSource.apiGroup ?? "";
  const known = group === ""
    ? dataSource.kind === "PersistentVolumeClaim"
    : group === spell(names, "snapshot.storage.{domain}") && dataSource.kind === "VolumeSnapshot";
  if (known) return next;
  const { dataSource: _dropped, ...kept } = next;
  return kept;
}

/** Each source copied into the other; one in another namespace has no older form. */
export function mirrored(spec: PersistentVolumeClaimSpec): PersistentVolumeClaimSpec {
  const { dataSource, dataSourceRef } = spec;
  if ((dataSourceRef?.namespace ?? "") !== "" || (dataSource === undefined) === (dataSourceRef === undefined)) return spec;
  if (dataSourceRef === undefined) return { ...spec, dataSourceRef: dataSource! }; // exactly one of them is there
  const { namespace: _none, ...reference } = dataSourceRef;
  return { ...spec, dataSource: reference };
}
