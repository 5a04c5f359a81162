/** Finds a chain from a certificate to a trusted one, as Go's `x509.Verify` does for client authentication. */
import { extendedKeyUsage } from "./certificate.ts";
import { signsCertificates } from "./extensions.ts";
import { namesAllowed } from "./name-constraints.ts";
import type { Certificate } from "./parse-certificate.ts";
import { isSignedBy } from "./signature.ts";
import { bound } from "../../core/bound.ts";

/** Signatures that the search for a chain of certificates may check (Go's crypto/x509). */
const signatureChecksMax = bound(100);

/** Trusted certificates by their subject. */
export interface Pool {
  contains(certificate: Certificate): boolean;
  /** Those that may have signed it, the most likely first. */
  issuersOf(certificate: Certificate): readonly Certificate[];
}

export function poolOf(certificates: readonly Certificate[]): Pool {
  const bySubject = Map.groupBy(certificates, ({ subject }) => keyOf(subject));
  const whole = new Set(certificates.map(({ bytes }) => keyOf(bytes)));
  return {
    contains: ({ bytes }) => whole.has(keyOf(bytes)),
    issuersOf: (certificate) =>
      (bySubject.get(keyOf(certificate.issuer)) ?? []).toSorted((a, b) => unlikeliness(a, certificate) - unlikeliness(b, certificate)),
  };
}
function keyOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}
/** 0 where key identifiers are equal or both missing, 1 where one is missing, 2 where they differ. */
function unlikeliness(issuer: Certificate, certificate: Certificate): 0 | 1 | 2 {
  const own = issuer.extensions.subjectKeyId ?? none, wanted = certificate.extensions.authorityKeyId ?? none;
  if (equal(own, wanted)) return 0;
  return own.length === 0 || wanted.length === 0 ? 1 : 2;
}
const none = new Uint8Array();
function equal(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

/** Why a certificate cannot be part of a chain by itself; undefined where it can. `below` is the number of certificates between it and
 *  the client's own; -1 for that one itself. */
export function unusable({ notBefore, notAfter, extensions }: Certificate, below: number, now: number): string | undefined {
  const { unknownCritical: [critical], basicConstraints } = extensions;
  if (critical !== undefined) return `has the critical extension ${critical}, which is not understood`;
  if (now < notBefore) return "is not yet valid";
  if (now > notAfter) return "has expired";
  const { pathLength } = basicConstraints ?? {};
  return pathLength !== undefined && below > pathLength ? "has too many authorities below it" : undefined;
}

/**
 * Returns the first chain from `leaf`, which must be usable itself, to a root; undefined where there is none. Every chain is tried until
 * the number of signatures that one call may check is used up.
 */
export function chainToRoot(leaf: Certificate, sent: Pool, roots: Pool, now: number): readonly Certificate[] | undefined {
  if (roots.contains(leaf)) return acceptable([leaf]) ? [leaf] : undefined;
  let checks = 0;
  const from = (chain: readonly Certificate[]): readonly Certificate[] | undefined => {
    const last = chain.at(-1) ?? leaf;
    const extended = (issuer: Certificate): readonly Certificate[] | undefined => {
      if (++checks > signatureChecksMax || isIn(chain, issuer) || !signs(issuer, last)) return undefined;
      return unusable(issuer, chain.length - 1, now) === undefined ? [...chain, issuer] : undefined;
    };
    for (const root of roots.issuersOf(last)) {
      const whole = extended(root);
      if (whole !== undefined && acceptable(whole)) return whole;
    }
    for (const middle of sent.issuersOf(last)) {
      const longer = extended(middle);
      const whole = longer === undefined || middle.extensions.basicConstraints?.isCa !== true ? undefined : from(longer);
      if (whole !== undefined) return whole;
    }
    return undefined;
  };
  return from([leaf]);
}

/** Returns the same subject, key and alternative names: such an issuer adds nothing to a chain but length. */
function isIn(chain: readonly Certificate[], issuer: Certificate): boolean {
  return chain.some((one) =>
    equal(one.subject, issuer.subject) && equal(one.publicKeyInfo, issuer.publicKeyInfo) &&
    equal(one.extensions.alternativeNamesBytes ?? none, issuer.extensions.alternativeNamesBytes ?? none)
  );
}

/** Whether `issuer` may sign certificates and has signed this one. Key usage counts only where it has any bit. */
function signs({ version, extensions, publicKey }: Certificate, subject: Certificate): boolean {
  const { basicConstraints, keyUsage } = extensions;
  if (basicConstraints === undefined ? version === 3 : !basicConstraints.isCa) return false;
  return signsCertificates(keyUsage) && publicKey !== undefined &&
    isSignedBy(subject.signatureAlgorithm, subject.signed, subject.signature, publicKey);
}

/** Returns the checks of a whole chain. Policies are not processed: a chain that requires one is refused. */
function acceptable(chain: readonly Certificate[]): boolean {
  return chain.every(({ extensions }) => forClients(extensions.extendedKeyUsages)) && policiesAllowed(chain) &&
    namesAllowed(chain.map(({ extensions }) => extensions));
}
/** Returns a certificate that lists no usage has any. */
export function forClients(usages: readonly string[] | undefined): boolean {
  return usages === undefined || usages.length === 0 || usages.includes(extendedKeyUsage.client) || usages.includes(extendedKeyUsage.any);
}
/** Counts down to the first certificate that needs a policy (RFC 5280, 6.1). The root's own statements do not count. */
function policiesAllowed(chain: readonly Certificate[]): boolean {
  const [leaf, ...authorities] = chain.slice(0, -1);
  let left = chain.length;
  for (const { issuer, subject, extensions } of authorities.toReversed()) {
    if (extensions.mapsAnyPolicy === true) return false;
    if (!equal(issuer, subject)) left = Math.max(0, left - 1);
    left = Math.min(left, extensions.requiresPolicyAfter ?? left);
  }
  return leaf === undefined || (left > 1 && leaf.extensions.requiresPolicyAfter !== 0);
}
