import { createHash } from "node:crypto";
import type { TLSSocket } from "node:tls";
import type { PeerCertificate } from "../../kernel/request/peer.ts";
import { type PeerVerdict, peerVerifier } from "./verify-peer.ts";
import { bound } from "../../core/bound.ts";
import { peerChainLengthMax } from "../../core/bounds.ts";

/** Client certificates with a cached verification result. */
const peerVerdictsMax = bound(1000);

/** The identity in a client certificate, and whether it is trusted. */
export interface PeerAnswer {
  readonly peer: PeerCertificate | undefined;
  /** Why a presented certificate is not trusted. */
  readonly refused: string | undefined;
  /** The certificate, if it was issued by the front proxy's authority. */
  readonly frontProxy?: PeerCertificate | undefined;
  /** Expiry of this result, in milliseconds since the epoch. */
  readonly until: number;
}

/** Reads and verifies the client certificate of a connection against a PEM bundle. Trusted verdicts are cached by fingerprint: a resumed
 *  TLS session presents the client's certificate again, but not the intermediates. */
export function peerReader(clientCa: string): (socket: TLSSocket, now: number) => PeerAnswer {
  const verify = peerVerifier(clientCa);
  const trusted = new Map<string, PeerVerdict & { trusted: true }>();
  return (socket, now) => {
    const chain = sentChain(socket);
    const [leaf] = chain;
    if (leaf === undefined) return { peer: undefined, refused: undefined, until: Infinity };
    const fingerprint = createHash("sha256").update(leaf).digest("hex");
    const known = trusted.get(fingerprint);
    const verdict = known !== undefined && now <= known.until ? known : verify(chain, now);
    if (!verdict.trusted) return { peer: undefined, refused: verdict.because, until: Infinity };
    if (known === undefined && trusted.size >= peerVerdictsMax) {
      const [oldest = ""] = trusted.keys();
      trusted.delete(oldest);
    }
    trusted.set(fingerprint, verdict);
    return { peer: verdict.peer, refused: undefined, until: verdict.until };
  };
}

/** The certificates that the client sent, its own first. Runtimes link each to its issuer, a root to itself. */
function sentChain(socket: TLSSocket): Uint8Array[] {
  const chain: Uint8Array[] = [];
  const seen = new Set<object>();
  // Without a certificate some runtimes return an empty object, others null.
  let link = socket.getPeerCertificate(true) as { raw?: Uint8Array; issuerCertificate?: typeof link } | null | undefined;
  while (link?.raw !== undefined && !seen.has(link) && seen.size < peerChainLengthMax) {
    seen.add(link);
    chain.push(link.raw);
    link = link.issuerCertificate;
  }
  return chain;
}
