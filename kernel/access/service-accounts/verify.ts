/** Which tokens were signed by a key of the server, for one of its issuers. Objects are not looked at. */
import { compactVerify, errors } from "jose";
import { limits } from "../../../core/limits.ts";
import { TokenRefusal } from "../authentication/token-authenticator.ts";
import { type Claims, legacyIssuer, readClaims } from "./claims.ts";
import type { KeySet, VerifyingKey } from "./keys.ts";

/** A token whose signature is good. */
export interface VerifiedToken {
  readonly claims: Claims;
}

export interface VerifierNeeds {
  /** The keys in force. */
  readonly keys: () => Promise<KeySet>;
  /** Accepted issuers of tokens with a limited life. */
  readonly issuers: () => readonly string[];
  /** A keyed hash, so that no token stays in memory. */
  readonly hash: (token: string) => string;
}

/** A verified token; undefined for text that is no token of the server's issuers. Rejects with a `TokenRefusal` for a bad signature. */
export type VerifyToken = (token: string) => Promise<VerifiedToken | undefined>;

/** Upstream's words for every signature that is not good, whatever is wrong with it. */
const badSignature = "go-jose/go-jose: error in cryptographic primitive";

/**
 * Verifies signatures, and remembers good ones by the hash of the token: a client sends the same token with every request. Claims are
 * checked by the caller each time, because they depend on the time and on objects.
 */
export function tokenVerifier({ keys, issuers, hash }: VerifierNeeds): VerifyToken {
  const remembered = new Map<string, VerifiedToken>();
  let of: KeySet | undefined;
  return async (token) => {
    if (!isOfIssuer(token, issuers())) return undefined;
    const inForce = await keys();
    if (of !== inForce) remembered.clear(); // tokens of a key that is no longer there are not accepted
    of = inForce;
    const key = hash(token);
    const found = remembered.get(key);
    if (found !== undefined) return found;
    const verified = await verify(token, inForce);
    if (verified === undefined || of !== inForce || token.length > limits.rememberedTokenLengthMax) return verified;
    if (remembered.size >= limits.rememberedTokensMax) remembered.delete(remembered.keys().next().value!);
    remembered.set(key, verified);
    return verified;
  };
}

async function verify(token: string, { verifying }: KeySet): Promise<VerifiedToken | undefined> {
  const header = headerOf(token);
  if (header === undefined) return undefined;
  const candidates = header.kid === "" ? verifying : verifying.filter(({ id }) => id === header.kid);
  if (candidates.length === 0) throw new TokenRefusal("invalid signature, no keys found");
  for (const key of candidates) {
    const payload = await payloadSignedBy(key, token);
    if (payload === undefined) continue;
    const claims = readClaims(payload);
    if (claims === undefined) throw new TokenRefusal("service account token claims could not be validated");
    return { claims };
  }
  throw new TokenRefusal(badSignature);
}

/** The payload where the signature is good. The key alone decides the algorithm; keys and addresses in the header are never used. */
async function payloadSignedBy({ key, algorithm }: VerifyingKey, token: string): Promise<Json | undefined> {
  try {
    const { payload, protectedHeader } = await compactVerify(token, key, { algorithms: [algorithm] });
    return protectedHeader.crit === undefined ? parsed(new TextDecoder().decode(payload)) : undefined;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

type Json = Readonly<Record<string, unknown>>;

/** The segments of a compact token (RFC 7515, 7.1); undefined for other text, and for text that is too long to be looked at. */
function segmentsOf(token: string): readonly [header: string, payload: string, signature: string] | undefined {
  if (token.length > limits.tokenLengthMax) return undefined;
  const first = token.indexOf("."), last = token.lastIndexOf(".");
  if (first <= 0 || last === first || token.indexOf(".", first + 1) !== last) return undefined;
  return [token.slice(0, first), token.slice(first + 1, last), token.slice(last + 1)];
}

/** Whether text is a token that claims to be of one of these issuers. Nothing else of an unverified payload is used. */
function isOfIssuer(token: string, issuers: readonly string[]): boolean {
  const segments = segmentsOf(token);
  const issuer = segments && decoded(segments[1])?.["iss"];
  return typeof issuer === "string" && (issuer === legacyIssuer || issuers.includes(issuer));
}

/** The header; undefined for a malformed one, which makes the text no token. */
function headerOf(token: string): { readonly kid: string } | undefined {
  const [text = "", , signature = ""] = segmentsOf(token) ?? [];
  if (text.length > limits.tokenHeaderLengthMax || !alphabet.test(signature)) return undefined;
  const header = decoded(text);
  if (header === undefined) return undefined;
  const { alg, kid = "" } = header;
  return typeof alg === "string" && typeof kid === "string" ? { kid } : undefined;
}

const alphabet = /^[A-Za-z0-9_-]*$/;

/** The JSON object in a segment. */
function decoded(segment: string): Json | undefined {
  if (!alphabet.test(segment)) return undefined;
  try {
    const letters = atob(segment.replaceAll("-", "+").replaceAll("_", "/")), bytes = new Uint8Array(letters.length);
    for (let at = 0; at < bytes.length; at++) bytes[at] = letters.charCodeAt(at);
    return parsed(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined; // no base64, or no text: not a token
  }
}

function parsed(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value as Json : undefined; // an object
  } catch {
    return undefined; // no JSON: not a token
  }
}
