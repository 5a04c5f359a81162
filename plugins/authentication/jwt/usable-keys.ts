import type { JSONWebKeySet, JWK } from "jose";
import { bound } from "../../../core/bound.ts";
import { rsaKeyBitsMax } from "../../../core/bounds.ts";

/** Keys of one issuer's set of keys. */
export const keysOfSetMax = bound(100);

/** The public keys of a set that may verify tokens, without symmetric keys and RSA keys of extreme size. */
export function usableKeys(value: Readonly<Record<string, unknown>>): JSONWebKeySet {
  const { keys } = value;
  if (!Array.isArray(keys)) throw new Error("oidc: the key set has no keys");
  if (keys.length > keysOfSetMax) throw new Error(`oidc: the key set has ${keys.length} keys, more than ${keysOfSetMax}`);
  return { keys: keys.filter(isUsable) };
}

function isUsable(key: unknown): key is JWK {
  if (typeof key !== "object" || key === null) return false;
  const { kty, n = "", d } = key as JWK; // Every member is checked before use.
  if (d !== undefined) return false;
  return kty === "EC" || (kty === "RSA" && typeof n === "string" && n.length * 6 <= rsaKeyBitsMax + 12);
}
