/** Verifies that a token was signed by a key of the server, for one of its issuers. Does not look up objects. */
import { TokenRefusal } from "../../../core/token-authenticator.ts";
import { jose } from "../jose.ts";
import { type IsCertificate, segmentsOf, type TokenObject, tokenObject } from "../signed-token.ts";
import { type Claims, legacyIssuer, readClaims } from "./claims.ts";
import type { KeySet, VerifyingKey } from "./keys.ts";
import { mayBeToken, untrustedHeader, untrustedIssuer } from "./untrusted.ts";
import { bound } from "../../../core/bound.ts";

/** Service account tokens whose valid signature is cached. */
const rememberedTokensMax = bound(4096);
/** UTF-16 units of a service account token whose valid signature is cached. */
const rememberedTokenLengthMax = bound(8192);

export interface VerifierNeeds {
  /** The active keys. */
  readonly keys: () => Promise<KeySet>;
  /** Accepted issuers of tokens with an expiration. */
  readonly issuers: () => readonly string[];
  /** A keyed hash, so that no token stays in memory. */
  readonly hash: (token: string) => string;
  readonly isCertificate: IsCertificate;
}

/**
 * The claims of a token with a valid signature: the same value while the token is cached. Undefined for text that is not a token of the
 * server's issuers. Rejects with a `TokenRefusal` for an invalid signature.
 */
export type VerifyToken = (token: string) => Promise<Claims | undefined>;

/** Upstream's message for every invalid signature, for any reason. */
const badSignature = "go-jose/go-jose: error in cryptographic primitive";

/**
 * Verifies signatures, and caches valid ones by the hash of the token: a client sends the same token with every request. The caller checks
 * the claims each time, because they depend on the time and on objects.
 */
export function tokenVerifier({ keys, issuers, hash, isCertificate }: VerifierNeeds): VerifyToken {
  const remembered = new Map<string, Verified>();
  let of: KeySet | undefined;
  const isAccepted = (issuer: string) => issuer === legacyIssuer || issuers().includes(issuer);
  return async (token) => {
    const isShort = token.length <= rememberedTokenLengthMax && mayBeToken(token);
    const key = isShort ? hash(token) : "", found = isShort ? remembered.get(key) : undefined;
    if (found !== undefined && found.of === of && of === await keys()) return isAccepted(found.issuer) ? found.claims : undefined;
    const issuer = untrustedIssuer(token);
    if (issuer === undefined || !isAccepted(issuer)) return undefined;
    const inForce = await keys();
    if (of !== inForce) remembered.clear(); // Tokens of a removed key are rejected.
    of = inForce;
    const claims = await verify(token, inForce, isCertificate);
    if (claims === undefined || !isShort || of !== inForce) return claims;
    if (remembered.size >= rememberedTokensMax) remembered.delete(remembered.keys().next().value!);
    remembered.set(key, { issuer, claims, of });
    return claims;
  };
}

interface Verified {
  readonly issuer: string;
  readonly claims: Claims;
  readonly of: KeySet;
}

async function verify(token: string, { verifying }: KeySet, isCertificate: IsCertificate): Promise<Claims | undefined> {
  const header = untrustedHeader(token, isCertificate);
  if (header === undefined) return undefined;
  if (header.isExtended || segmentsOf(token) === undefined) throw new TokenRefusal(badSignature);
  const candidates = header.kid === "" ? verifying : verifying.filter(({ id }) => id === header.kid);
  if (candidates.length === 0) throw new TokenRefusal("invalid signature, no keys found");
  for (const key of candidates) {
    const payload = await payloadSignedBy(key, token);
    if (payload === undefined) continue;
    const claims = readClaims(payload);
    if (claims === undefined) throw new TokenRefusal("service account token claims could not be validated");
    return claims;
  }
  throw new TokenRefusal(badSignature);
}

/** The payload if the signature is valid. The key alone determines the algorithm; keys and addresses in the header are never used. */
async function payloadSignedBy({ key, algorithm }: VerifyingKey, token: string): Promise<TokenObject | undefined> {
  const { compactVerify, errors } = await jose();
  try {
    const { payload } = await compactVerify(token, key, { algorithms: [algorithm] });
    return tokenObject(payload);
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}
