/** Validation of persistent volumes and of inline volumes of attachments, with upstream's order and texts. */
import { type FieldError, forbidden, invalid, notSupported, required } from "../../../plugin.ts";
import { append, defaultNames, type Names, validateNotNegative, validatePositive } from "../../../toolbox.ts";
import { validateCsiDriverName } from "../csi-driver-name.ts";
import { accessModes as allModes, volumeModes } from "./modes.ts";
import type {
  AzureFilePersistentVolumeSource,
  CinderPersistentVolumeSource,
  CSIPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
  LocalVolumeSource,
  PersistentVolumeSource,
  StorageOSPersistentVolumeSource,
} from "./persistent-sources.ts";
import type { PersistentVolumeSpec } from "./persistent-volume-spec.ts";
import { requiredKeys, validateLabelText, validateNoBacksteps, validateSecretReference, validateSubdomain } from "./rules.ts";
import { validateNodeSelector } from "./validate-node-selector.ts";
import * as shared from "./validate-shared-sources.ts";

export interface PersistentVolumeRules {
  /** The name of the volume. */
  readonly name: string;
  /** Default: `defaultNames`. */
  readonly names?: Names;
  /** Whether the attributes class is validated: its gate is enabled, or one is stored. */
  readonly attributesClass: boolean;
  /** Whether label values in the node affinity are not validated, because the stored one has invalid values. */
  readonly storedValues?: boolean;
  /** Whether the spec is the inline volume of an attachment. */
  readonly inline?: boolean;
}

const reclaimPolicies = ["Delete", "Recycle", "Retain"];
const inlineContext = "in the context of inline volumes";

export function validatePersistentVolumeSpec(
  spec: PersistentVolumeSpec,
  path: string,
  rules: PersistentVolumeRules,
): readonly FieldError[] {
  const { inline = false } = rules;
  return [
    ...(inline ? validateInline(spec, path) : []),
    ...validateAccessModes(spec.accessModes ?? [], `${path}.accessModes`, ""),
    ...(inline ? [] : validateCapacity(spec, `${path}.capacity`)),
    ...validateReclaimPolicy(spec, `${path}.persistentVolumeReclaimPolicy`, inline),
    ...validateNodeAffinity(spec, `${path}.nodeAffinity`, rules),
    ...validateSource(spec, path, rules),
    ...validateRecycling(spec, path),
    ...validateClassAndMode(spec, path, inline),
    ...(rules.attributesClass ? validateAttributesClass(spec, path) : []),
  ];
}

function validateInline({ claimRef, capacity = {}, csi }: PersistentVolumeSpec, path: string): readonly FieldError[] {
  return [
    ...(claimRef === undefined ? [] : [forbidden(`${path}.claimRef`, `may not be specified ${inlineContext}`)]),
    ...(Object.keys(capacity).length === 0 ? [] : [forbidden(`${path}.capacity`, `may not be specified ${inlineContext}`)]),
    ...(csi === undefined ? [required(`${path}.csi`, `has to be specified ${inlineContext}`)] : []),
  ];
}

/** Checks access modes: at least one, known, and ReadWriteOncePod only alone. `absent` is the error detail if there is none. */
export function validateAccessModes(modes: readonly string[], path: string, absent: string): readonly FieldError[] {
  const errors: FieldError[] = modes.length === 0 ? [required(path, absent)] : [];
  const known: readonly string[] = allModes;
  append(errors, modes.filter((mode) => !known.includes(mode)).map((mode) => notSupported(path, mode, known)));
  const alone = modes.includes("ReadWriteOncePod");
  if (alone && modes.some((mode) => mode !== "ReadWriteOncePod" && known.includes(mode))) {
    errors.push(forbidden(path, "may not use ReadWriteOncePod with other access modes"));
  }
  return errors;
}

function validateCapacity(spec: PersistentVolumeSpec, path: string): readonly FieldError[] {
  const { capacity = {} } = spec;
  const keys = Object.keys(capacity);
  return [
    ...(keys.length === 0 ? [required(path, "")] : []),
    ...(keys.length === 1 && keys[0] === "storage" ? [] : [notSupported(path, spec.capacity, ["storage"])]),
    ...keys.flatMap((key) => {
      const amount = capacity[key]!;
      return [...validateNotNegative(amount, `${path}[${key}]`), ...validatePositive(amount, `${path}[${key}]`)];
    }),
  ];
}

function validateReclaimPolicy(spec: PersistentVolumeSpec, path: string, inline: boolean): readonly FieldError[] {
  const policy: string = spec.persistentVolumeReclaimPolicy ?? "";
  if (policy === "") return [];
  if (inline) return policy === "Retain" ? [] : [forbidden(path, `may only be Retain ${inlineContext}`)];
  return reclaimPolicies.includes(policy) ? [] : [notSupported(path, policy, reclaimPolicies)];
}

function validateNodeAffinity(
  { nodeAffinity }: PersistentVolumeSpec,
  path: string,
  { inline, storedValues }: PersistentVolumeRules,
): readonly FieldError[] {
  if (nodeAffinity === undefined) return [];
  if (inline) return [forbidden(path, `may not be specified ${inlineContext}`)];
  if (nodeAffinity.required === undefined) return [required(`${path}.required`, "must specify required node constraints")];
  return validateNodeSelector(nodeAffinity.required, `${path}.required`, storedValues);
}

type Rule<K extends keyof PersistentVolumeSource> = (
  source: NonNullable<PersistentVolumeSource[K]>,
  path: string,
  spec: PersistentVolumeSpec,
  rules: PersistentVolumeRules,
) => readonly FieldError[];

/** The validation of each source, in upstream's order. */
const sources: { readonly [K in keyof PersistentVolumeSource]-?: Rule<K> } = {
  hostPath: shared.hostPath,
  gcePersistentDisk: shared.gcePersistentDisk,
  awsElasticBlockStore: shared.awsElasticBlockStore,
  glusterfs,
  flocker: shared.flocker,
  nfs: shared.nfs,
  rbd: (source, path) => requiredKeys(source, path, "monitors", "image"),
  quobyte: shared.quobyte,
  cephfs: (source, path) => requiredKeys(source, path, "monitors"),
  iscsi: (source, path, _spec, { name }) => shared.iscsi(source, path, name),
  cinder,
  fc: shared.fc,
  flexVolume: (source, path, _spec, { names = defaultNames }) => shared.flexVolumeOf(source, path, names),
  azureFile,
  vsphereVolume: shared.vsphereVolume,
  photonPersistentDisk: shared.photonPersistentDisk,
  portworxVolume: shared.portworxVolume,
  azureDisk: shared.azureDisk,
  scaleIO: (source, path) => requiredKeys(source, path, "gateway", "system", "volumeName"),
  local,
  storageos,
  csi,
};
/** The names of all sources, in upstream's order of validation. */
export const persistentSources = Object.freeze(Object.keys(sources)) as readonly (keyof PersistentVolumeSource)[]; // `as`: the keys of the table

/** Checks that there is exactly one source. As upstream, a flexVolume is counted, but is no error as a second source. */
function validateSource(spec: PersistentVolumeSpec, path: string, rules: PersistentVolumeRules): readonly FieldError[] {
  const errors: FieldError[] = [];
  let count = 0;
  for (const key of persistentSources) {
    const source = spec[key];
    if (source === undefined) continue;
    const at = `${path}.${key}`;
    // `as`: the rule of a key takes the source of that key.
    const rule = sources[key] as (
      source: unknown,
      path: string,
      spec: PersistentVolumeSpec,
      rules: PersistentVolumeRules,
    ) => readonly FieldError[];
    if (count > 0 && key !== "flexVolume") {
      errors.push(forbidden(key === "cephfs" ? `${path}.cephFS` : at, "may not specify more than 1 volume type"));
    } else {
      count++;
      append(errors, rule(source, at, spec, rules));
    }
  }
  return count > 0 ? errors : [...errors, required(path, "must specify a volume type")];
}

function glusterfs(source: GlusterfsPersistentVolumeSource, path: string): readonly FieldError[] {
  const { endpointsNamespace } = source;
  const at = `${path}.endpointsNamespace`;
  return [
    ...requiredKeys(source, path, "endpoints", "path"),
    ...(endpointsNamespace === undefined
      ? []
      : endpointsNamespace === ""
      ? [invalid(at, endpointsNamespace, "if the endpointnamespace is set, it must be a valid namespace name")]
      : validateLabelText(endpointsNamespace, at)),
  ];
}

function cinder(source: CinderPersistentVolumeSource, path: string): readonly FieldError[] {
  const { secretRef } = source;
  return [
    ...requiredKeys(source, path, "volumeID"),
    ...(secretRef === undefined ? [] : requiredKeys(secretRef, `${path}.secretRef`, "name", "namespace")),
  ];
}

function azureFile(source: AzureFilePersistentVolumeSource, path: string): readonly FieldError[] {
  return [
    ...requiredKeys(source, path, "secretName", "shareName"),
    ...(source.secretNamespace === "" ? [required(`${path}.secretNamespace`, "")] : []),
  ];
}

function local(source: LocalVolumeSource, path: string, { nodeAffinity }: PersistentVolumeSpec): readonly FieldError[] {
  return [
    ...(source.path === "" ? [required(`${path}.path`, "")] : validateNoBacksteps(source.path, `${path}.path`)),
    ...(nodeAffinity === undefined ? [required(path.replace(/local$/, "nodeAffinity"), "Local volume requires node affinity")] : []),
  ];
}

function storageos(source: StorageOSPersistentVolumeSource, path: string): readonly FieldError[] {
  const { secretRef } = source;
  return [
    ...shared.storageosNames(source, path),
    ...(secretRef === undefined ? [] : requiredKeys(secretRef, `${path}.secretRef`, "name", "namespace")),
  ];
}

/** The references that are validated. Not nodeStageSecretRef, as upstream. */
const checkedSecrets = ["controllerPublishSecretRef", "controllerExpandSecretRef", "nodePublishSecretRef", "nodeExpandSecretRef"] as const;

function csi(source: CSIPersistentVolumeSource, path: string): readonly FieldError[] {
  return [
    ...validateCsiDriverName(source.driver, `${path}.driver`),
    ...requiredKeys(source, path, "volumeHandle"),
    ...checkedSecrets.flatMap((key) => source[key] === undefined ? [] : validateSecretReference(source[key], `${path}.${key}`)),
  ];
}

function validateRecycling({ hostPath, persistentVolumeReclaimPolicy }: PersistentVolumeSpec, path: string): readonly FieldError[] {
  if (hostPath === undefined || persistentVolumeReclaimPolicy !== "Recycle") return [];
  return isRoot(hostPath.path)
    ? [forbidden(`${path}.persistentVolumeReclaimPolicy`, "may not be 'recycle' for a hostPath mount of '/'")]
    : [];
}

/** Whether an absolute path leads to the root once `.` and `..` are resolved, as Go's path.Clean does. */
function isRoot(path: string): boolean {
  if (!path.startsWith("/")) return false;
  let depth = 0;
  for (const segment of path.split("/")) {
    if (segment === "..") depth = Math.max(0, depth - 1);
    else if (segment !== "" && segment !== ".") depth++;
  }
  return depth === 0;
}

function validateClassAndMode(spec: PersistentVolumeSpec, path: string, inline: boolean): readonly FieldError[] {
  const { storageClassName = "" } = spec;
  const volumeMode: string | undefined = spec.volumeMode;
  const errors: FieldError[] = [];
  if (storageClassName !== "") {
    if (inline) errors.push(forbidden(`${path}.storageClassName`, `may not be specified ${inlineContext}`));
    else append(errors, validateSubdomain(storageClassName, `${path}.storageClassName`));
  }
  if (volumeMode === undefined) return errors;
  const known: readonly string[] = volumeModes;
  if (!inline) return known.includes(volumeMode) ? errors : [...errors, notSupported(`${path}.volumeMode`, volumeMode, known)];
  if (volumeMode === "Filesystem") return errors;
  return [...errors, forbidden(`${path}.volumeMode`, `may not specify volumeMode other than Filesystem ${inlineContext}`)];
}

function validateAttributesClass({ volumeAttributesClassName, csi }: PersistentVolumeSpec, path: string): readonly FieldError[] {
  if (volumeAttributesClassName === undefined) return [];
  const at = `${path}.volumeAttributesClassName`;
  return [
    ...(volumeAttributesClassName === ""
      ? [required(at, "an empty string is disallowed")]
      : validateSubdomain(volumeAttributesClassName, at)),
    ...(csi === undefined ? [required(`${path}.csi`, "has to be specified when using volumeAttributesClassName")] : []),
  ];
}
