/** Validation of certificates and trust bundles in projected volumes, with upstream's order and texts. */
import { type FieldError, invalid, notSupported, required } from "../../../plugin.ts";
import { type Names, validateLabelSelector } from "../../../toolbox.ts";
import { certificateSecondsMax, certificateSecondsMin, trustBundleName, validateSignerName, validateUserAnnotations } from "../signers.ts";
import type { ClusterTrustBundleProjection, PodCertificateProjection } from "../volumes/mod.ts";
import { type RegisterPath, validateTargetPath } from "./rules.ts";

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
      ...trustBundleName(name, signerOf(name)).map((wrong) =>
        invalid(`${path}.name`, name, `not a valid clustertrustbundlename: ${wrong}`)
      ),
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

/** The signer in the name of a bundle, in which colons stand for slashes; "" for a bundle without a signer. */
function signerOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf(":"))).replaceAll(":", "/");
}

const keyTypes = ["RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"];

/** Validates a pod certificate. Signers of the platform have a shorter maximum lifetime. */
export function validateCertificate(
  certificate: PodCertificateProjection,
  path: string,
  register: RegisterPath,
  names: Names,
): readonly FieldError[] {
  const { signerName = "", keyType = "", maxExpirationSeconds: seconds, userAnnotations = {} } = certificate;
  const max = certificateSecondsMax(signerName, names);
  const at = `${path}.maxExpirationSeconds`;
  return [
    ...validateSignerName(signerName, `${path}.signerName`),
    ...validateUserAnnotations(userAnnotations, `${path}.userAnnotations`),
    ...(keyTypes.includes(keyType) ? [] : [{ ...notSupported(`${path}.keyType`, keyType, keyTypes), quoted: "go" as const }]),
    ...(seconds !== undefined && seconds < certificateSecondsMin
      ? [invalid(at, seconds, `if provided, maxExpirationSeconds must be >= ${certificateSecondsMin}`)]
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
