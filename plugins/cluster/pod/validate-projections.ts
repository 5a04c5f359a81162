/** Rules of what becomes files in volumes, in upstream's order and words. */
import { append } from "../../../core/append.ts";
import { type FieldError, forbidden, invalid, required } from "../../../core/field-error.ts";
import type {
  DownwardAPIVolumeFile,
  KeyToPath,
  ProjectedVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from "../../shared/volumes/mod.ts";
import type { Leniency, Terms } from "./leniency.ts";
import { type Claim, validateMode, validateTargetPath } from "./rules.ts";
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

/** `path` is that of the whole source: the files are told without their places. */
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
  terms: Terms,
): readonly FieldError[] {
  const taken = new Set<string>();
  const claim = (target: string, told: string): readonly FieldError[] => {
    if (taken.has(target)) return [invalid(path, told, "conflicting duplicate paths")];
    taken.add(target);
    return [];
  };
  return [
    ...validateMode(defaultMode, `${path}.defaultMode`),
    // A list that is always written is null where there is none.
    ...(sources ?? []).flatMap((source, i) => validateSource(source, path, `${path}.sources[${i}]`, claim, terms)),
  ];
}

function validateSource(
  source: VolumeProjection,
  volume: string,
  path: string,
  claim: Claim,
  terms: Terms,
): readonly FieldError[] {
  const { secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  const count =
    [secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate].filter((each) => each !== undefined).length;
  const files = (at: string) =>
    (downwardAPI?.items ?? []).flatMap((
      file,
    ) => [...validateDownwardFile(file, at), ...(file.path === "" ? [] : claim(file.path, file.path))]);
  return [
    ...(secret === undefined ? [] : validateKeys(secret, `${path}.secret`, claim)),
    ...(configMap === undefined ? [] : validateKeys(configMap, `${path}.configMap`, claim)),
    ...files(`${path}.downwardAPI`),
    ...(serviceAccountToken === undefined ? [] : validateToken(serviceAccountToken, volume, `${path}.serviceAccountToken`, terms.lenient)),
    ...(clusterTrustBundle === undefined ? [] : validateTrustBundle(clusterTrustBundle, `${path}.clusterTrustBundle`, claim)),
    ...(podCertificate === undefined ? [] : validateCertificate(podCertificate, `${path}.podCertificate`, claim, terms.names)),
    ...(count > 1 ? [forbidden(path, "may not specify more than 1 volume type per source")] : []),
  ];
}

interface Keys {
  readonly name?: string;
  readonly items?: readonly KeyToPath[];
}
function validateKeys({ name = "", items = [] }: Keys, path: string, claim: Claim): readonly FieldError[] {
  return [
    ...(name === "" ? [required(`${path}.name`, "")] : []),
    ...items.flatMap((item, i) => [...validateKeyToPath(item, `${path}.items[${i}]`), ...(item.path === "" ? [] : claim(item.path, name))]),
  ];
}

const tokenSecondsMin = 600, tokenSecondsMax = 2 ** 32;

/** The path of the file is told as the volume's: upstream's slip. */
function validateToken(
  token: ServiceAccountTokenProjection,
  volume: string,
  path: string,
  { tokenPaths }: Leniency,
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
