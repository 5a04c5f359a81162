import { createHash } from "node:crypto";
import { reasonOf } from "../../core/reason-of.ts";
import { factsOf, pemCertificates } from "../../protocols/x509/certificate.ts";
import type { PeerCertificate } from "../../kernel/request/peer.ts";
import { type Certificate, parseCertificate } from "../../protocols/x509/parse-certificate.ts";
import { isStrongRsa } from "../../protocols/x509/signature.ts";
import { chainToRoot, forClients, poolOf, unusable } from "../../protocols/x509/verify-chain.ts";
import { rsaKeyBitsMax } from "../../core/bounds.ts";

/** The verdict on a client certificate, and its expiry in milliseconds since the epoch. */
export type PeerVerdict =
  | { readonly trusted: true; readonly peer: PeerCertificate; readonly until: number }
  | { readonly trusted: false; readonly because: string };

/**
 * Verifies client certificates against the authorities of a PEM bundle. Runtimes differ in the meaning of `authorized` and in the
 * certificates that their parsers accept, so only the sent bytes are used, by the rules of Go's `x509.Verify`; the runtimes verify
 * signatures. The returned function takes the chain that the client sent, its own certificate first.
 *
 * @throws if the bundle holds no certificate
 */
export function peerVerifier(bundle: string): (chain: readonly Uint8Array[], now: number) => PeerVerdict {
  const roots = poolOf(pemCertificates(bundle).map(parseCertificate));
  return (chain, now) => {
    try {
      const [leaf, ...sent] = chain.map(parseCertificate);
      if (leaf === undefined) return { trusted: false, because: "no certificate" };
      const problem = keyProblem(leaf, sent) ?? unusable(leaf, -1, now);
      if (problem !== undefined) return { trusted: false, because: `certificate ${problem}` };
      const { commonName, organizations, uids, notAfter, extendedKeyUsages } = factsOf(leaf);
      if (!forClients(extendedKeyUsages)) return { trusted: false, because: "certificate is not meant for clients" };
      const path = chainToRoot(leaf, poolOf(sent), roots, now);
      if (path === undefined) return { trusted: false, because: "certificate is signed by an expired or unknown authority" };
      const until = Math.min(...path.map((one) => one.notAfter));
      const fingerprint = createHash("sha256").update(leaf.bytes).digest("hex");
      return { trusted: true, until, peer: { commonName, organizations, uids, fingerprint, expires: notAfter } };
    } catch (error) {
      // Bytes that are no certificate: an error of the client, whatever the parser reports.
      return { trusted: false, because: `certificate cannot be read: ${reasonOf(error)}` };
    }
  };
}

/** Keys that Go's TLS rejects in a handshake. */
function keyProblem(leaf: Certificate, sent: readonly Certificate[]): string | undefined {
  const tooLong = ({ publicKey }: Certificate) => publicKey?.kind === "rsa" && publicKey.bits > rsaKeyBitsMax;
  if ([leaf, ...sent].some(tooLong)) return `has an RSA key of more than ${rsaKeyBitsMax} bits`;
  return leaf.publicKey?.kind === "rsa" && !isStrongRsa(leaf.publicKey) ? "has a weak RSA key" : undefined;
}
