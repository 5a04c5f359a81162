/** The rules of certificate requests for pods, with upstream's texts and order. */
import { type FieldError, invalid, notSupported, required, tooLong } from "../../plugin.ts";
import { bytesOf, dns1123Subdomain, type Names, sameValue, utf8Length, validateConditions } from "../../toolbox.ts";
import { bound } from "../../core/bound.ts";
import { omittedValue } from "../../core/field-error.ts";
import { DerReader } from "../../protocols/x509/der-reader.ts";
import { type Certificate, parseCertificate } from "../../protocols/x509/parse-certificate.ts";
import { nextPemBlock, pemBlocks } from "../../protocols/x509/pem.ts";
import { type PublicKey, readPublicKey } from "../../protocols/x509/public-key.ts";
import { isSignedBy, type SignatureAlgorithm } from "../../protocols/x509/signature.ts";
import { certificateSecondsMax, certificateSecondsMin, validateSignerName, validateUserAnnotations } from "../shared/signers.ts";
import type { PodCertificateRequestSpec as Spec, PodCertificateRequestStatus as Status } from "./pod-certificate-schema.ts";

/** Bytes of the key, of the proof, and of the issued certificates; bytes of a UID. */
export const publicKeyBytesMax = bound(10 * 1024), proofBytesMax = bound(10 * 1024), chainBytesMax = bound(100 * 1024);
const uidBytesMax = 128;
/** How far the begin of a new certificate may be from now, the shortest validity, and the distance of the refresh from both ends. */
const clockSkewMs = 300_000, validityMsMin = 3_600_000, refreshMs = 600_000;

const keyPath = "spec.pkixPublicKey", chainPath = "status.certificateChain";
const curves = ["P-256", "P-384", "P-521"], rsaBits = [3072, 4096];
const proofAlgorithms: Readonly<Record<"rsa" | "ecdsa" | "ed25519", SignatureAlgorithm>> = {
  // The length of the salt is not given: -2 finds it in the signature (RSA_PSS_SALTLEN_AUTO).
  rsa: { key: "rsa", hash: "sha256", saltLength: -2 },
  ecdsa: { key: "ecdsa", hash: "sha256" },
  ed25519: { key: "ed25519", hash: undefined },
};

/** The key of a SubjectPublicKeyInfo; undefined if the bytes are not exactly one of a known algorithm. */
function keyOf(bytes: Uint8Array): PublicKey | undefined {
  try {
    const reader = new DerReader(bytes);
    reader.any();
    return reader.empty ? readPublicKey(bytes) : undefined;
  } catch {
    return undefined;
  }
}

function weakness(key: PublicKey, text: string): FieldError | undefined {
  if (key.kind === "ecdsa" && !curves.includes(key.curve)) {
    return invalid(keyPath, `curve ${key.curve}`, "elliptic public keys must use curve P256 or P384");
  }
  const bits = key.kind === "rsa" ? Math.ceil(key.bits / 8) * 8 : 0;
  if (key.kind === "rsa" && !rsaBits.includes(bits)) {
    return invalid(keyPath, `${bits}-bit modulus`, "RSA keys must have modulus size 3072 or 4096");
  }
  return key.kind === "dsa" ? invalid(keyPath, text, "unknown public key type; supported types are Ed25519, ECDSA, and RSA") : undefined;
}

function validateKey({ pkixPublicKey, proofOfPossession, podUID }: Spec): readonly FieldError[] {
  const bytes = bytesOf(pkixPublicKey ?? ""), proof = bytesOf(proofOfPossession ?? ""), proofPath = "spec.proofOfPossession";
  if (bytes.length > publicKeyBytesMax) return [tooLong(keyPath, publicKeyBytesMax)];
  if (proof.length > proofBytesMax) return [tooLong(proofPath, proofBytesMax)];
  const key = keyOf(bytes);
  if (key === undefined) return [invalid(keyPath, pkixPublicKey ?? null, "must be a valid PKIX-serialized public key")];
  const weak = weakness(key, pkixPublicKey);
  if (weak !== undefined || key.kind === "dsa") return weak === undefined ? [] : [weak];
  if (isSignedBy(proofAlgorithms[key.kind], new TextEncoder().encode(podUID), proof, key)) return [];
  return [invalid(proofPath, omittedValue, "could not verify proof-of-possession signature")];
}

function validateName(name: string, path: string): readonly FieldError[] {
  return dns1123Subdomain(name).map((wrong) => invalid(path, name, wrong));
}
function validateUid(uid: string, path: string): readonly FieldError[] {
  if (uid === "") return [invalid(path, uid, "must not be empty")];
  return utf8Length(uid) > uidBytesMax ? [tooLong(path, uidBytesMax)] : [];
}

export function validateSpec(spec: Spec, names: Names): readonly FieldError[] {
  const { signerName, unverifiedUserAnnotations: annotations, maxExpirationSeconds: seconds } = spec;
  const errors = [
    ...validateSignerName(signerName, "spec.signerName"),
    ...(annotations === undefined ? [] : validateUserAnnotations(annotations, "spec.unverifiedUserAnnotations")),
    ...validateName(spec.podName, "spec.podName"),
    ...validateUid(spec.podUID, "spec.podUID"),
    ...validateName(spec.serviceAccountName, "spec.serviceAccountName"),
    ...validateUid(spec.serviceAccountUID, "spec.serviceAccountUID"),
    ...validateName(spec.nodeName, "spec.nodeName"),
    ...validateUid(spec.nodeUID, "spec.nodeUID"),
  ];
  const path = "spec.maxExpirationSeconds", max = certificateSecondsMax(signerName, names);
  if (seconds === undefined) return [...errors, required(path, "must be set")];
  const range = `must be in the range [${certificateSecondsMin}, ${max}]`;
  const isInRange = certificateSecondsMin <= seconds && seconds <= max;
  return [...errors, ...(isInRange ? [] : [invalid(path, seconds, range)]), ...validateKey(spec)];
}

/** The value in an error about the whole spec has the names and the order of upstream's internal type. */
export function keepsSpec(next: Spec, prior: Spec): readonly FieldError[] {
  if (sameValue(next, prior)) return [];
  const value = {
    SignerName: next.signerName,
    PodName: next.podName,
    PodUID: next.podUID,
    ServiceAccountName: next.serviceAccountName,
    ServiceAccountUID: next.serviceAccountUID,
    NodeName: next.nodeName,
    NodeUID: next.nodeUID,
    MaxExpirationSeconds: next.maxExpirationSeconds ?? null,
    PKIXPublicKey: next.pkixPublicKey ?? null,
    ProofOfPossession: next.proofOfPossession ?? null,
    UnverifiedUserAnnotations: next.unverifiedUserAnnotations ?? null,
  };
  return [invalid("spec", value, "field is immutable")];
}

/** The conditions that decide about a request. */
const decisions = ["Denied", "Failed", "Issued"];
const isTrue = ({ conditions = [] }: Status, ...types: readonly string[]) =>
  conditions.some(({ type, status }) => types.includes(type) && status === "True");

function validateDecisions({ conditions = [] }: Status): readonly FieldError[] {
  let known = 0;
  return conditions.flatMap(({ type, status }, i) => {
    const path = `status.conditions.[${i}]`;
    if (!decisions.includes(type)) return [notSupported(`${path}.type`, type, decisions)];
    const one = 'There may be at most one condition with type "Issued", "Denied", or "Failed"';
    return [
      ...(++known > 1 ? [invalid(`${path}.type`, type, one)] : []),
      ...(status === "True" ? [] : [notSupported(`${path}.status`, status, ["True"])]),
    ];
  });
}

const parsed = (bytes: Uint8Array): Certificate | undefined => {
  try {
    return parseCertificate(bytes);
  } catch {
    return undefined;
  }
};

/** Whether two keys are one. A key of a kind that cannot sign is like no other. */
function isSameKey(a: PublicKey | undefined, b: PublicKey | undefined): boolean {
  if (a === undefined || b === undefined || a.kind === "dsa" || b.kind === "dsa" || a.kind !== b.kind) return false;
  const bytes = (key: Exclude<PublicKey, { kind: "dsa" }>) => key.load().export({ type: "spki", format: "der" });
  return bytes(a).equals(bytes(b));
}

const timeOf = (text: string | null | undefined): number | undefined => (text ?? "") === "" ? undefined : Date.parse(text!); // not empty

function validateTimes(status: Status, leaf: Certificate, spec: Spec, now: number): readonly FieldError[] {
  const [from, until, refresh] = [timeOf(status.notBefore), timeOf(status.notAfter), timeOf(status.beginRefreshAt)];
  const consistent = "must be present and consistent with the issued certificate";
  if (from === undefined || until === undefined || refresh === undefined) {
    return [
      ...(from === undefined ? [required("status.notBefore", consistent)] : []),
      ...(until === undefined ? [required("status.notAfter", consistent)] : []),
      ...(refresh === undefined
        ? [required("status.beginRefreshAt", "must be present and in the range [notbefore+10min, notafter-10min]")]
        : []),
    ];
  }
  const wrong = (path: string, value: unknown, why: string) => [invalid(path, value, why)];
  if (from !== leaf.notBefore) {
    return wrong("status.notBefore", status.notBefore, "must be set to the NotBefore time encoded in the leaf certificate");
  }
  if (Math.abs(from - now) >= clockSkewMs) {
    return wrong("status.notBefore", status.notBefore, "must be set to within 5 minutes of kube-apiserver's current time");
  }
  if (until !== leaf.notAfter) {
    return wrong("status.notAfter", status.notAfter, "must be set to the NotAfter time encoded in the leaf certificate");
  }
  const validityMs = until - from, seconds = spec.maxExpirationSeconds ?? 0;
  if (validityMs < validityMsMin) return wrong(chainPath, validityMs * 1e6, "leaf certificate lifetime must be >= 1 hour");
  if (validityMs > seconds * 1000) {
    return wrong(chainPath, validityMs * 1e6, `leaf certificate lifetime must be <= spec.maxExpirationSeconds (${seconds})`);
  }
  if (refresh < from + refreshMs) {
    return wrong("status.beginRefreshAt", status.beginRefreshAt, "must be at least 10 minutes after status.notBefore");
  }
  if (refresh > until - refreshMs) {
    return wrong("status.beginRefreshAt", status.beginRefreshAt, "must be at least 10 minutes before status.notAfter");
  }
  return [];
}

function validateIssued(status: Status, spec: Spec, now: number): readonly FieldError[] {
  const { certificateChain: chain = "" } = status, wrong = (why: string) => [invalid(chainPath, chain, why)];
  if (utf8Length(chain) > chainBytesMax) return [tooLong(chainPath, chainBytesMax)];
  const block = nextPemBlock(chain);
  if (block === undefined) return wrong("issued certificate chain must contain at least one certificate");
  if (block.type !== "CERTIFICATE") return wrong("issued certificate chain must consist entirely of CERTIFICATE PEM blocks");
  const leaf = parsed(block.bytes);
  if (leaf === undefined) return wrong("leaf certificate does not parse as valid X.509");
  if (!isSameKey(keyOf(bytesOf(spec.pkixPublicKey ?? "")), leaf.publicKey)) {
    return wrong("leaf certificate was not issued to the requested public key");
  }
  const errors = validateTimes(status, leaf, spec, now);
  if (errors.length > 0) return errors;
  for (const { type, bytes } of pemBlocks(chain.slice(block.end))) {
    if (type !== "CERTIFICATE") return wrong("issued certificate chain must consist entirely of CERTFICATE PEM blocks");
    if (parsed(bytes) === undefined) return wrong("intermediate certificate does not parse as valid X.509");
  }
  return [];
}

/** Whether two statuses are the same. An empty list is like none. */
export function isSameStatus(a: Status, b: Status): boolean {
  const plain = ({ conditions = [], certificateChain = "", ...rest }: Status) => ({ ...rest, conditions, certificateChain });
  return sameValue(plain(a), plain(b));
}

/** Checks a new status. `now` is in milliseconds since 1970. */
export function validateStatus(next: Status, prior: Status, spec: Spec, now: number): readonly FieldError[] {
  const errors = [...validateDecisions(next), ...validateConditions(next.conditions, "status.conditions")];
  if (errors.length > 0) return errors;
  const wrong = (why: string) => [invalid("status", omittedValue, why)], keeps = isSameStatus(next, prior);
  if (isTrue(prior, ...decisions)) return keeps ? [] : wrong("immutable after PodCertificateRequest is issued, denied, or failed");
  if (isTrue(next, "Denied", "Failed")) {
    const { conditions: _conditions, ...others } = next;
    return isSameStatus(others, {})
      ? []
      : wrong("non-condition status fields must be empty when denying or failing the PodCertificateRequest");
  }
  if (isTrue(next, "Issued")) return validateIssued(next, spec, now);
  return keeps ? [] : wrong('status is immutable unless transitioning to "Issued", "Denied", or "Failed"');
}
