/** Validation of the volumes of a pod, with upstream's order and texts. */
import { duplicate, type FieldError, forbidden, invalid, required } from "../../../plugin.ts";
import { append, compareQuantities } from "../../../toolbox.ts";
import { validateCsiDriverName } from "../csi-driver-name.ts";
import { validateTemplateMeta } from "../template-meta.ts";
import { isNumberedIscsiName, isQualifiedIscsiName } from "../volumes/iscsi-name.ts";
import type {
  CSIVolumeSource,
  EphemeralVolumeSource,
  GitRepoVolumeSource,
  ISCSIVolumeSource,
  KeyToPath,
  Volume,
  VolumeSource,
} from "../volumes/mod.ts";
import { between, requiredKeys, validateLocalPath } from "../volumes/rules.ts";
import { validateClaimSpec } from "../volumes/validate-claim.ts";
import * as shared from "../volumes/validate-shared-sources.ts";
import type { ValidationContext } from "./validation-options.ts";
import { label, subdomain, validateEnum, validateMode } from "./rules.ts";
import { validateDownwardFile, validateKeyToPath, validateProjected } from "./validate-projections.ts";

/** The valid volumes by name. Only these can be mounted. */
export type UsableVolumes = ReadonlyMap<string, VolumeSource>;

/** Validates the volumes and adds the valid ones to `usable`. The name of an invalid volume can be used again. */
export function validateVolumes(
  volumes: readonly Volume[],
  context: ValidationContext,
  path: string,
  usable: Map<string, VolumeSource>,
): readonly FieldError[] {
  return volumes.flatMap((volume, i) => {
    const at = `${path}[${i}]`, { name } = volume;
    const errors = [
      ...validateSource(volume, context, at),
      ...(name === "" ? [required(`${at}.name`, "")] : label(name, `${at}.name`)),
      ...(usable.has(name) ? [duplicate(`${at}.name`, name)] : []),
    ];
    if (errors.length === 0) usable.set(name, volume);
    return errors;
  });
}

type Rule<K extends keyof VolumeSource> = (
  source: NonNullable<VolumeSource[K]>,
  path: string,
  context: ValidationContext,
) => readonly FieldError[];
type Rules = { readonly [K in keyof Required<VolumeSource>]: Rule<K> };

/** The sources in upstream's order. The first one that is set is validated; each further one is an error. */
const rules: Rules = Object.freeze<Rules>({
  emptyDir: ({ sizeLimit }, path) =>
    sizeLimit !== undefined && compareQuantities(sizeLimit, "0") < 0
      ? [forbidden(`${path}.sizeLimit`, "SizeLimit field must be a valid resource quantity")]
      : [],
  hostPath: shared.hostPath,
  gitRepo: validateGitRepo,
  gcePersistentDisk: shared.gcePersistentDisk,
  awsElasticBlockStore: shared.awsElasticBlockStore,
  secret: (source, path) => [...requiredKeys(source, path, "secretName"), ...validateFiles(source, path)],
  nfs: shared.nfs,
  iscsi: validateIscsi,
  glusterfs: (source, path) => requiredKeys(source, path, "endpoints", "path"),
  flocker: shared.flocker,
  persistentVolumeClaim: (source, path) => requiredKeys(source, path, "claimName"),
  rbd: (source, path) => requiredKeys(source, path, "monitors", "image"),
  cinder: (source, path) => [...requiredKeys(source, path, "volumeID"), ...validateSecretName(source, path)],
  cephfs: (source, path) => requiredKeys(source, path, "monitors"),
  quobyte: shared.quobyte,
  downwardAPI: ({ defaultMode, items = [] }, path) => [
    ...validateMode(defaultMode, `${path}.defaultMode`),
    ...items.flatMap((file) => validateDownwardFile(file, path)),
  ],
  fc: shared.fc,
  flexVolume: shared.flexVolume,
  configMap: (source, path) => [...requiredKeys(source, path, "name"), ...validateFiles(source, path)],
  azureFile: (source, path) => requiredKeys(source, path, "secretName", "shareName"),
  vsphereVolume: shared.vsphereVolume,
  photonPersistentDisk: shared.photonPersistentDisk,
  portworxVolume: shared.portworxVolume,
  azureDisk: shared.azureDisk,
  storageos: (source, path) => [...shared.storageosNames(source, path), ...validateSecretName(source, path)],
  projected: validateProjected,
  scaleIO: (source, path) => requiredKeys(source, path, "gateway", "system", "volumeName"),
  csi: validateCsi,
  ephemeral: validateEphemeral,
  // The reference is optional in a template: a controller may set it in the pods.
  image: ({ reference = "", pullPolicy }, path, { options }) => [
    ...(reference === "" && options.isPod === true ? [required(`${path}.reference`, "")] : []),
    ...validateEnum(pullPolicy, ["Always", "IfNotPresent", "Never"], `${path}.pullPolicy`),
  ],
});
/** Upstream's spelling of sources in the error about a second source, where it differs from the field. */
const pathNames: Readonly<Record<string, string>> = { cephfs: "cephFS", downwardAPI: "downwarAPI" };

const ruleOfSource = Object.entries(rules) as [keyof VolumeSource, Rule<any>][]; // `as`: the keys of `rules`

function validateSource(volume: Volume, context: ValidationContext, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  let count = 0;
  for (const [key, rule] of ruleOfSource) {
    const source = volume[key];
    if (source === undefined) continue;
    if (count++ === 0) append(errors, rule(source, `${path}.${key}`, context));
    else errors.push(forbidden(`${path}.${pathNames[key] ?? key}`, "may not specify more than 1 volume type"));
    if (key === "iscsi") append(errors, validatePortalLength(volume, path));
  }
  return count === 0 ? [required(path, "must specify a volume type")] : errors;
}

function validateGitRepo(source: GitRepoVolumeSource, path: string): readonly FieldError[] {
  return [...requiredKeys(source, path, "repository"), ...validateLocalPath(source.directory ?? "", `${path}.directory`)];
}

interface Files {
  readonly defaultMode?: number;
  readonly items?: readonly KeyToPath[];
}
function validateFiles({ defaultMode, items = [] }: Files, path: string): readonly FieldError[] {
  return [
    ...validateMode(defaultMode, `${path}.defaultMode`),
    ...items.flatMap((item, i) => validateKeyToPath(item, `${path}.items[${i}]`)),
  ];
}

/** Checks that a reference to a secret has a name. */
function validateSecretName({ secretRef }: { readonly secretRef?: { readonly name?: string } }, path: string): readonly FieldError[] {
  return secretRef !== undefined && (secretRef.name ?? "") === "" ? [required(`${path}.secretRef.name`, "")] : [];
}

function validateIscsi(source: ISCSIVolumeSource, path: string): readonly FieldError[] {
  const { iqn, lun, chapAuthDiscovery, chapAuthSession, initiatorName, secretRef } = source;
  const needsSecret = (chapAuthDiscovery || chapAuthSession) && secretRef === undefined;
  return [
    ...requiredKeys(source, path, "targetPortal"),
    ...(iqn === "" ? [required(`${path}.iqn`, "")] : validateIscsiName(iqn, `${path}.iqn`)),
    ...between(lun, 0, 255, `${path}.lun`),
    ...(needsSecret ? [required(`${path}.secretRef`, "")] : []),
    ...(initiatorName === undefined ? [] : validateIscsiName(initiatorName, `${path}.initiatorname`)),
  ];
}
function validateIscsiName(name: string, path: string): readonly FieldError[] {
  if (!/^(iqn|eui|naa)/.test(name)) return [invalid(path, name, "must be valid format starting with iqn, eui, or naa")];
  const right = name.startsWith("iqn") ? isQualifiedIscsiName(name) : isNumberedIscsiName(name);
  return right ? [] : [invalid(path, name, "must be valid format")];
}
const portalLengthMax = 64;
function validatePortalLength({ name, iscsi }: Volume, path: string): readonly FieldError[] {
  if (iscsi?.initiatorName === undefined || `${name}:${iscsi.targetPortal}`.length <= portalLengthMax) return [];
  return [invalid(
    `${path}.name`,
    name,
    "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.",
  )];
}

/** Validates a CSI source. As upstream, the path of an invalid secret name lacks the reference. */
function validateCsi({ driver, nodePublishSecretRef }: CSIVolumeSource, path: string): readonly FieldError[] {
  const errors = validateCsiDriverName(driver, `${path}.driver`);
  if (nodePublishSecretRef === undefined) return errors;
  const { name = "" } = nodePublishSecretRef;
  return [...errors, ...(name === "" ? [required(`${path}.nodePublishSecretRef.name`, "")] : subdomain(name, `${path}.name`))];
}

function validateEphemeral({ volumeClaimTemplate: template }: EphemeralVolumeSource, path: string): readonly FieldError[] {
  const at = `${path}.volumeClaimTemplate`;
  if (template === undefined) return [required(at, "")];
  return [
    ...validateTemplateMeta(template.metadata, `${at}.metadata`),
    ...validateClaimSpec(template.spec, `${at}.spec`, { attributesClass: true }),
  ];
}
