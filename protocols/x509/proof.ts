/** Signatures that prove the possession of a key: those of PodCertificateRequest. */
import { constants, verify } from "node:crypto";
import type { PublicKey } from "./public-key.ts";
import { isEcdsaSignature } from "./signature.ts";

/** Whether `signature` over `message` is by the key: Ed25519, ECDSA with SHA-256, or RSA-PSS with SHA-256 and a salt of any length. */
export function provesPossession(key: PublicKey, message: Uint8Array, signature: Uint8Array): boolean {
  if (key.kind === "dsa" || (key.kind === "ecdsa" && !isEcdsaSignature(signature))) return false;
  const hash = key.kind === "ed25519" ? null : "sha256";
  const options = key.kind === "rsa" ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO } : {};
  try {
    return verify(hash, message, { key: key.load(), ...options }, signature);
  } catch {
    return false; // a key that the runtime does not take
  }
}
