/** Validation of certificates and trust bundles in projected volumes, with upstream's order and texts. */
import { type FieldError, invalid, notSupported, required, tooLong } from "../../../plugin.ts";
import {
  dns1123Label,
  dns1123Subdomain,
  type Names,
  qualifiedName,
  spell,
  utf8Length,
  validateLabelSelector,
  valueText,
} from "../../../toolbox.ts";
import type { ClusterTrustBundleProjection, PodCertificateProjection } from "../volumes/mod.ts";
import { type RegisterPath, validateTargetPath } from "./rules.ts";
import { annotationsBytesMax } from "../../../core/meta/labels.ts";

export function validateTrustBundle(bundle: ClusterTrustBundleProjection, path: string, register: RegisterPath): readonly FieldError[] {
  return [
    ...validateBundleNames(bundle, path),
    ...(bundle.path === "" ? [required(`${path}.path`, "")] : []),
    ...validateTargetPath(bundle.path, `${path}.path`),
    ...register(bundle.path, bundle.path),
  ];
}

function validateBundleNames(bundle: ClusterTrustBundleProjection, path: string): readonly FieldError[] {
  const { name, signerName, labelSelector } = bundle;
  if (name !== undefined && signerName !== undefined) return [invalid(path, bundle, "only one of name and signerName may be used")];
  if (name !== undefined) {
    return [
      ...(name === "" ? [required(`${path}.name`, "must be a valid object name")] : []),
      ...trustBundleName(name).map((wrong) => invalid(`${path}.name`, name, `not a valid clustertrustbundlename: ${wrong}`)),
      ...(labelSelector === undefined
        ? []
        : [invalid(`${path}.labelSelector`, labelSelector, "labelSelector must be unset if name is specified")]),
    ];
  }
  if (signerName === undefined) return [required(path, "either name or signerName must be specified")];
  return [
    ...(signerName === "" ? [required(`${path}.signerName`, "must be a valid signer name")] : []),
    ...validateSignerName(signerName, `${path}.signerName`),
    ...validateLabelSelector(labelSelector, `${path}.labelSelector`),
  ];
}

/** The problems of a trust bundle's name. Bundles with a signer have its name as prefix, with colons instead of slashes. */
function trustBundleName(name: string): readonly string[] {
  if (name.lastIndexOf(":") === 0) return ['ClusterTrustBundle without signer name must not have ":" in its name'];
  return dns1123Subdomain(name.slice(name.lastIndexOf(":") + 1));
}

const domainMax = 253, pathMax = domainMax + 63 + 1;

/** Checks a signer name: a domain of at least two labels, a slash and a path. Only the first invalid label of each is reported. */
function validateSignerName(name: string, path: string): readonly FieldError[] {
  if (name === "") return [required(path, "")];
  const [domain, rest, ...more] = name.split("/");
  if (domain === undefined || rest === undefined || more.length > 0) {
    return [invalid(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")];
  }
  const labels = domain.split(".");
  return [
    ...(utf8Length(domain) > domainMax ? [tooLong(path, domainMax)] : []),
    ...firstWrong(domain, dns1123Label, path),
    ...(labels.length < 2 ? [invalid(path, domain, "should be a domain with at least two segments separated by dots")] : []),
    ...firstWrong(rest, dns1123Subdomain, path),
    ...(utf8Length(name) > domainMax + 1 + pathMax ? [tooLong(path, domainMax + 1 + pathMax)] : []),
  ];
}
function firstWrong(text: string, rule: (label: string) => readonly string[], path: string): readonly FieldError[] {
  const label = text.split(".").find((each) => rule(each).length > 0);
  return label === undefined ? [] : rule(label).map((wrong) => invalid(path, text, `validating label ${valueText(label)}: ${wrong}`));
}

const keyTypes = ["RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"];
const secondsMin = 3600, secondsMax = 7_862_400, platformSecondsMax = 86_400;

/** Validates a pod certificate. Signers of the platform have a shorter maximum lifetime. */
export function validateCertificate(
  certificate: PodCertificateProjection,
  path: string,
  register: RegisterPath,
  names: Names,
): readonly FieldError[] {
  const { signerName = "", keyType = "", maxExpirationSeconds: seconds, userAnnotations = {} } = certificate;
  const host = signerName.split("/", 1)[0]!; // `!`: split returns at least one part
  const own = spell(names, "{platform}.io");
  const max = host === own || host.endsWith(`.${own}`) ? platformSecondsMax : secondsMax;
  const at = `${path}.maxExpirationSeconds`;
  return [
    ...validateSignerName(signerName, `${path}.signerName`),
    ...validateUserAnnotations(userAnnotations, `${path}.userAnnotations`),
    ...(keyTypes.includes(keyType) ? [] : [{ ...notSupported(`${path}.keyType`, keyType, keyTypes), quoted: "go" as const }]),
    ...(seconds !== undefined && seconds < secondsMin
      ? [invalid(at, seconds, `if provided, maxExpirationSeconds must be >= ${secondsMin}`)]
      : []),
    ...(seconds !== undefined && seconds > max ? [invalid(at, seconds, `if provided, maxExpirationSeconds must be <= ${max}`)] : []),
    ...validatePaths(certificate, path, register),
  ];
}

function validatePaths(certificate: PodCertificateProjection, path: string, register: RegisterPath): readonly FieldError[] {
  const paths = (["credentialBundlePath", "keyPath", "certificateChainPath"] as const).filter((key) => (certificate[key] ?? "") !== "");
  if (paths.length === 0) return [required(path, "specify at least one of credentialBundlePath, keyPath, and certificateChainPath")];
  return paths.flatMap((key) => {
    const target = certificate[key] ?? "";
    return [...validateTargetPath(target, `${path}.${key}`), ...register(target, target)];
  });
}

function validateUserAnnotations(annotations: Readonly<Record<string, string>>, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    bytes += utf8Length(key) + utf8Length(value);
    const lowerKey = key.toLowerCase(), wrong = qualifiedName(lowerKey);
    for (const each of wrong) errors.push(invalid(path, lowerKey, each));
    if (wrong.length === 0 && !key.includes("/")) {
      errors.push(invalid(path, lowerKey, 'must be a domain-prefixed key (such as "acme.io/foo")'));
    }
  }
  return bytes > annotationsBytesMax ? [...errors, tooLong(path, annotationsBytesMax)] : errors;
}
