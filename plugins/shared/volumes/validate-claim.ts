/** Validation of claims and of claim templates in pods, with upstream's order and texts. */
import { type FieldError, invalid, notSupported, required } from "../../../plugin.ts";
import { append, validateLabelSelector, validatePositive } from "../../../toolbox.ts";
import type { PersistentVolumeClaimSpec } from "./claim-spec.ts";
import { volumeModes } from "./modes.ts";
import type { TypedObjectReference } from "./references.ts";
import { validateLabelText, validateSubdomain } from "./rules.ts";
import { validateAccessModes } from "./validate-persistent-volume.ts";

export interface ClaimRules {
  /** Whether the attributes class is validated: its gate is enabled, or one is stored. */
  readonly attributesClass: boolean;
  /** Whether selectors may have invalid label values, because one is stored. */
  readonly storedValues?: boolean;
  /** Whether API groups of data sources are not validated, because one is stored. */
  readonly storedGroups?: boolean;
}

export function validateClaimSpec(spec: PersistentVolumeClaimSpec, path: string, rules: ClaimRules): readonly FieldError[] {
  const { storageClassName = "", volumeAttributesClassName = "" } = spec;
  const volumeMode: string | undefined = spec.volumeMode;
  const modes: readonly string[] = volumeModes;
  const { storedValues = false } = rules;
  const { accessModes = [] } = spec;
  const modeErrors = validateAccessModes(accessModes, `${path}.accessModes`, "at least 1 access mode is required");
  const absent = accessModes.length === 0;
  return [
    ...(absent ? modeErrors : []),
    ...validateLabelSelector(spec.selector, `${path}.selector`, { storedValues }),
    ...(absent ? [] : modeErrors),
    ...validateStorage(spec, `${path}.resources[storage]`),
    ...(storageClassName === "" ? [] : validateSubdomain(storageClassName, `${path}.storageClassName`)),
    ...(volumeMode === undefined || modes.includes(volumeMode) ? [] : [notSupported(`${path}.volumeMode`, volumeMode, modes)]),
    ...validateSources(spec, path, rules.storedGroups ?? false),
    ...(rules.attributesClass && volumeAttributesClassName !== ""
      ? validateSubdomain(volumeAttributesClassName, `${path}.volumeAttributesClassName`)
      : []),
  ];
}

/** Checks the requested storage. The path lacks "requests", as upstream. */
function validateStorage({ resources }: PersistentVolumeClaimSpec, path: string): readonly FieldError[] {
  const storage = Object.hasOwn(resources.requests ?? {}, "storage") ? resources.requests?.["storage"] : undefined;
  return storage === undefined ? [required(path, "")] : validatePositive(storage, path);
}

function validateSources(
  { dataSource, dataSourceRef }: PersistentVolumeClaimSpec,
  path: string,
  storedGroups: boolean,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (dataSource !== undefined) append(errors, validateSource(dataSource, `${path}.dataSource`, storedGroups));
  if (dataSourceRef !== undefined) {
    const { namespace = "" } = dataSourceRef;
    append(errors, validateSource(dataSourceRef, `${path}.dataSourceRef`, storedGroups));
    if (namespace !== "") append(errors, validateLabelText(namespace, `${path}.dataSourceRef.namespace`));
  }
  if (dataSource === undefined || dataSourceRef === undefined) return errors;
  if ((dataSourceRef.namespace ?? "") !== "") {
    return [...errors, invalid(path, {}, "may not be specified when dataSourceRef.namespace is specified")];
  }
  // An absent group differs from an empty one.
  const same = dataSource.name === dataSourceRef.name && dataSource.kind === dataSourceRef.kind &&
    dataSource.apiGroup === dataSourceRef.apiGroup;
  return same ? errors : [...errors, invalid(path, {}, "must match dataSourceRef")];
}

function validateSource(source: Omit<TypedObjectReference, "namespace">, path: string, storedGroups: boolean): readonly FieldError[] {
  const { name, kind } = source;
  const apiGroup = source.apiGroup ?? "";
  return [
    ...(name === "" ? [required(`${path}.name`, "")] : []),
    ...(kind === "" ? [required(`${path}.kind`, "")] : []),
    ...(apiGroup === "" && kind !== "PersistentVolumeClaim"
      ? [invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")]
      : []),
    ...(apiGroup === "" || storedGroups ? [] : validateSubdomain(apiGroup, `${path}.apiGroup`)),
  ];
}
