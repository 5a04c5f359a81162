/** Keys and objects for tests of tokens of service accounts. */
import { CompactSign } from "jose";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { defaults } from "../../server/config/settings.ts";
import { partInspection } from "../../server/startup/part-context.ts";
import { type KeySet, keySet, newSigningKey, type SigningKey, signingKey } from "../../plugins/authentication/service-accounts/keys.ts";
import type { FoundObject, LookUpObject } from "../../core/authentication.ts";

export const issuer = "https://kubernetes.default.svc";
export const account = { name: "robot", uid: "u-robot" };
export const namespace = "demo";
/** 2026-01-02T03:04:05Z, in milliseconds. */
export const now = 1_767_323_045_000;

/** Generated once for all tests of a file, because generating an RSA key takes a while. */
export const testKey: Promise<SigningKey> = newSigningKey().then(signingKey);
export const testKeys: Promise<KeySet> = testKey.then((key) => keySet(key, []));

/** An ECDSA key. */
export async function ecKey(namedCurve: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve }, true, ["sign", "verify"]);
  const [pkcs8, spki] = await Promise.all([crypto.subtle.exportKey("pkcs8", privateKey), crypto.subtle.exportKey("spki", publicKey)]);
  return await signingKey({ pkcs8: new Uint8Array(pkcs8), spki: new Uint8Array(spki) });
}

/** A token of this payload. `header` replaces members of the header. */
export async function signedToken(payload: object, { algorithm, id, privateKey }: SigningKey, header: object = {}): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(payload));
  return await new CompactSign(bytes).setProtectedHeader({ alg: algorithm, kid: id, ...header }).sign(privateKey);
}

/** Whether bytes are a certificate. */
export const { isCertificate } = partInspection(defaults, []).crypto;

/** Text or JSON in base64url. */
export function segment(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const bytes = new TextEncoder().encode(text);
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** An object of any kind, for `fakeLookup`. */
export function object(name: string, uid: string, more: object = {}, metadata: object = {}): ApiObject {
  return { kind: "Any", apiVersion: "v1", metadata: { name, namespace, uid, ...metadata }, ...more } as ApiObject;
}

/** Finds these objects, by `resource/namespace/name`. */
export function fakeLookup(objects: Readonly<Record<string, ApiObject>>): LookUpObject {
  return <T extends ApiObject>(resource: string, within: string, name: string) => {
    const found = objects[`${resource}/${within}/${name}`];
    return Promise.resolve(
      found === undefined
        ? undefined
        : { revision: 1, mentions: (text: string) => JSON.stringify(found).includes(text), object: found } as FoundObject<T>,
    );
  };
}
