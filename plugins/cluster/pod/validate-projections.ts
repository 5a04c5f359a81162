/** Rules of what becomes files in volumes, in upstream's order and words. */
import { type FieldError, forbidden, invalid, required, tooLong } from "../../../core/field-error.ts";
import { limits } from "../../../core/limits.ts";
import { validateLabelSelector } from "../../../core/meta/label-selector.ts";
import { dns1123Subdomain, qualifiedName } from "../../../core/meta/names.ts";
import { utf8Length } from "../../../core/meta/utf8.ts";
import type {
  ClusterTrustBundleProjection,
  DownwardAPIVolumeFile,
  KeyToPath,
  PodCertificateProjection,
  ProjectedVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from "../../../core/volumes/mod.ts";
import type { Leniency } from "./leniency.ts";
import { oneOfWords, validateMode, validateTargetPath } from "./rules.ts";
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
  errors.push(...validateTargetPath(file.path, `${path}.path`));
  if (fieldRef !== undefined) {
    errors.push(...validateFieldRef(fieldRef, volumeFields, `${path}.fieldRef`));
    if (resourceFieldRef !== undefined) {
      errors.push(invalid(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously"));
    }
  } else if (resourceFieldRef !== undefined) {
    errors.push(...validateResourceFieldRef(resourceFieldRef, `${path}.resourceFieldRef`, true));
  } else errors.push(required(path, "one of fieldRef and resourceFieldRef is required"));
  return [...errors, ...validateMode(file.mode, `${path}.mode`)];
}

export function validateProjected(
  { sources = [], defaultMode }: ProjectedVolumeSource,
  path: string,
  lenient: Leniency,
): readonly FieldError[] {
  const taken = new Set<string>();
  const claim = (target: string, told: string): readonly FieldError[] => {
    if (target === "") return [];
    if (taken.has(target)) return [invalid(path, told, "conflicting duplicate paths")];
    taken.add(target);
    return [];
  };
  return [
    ...validateMode(defaultMode, `${path}.defaultMode`),
    // A list that is always written is null where there is none.
    ...(sources ?? []).flatMap((source, i) => validateSource(source, path, `${path}.sources[${i}]`, claim, lenient)),
  ];
}

/** Remembers a path in the volume, and finds that it is taken. */
type Claim = (target: string, told: string) => readonly FieldError[];

function validateSource(
  source: VolumeProjection,
  volume: string,
  path: string,
  claim: Claim,
  lenient: Leniency,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  let count = 0;
  const one = (key: string, errorsOf: (at: string) => readonly FieldError[]) => {
    const at = `${path}.${key}`;
    if (count++ > 0) errors.push(forbidden(at, "may not specify more than 1 volume type"));
    else errors.push(...errorsOf(at));
  };
  const { secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  if (secret !== undefined) one("secret", (at) => validateKeys(secret, at, claim));
  if (configMap !== undefined) one("configMap", (at) => validateKeys(configMap, at, claim));
  if (downwardAPI !== undefined) {
    one(
      "downwardAPI",
      (at) => (downwardAPI.items ?? []).flatMap((file) => [...validateDownwardFile(file, at), ...claim(file.path, file.path)]),
    );
  }
  if (serviceAccountToken !== undefined) one("serviceAccountToken", (at) => validateToken(serviceAccountToken, volume, at, lenient));
  if (clusterTrustBundle !== undefined) {
    one("clusterTrustBundle", (at) => [
      ...validateTrustBundle(clusterTrustBundle, at),
      ...claim(clusterTrustBundle.path, clusterTrustBundle.path),
    ]);
  }
  if (podCertificate !== undefined) one("podCertificate", (at) => validateCertificate(podCertificate, at, claim));
  return errors;
}

interface Keys {
  readonly name?: string;
  readonly items?: readonly KeyToPath[];
}
function validateKeys({ name = "", items = [] }: Keys, path: string, claim: Claim): readonly FieldError[] {
  return [
    ...(name === "" ? [required(`${path}.name`, "")] : []),
    ...items.flatMap((item, i) => [...validateKeyToPath(item, `${path}.items[${i}]`), ...claim(item.path, name)]),
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

function validateTrustBundle(bundle: ClusterTrustBundleProjection, path: string): readonly FieldError[] {
  const { name, signerName, labelSelector } = bundle;
  const errors: FieldError[] = [];
  if (name !== undefined && signerName !== undefined) errors.push(invalid(path, bundle, "only one of name and signerName may be used"));
  else if (name !== undefined) {
    if (name === "") errors.push(required(`${path}.name`, "must be a valid object name"));
    else {for (const wrong of trustBundleName(name)) {
        errors.push(invalid(`${path}.name`, name, `must be a valid clustertrustbundle name: ${wrong}`));
      }}
    if (labelSelector !== undefined) {
      errors.push(invalid(`${path}.labelSelector`, labelSelector, "labelSelector must be unset if name is specified"));
    }
  } else if (signerName !== undefined) {
    if (signerName === "") errors.push(required(`${path}.signerName`, "must be a valid signer name"));
    errors.push(...validateSignerName(signerName, `${path}.signerName`), ...validateLabelSelector(labelSelector, `${path}.labelSelector`));
  } else errors.push(required(path, "either name or signerName must be specified"));
  if (bundle.path === "") errors.push(required(`${path}.path`, ""));
  return [...errors, ...validateTargetPath(bundle.path, `${path}.path`)];
}

/** The bundles of a signer carry its name in front, with colons for the slash. */
function trustBundleName(name: string): readonly string[] {
  return dns1123Subdomain(name.slice(name.lastIndexOf(":") + 1));
}

/** The whole name of a signer: a domain of two labels or more, a slash and a path. */
function validateSignerName(name: string, path: string): readonly FieldError[] {
  if (name === "") return [required(path, "")];
  const [domain, rest, ...more] = name.split("/");
  if (rest === undefined || more.length > 0) {
    return [invalid(path, name, 'must be a fully qualified domain and path of the form "example.com/signer-name"')];
  }
  const errors = dns1123Subdomain(domain!).map((wrong) => invalid(path, name, `validating label "${domain}": ${wrong}`));
  if (domain!.split(".").length < 2) errors.push(invalid(path, name, "should be a domain with at least two segments separated by dots"));
  return [...errors, ...dns1123Subdomain(rest).map((wrong) => invalid(path, name, `validating label "${rest}": ${wrong}`))];
}

const keyTypes = ["ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519", "RSA3072", "RSA4096"];
const certificateSecondsMin = 3600, certificateSecondsMax = 7_862_400, platformSecondsMax = 86_400;

function validateCertificate(certificate: PodCertificateProjection, path: string, claim: Claim): readonly FieldError[] {
  const { signerName = "", keyType = "", maxExpirationSeconds: seconds, userAnnotations = {} } = certificate;
  const errors = [...validateSignerName(signerName, `${path}.signerName`), ...oneOfWords(keyType, keyTypes, `${path}.keyType`)];
  const max = signerName.split("/")[0]!.endsWith("kubernetes.io") ? platformSecondsMax : certificateSecondsMax;
  if (seconds !== undefined && seconds < certificateSecondsMin) {
    errors.push(invalid(`${path}.maxExpirationSeconds`, seconds, `if provided, maxExpirationSeconds must be >= ${certificateSecondsMin}`));
  } else if (seconds !== undefined && seconds > max) {
    errors.push(invalid(`${path}.maxExpirationSeconds`, seconds, `if provided, maxExpirationSeconds must be <= ${max}`));
  }
  const keys = ["credentialBundlePath", "keyPath", "certificateChainPath"] as const;
  if (keys.every((key) => (certificate[key] ?? "") === "")) {
    errors.push(required(path, "specify at least one of credentialBundlePath, keyPath, and certificateChainPath"));
  }
  for (const key of keys) {
    const target = certificate[key] ?? "";
    if (target !== "") errors.push(...validateTargetPath(target, `${path}.${key}`), ...claim(target, target));
  }
  return [...errors, ...validateUserAnnotations(userAnnotations, `${path}.userAnnotations`)];
}

function validateUserAnnotations(annotations: Readonly<Record<string, string>>, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    bytes += utf8Length(key) + utf8Length(value);
    const wrong = qualifiedName(key.toLowerCase());
    for (const each of wrong) errors.push(invalid(path, key, each));
    if (wrong.length === 0 && !key.includes("/")) errors.push(invalid(path, key, 'must be a domain-prefixed key (such as "acme.io/foo")'));
  }
  return bytes > limits.annotationsBytesMax ? [...errors, tooLong(path, limits.annotationsBytesMax)] : errors;
}
