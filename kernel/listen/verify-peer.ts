import { createHash, X509Certificate } from "node:crypto";
import { reasonOf } from "../../core/reason-of.ts";
import { type CertificateFacts, certificateFacts, keyUsageOid, pemCertificates } from "./certificate.ts";
import type { PeerCertificate } from "./peer.ts";

/** What a client's certificate is worth, and until when (milliseconds since the epoch) that is so. */
export type PeerVerdict =
  | { readonly trusted: true; readonly peer: PeerCertificate; readonly until: number }
  | { readonly trusted: false; readonly because: string };

interface Authority {
  readonly certificate: X509Certificate;
  readonly facts: CertificateFacts;
}

/** A check of client certificates against the authorities of a PEM bundle, which is read once, here; an Error when it is none.
 *  Runtimes differ in what `authorized` on a socket means, so nothing they say about trust is used: names, dates and usages are
 *  read from the bytes, signatures are checked against the bundle. `chain` is what the client sent, its own certificate first. */
export function peerVerifier(bundle: string): (chain: readonly Uint8Array[], now: number) => PeerVerdict {
  const roots = pemCertificates(bundle).map(authority);
  return (chain, now) => {
    const [leaf, ...sent] = chain;
    if (leaf === undefined) return { trusted: false, because: "no certificate" };
    try {
      const end = authority(leaf);
      if (!forClients(end)) return { trusted: false, because: "certificate is not meant for clients" };
      const path = pathToRoot(end, sent.slice(0, chainLengthMax).map(authority), roots, now);
      if (path === undefined) return { trusted: false, because: "certificate is expired, not yet valid or signed by an unknown authority" };
      const until = Math.min(...path.map((one) => one.facts.notAfter));
      const { commonName, organizations, uids, notAfter } = end.facts;
      const fingerprint = createHash("sha256").update(leaf).digest("hex");
      return { trusted: true, until, peer: { commonName, organizations, uids, fingerprint, expires: notAfter } };
    } catch (error) {
      // Bytes that are no certificate: the client's fault, whatever the parser calls it.
      return { trusted: false, because: `certificate cannot be read: ${reasonOf(error)}` };
    }
  };
}

/** Intermediates that are looked at; what more a client sends is passed over. */
const chainLengthMax = 8;

/** The certificates from `end` to a root, each usable now and signed by the next; undefined when there is no such path. It never
 *  goes back on a choice, so that certificates made to sign each other in circles cost at most the square of their number. */
function pathToRoot(end: Authority, sent: readonly Authority[], roots: readonly Authority[], now: number): Authority[] | undefined {
  const path = [end];
  const left = [...sent];
  for (let last = end; usable(last, now);) {
    if (roots.some((root) => Buffer.compare(root.certificate.raw, last.certificate.raw) === 0)) return path;
    const root = roots.find((one) => usable(one, now) && issued(one, last, path.length - 1));
    if (root !== undefined) return [...path, root];
    const next = left.findIndex((one) => issued(one, last, path.length - 1));
    const [middle] = next < 0 ? [] : left.splice(next, 1);
    if (middle === undefined || !forClients(middle)) return undefined;
    path.push(middle);
    last = middle;
  }
  return undefined;
}
/** Dates are compared so that an unreadable one (NaN) refuses. */
function usable({ facts }: Authority, now: number): boolean {
  return facts.notBefore <= now && now <= facts.notAfter && facts.unknownCritical.length === 0;
}
function forClients({ facts: { extendedKeyUsages: usages } }: Authority): boolean {
  return usages === undefined || usages.includes(keyUsageOid.client) || usages.includes(keyUsageOid.any);
}
/** Whether `issuer` signed `subject` and may stand above that many other authorities. */
function issued(issuer: Authority, subject: Authority, below: number): boolean {
  const { mayIssue, pathLength } = issuer.facts;
  return mayIssue && (pathLength === undefined || below <= pathLength) && subject.certificate.checkIssued(issuer.certificate) &&
    subject.certificate.verify(issuer.certificate.publicKey);
}
function authority(bytes: Uint8Array): Authority {
  return { certificate: new X509Certificate(bytes), facts: certificateFacts(bytes) };
}
