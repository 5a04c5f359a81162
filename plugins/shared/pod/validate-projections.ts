/** Validation of projected volumes and their files, with upstream's order and texts. */
import { type FieldError, forbidden, invalid, required } from "../../../plugin.ts";
import { append } from "../../../toolbox.ts";
import type {
  DownwardAPIVolumeFile,
  KeyToPath,
  ProjectedVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from "../volumes/mod.ts";
import type { ValidationContext, ValidationOptions } from "./validation-options.ts";
import { type RegisterPath, validateMode, validateTargetPath } from "./rules.ts";
import { validateCertificate, validateTrustBundle } from "./validate-credentials.ts";
import { validateFieldRef, validateResourceFieldRef, volumeFields } from "./validate-fields.ts";

export function validateKeyToPath({ key, path: target, mode }: KeyToPath, path: string): readonly FieldError[] {
  return [
    ...(key === "" ? [required(`${path}.key`, "")] : []),
    ...(target === "" ? [required(`${path}.path`, "")] : []),
    ...validateTargetPath(target, `${path}.path`),
    ...validateMode(mode, `${path}.mode`),
  ];
}

/** Validates a downward API file. As upstream, `path` is that of the source: errors have no index of the file. */
export function validateDownwardFile(file: DownwardAPIVolumeFile, path: string): readonly FieldError[] {
  const { fieldRef, resourceFieldRef } = file;
  const errors: FieldError[] = file.path === "" ? [required(`${path}.path`, "")] : [];
  append(errors, validateTargetPath(file.path, `${path}.path`));
  if (fieldRef !== undefined) {
    append(errors, validateFieldRef(fieldRef, volumeFields, `${path}.fieldRef`));
    if (resourceFieldRef !== undefined) {
      errors.push(invalid(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously"));
    }
  } else if (resourceFieldRef !== undefined) {
    append(errors, validateResourceFieldRef(resourceFieldRef, `${path}.resourceFieldRef`, true));
  } else errors.push(required(path, "one of fieldRef and resourceFieldRef is required"));
  return [...errors, ...validateMode(file.mode, `${path}.mode`)];
}

export function validateProjected(
  { sources = [], defaultMode }: ProjectedVolumeSource,
  path: string,
  context: ValidationContext,
): readonly FieldError[] {
  const taken = new Set<string>();
  const register = (target: string, shown: string): readonly FieldError[] => {
    if (taken.has(target)) return [invalid(path, shown, "conflicting duplicate paths")];
    taken.add(target);
    return [];
  };
  return [
    ...validateMode(defaultMode, `${path}.defaultMode`),
    // `sources` is always written; an absent list is null.
    ...(sources ?? []).flatMap((source, i) => validateSource(source, path, `${path}.sources[${i}]`, register, context)),
  ];
}

function validateSource(
  source: VolumeProjection,
  volume: string,
  path: string,
  register: RegisterPath,
  context: ValidationContext,
): readonly FieldError[] {
  const { secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  const count =
    [secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate].filter((each) => each !== undefined).length;
  const files = (at: string) =>
    (downwardAPI?.items ?? []).flatMap((
      file,
    ) => [...validateDownwardFile(file, at), ...(file.path === "" ? [] : register(file.path, file.path))]);
  return [
    ...(secret === undefined ? [] : validateKeys(secret, `${path}.secret`, register)),
    ...(configMap === undefined ? [] : validateKeys(configMap, `${path}.configMap`, register)),
    ...files(`${path}.downwardAPI`),
    ...(serviceAccountToken === undefined
      ? []
      : validateToken(serviceAccountToken, volume, `${path}.serviceAccountToken`, context.options)),
    ...(clusterTrustBundle === undefined ? [] : validateTrustBundle(clusterTrustBundle, `${path}.clusterTrustBundle`, register)),
    ...(podCertificate === undefined ? [] : validateCertificate(podCertificate, `${path}.podCertificate`, register, context.names)),
    ...(count > 1 ? [forbidden(path, "may not specify more than 1 volume type per source")] : []),
  ];
}

interface Keys {
  readonly name?: string;
  readonly items?: readonly KeyToPath[];
}
function validateKeys({ name = "", items = [] }: Keys, path: string, register: RegisterPath): readonly FieldError[] {
  return [
    ...(name === "" ? [required(`${path}.name`, "")] : []),
    ...items.flatMap((
      item,
      i,
    ) => [...validateKeyToPath(item, `${path}.items[${i}]`), ...(item.path === "" ? [] : register(item.path, name))]),
  ];
}

const tokenSecondsMin = 600, tokenSecondsMax = 2 ** 32;

/** Validates a service account token. As upstream, errors of its file path have the path of the volume. */
function validateToken(
  token: ServiceAccountTokenProjection,
  volume: string,
  path: string,
  { tokenPaths }: ValidationOptions,
): readonly FieldError[] {
  const { expirationSeconds: seconds } = token;
  const errors: FieldError[] = [];
  if (seconds !== undefined && seconds < tokenSecondsMin) {
    errors.push(invalid(`${path}.expirationSeconds`, seconds, "may not specify a duration less than 10 minutes"));
  } else if (seconds !== undefined && seconds > tokenSecondsMax) {
    errors.push(invalid(`${path}.expirationSeconds`, seconds, "may not specify a duration larger than 2^32 seconds"));
  }
  if (token.path === "") return [...errors, required(`${volume}.path`, "")];
  return tokenPaths ? errors : [...errors, ...validateTargetPath(token.path, `${volume}.path`)];
}
