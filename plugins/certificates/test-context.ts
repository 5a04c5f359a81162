/** A hook context, keys and certificate requests for the tests of the family. */
import { generateKeyPairSync, sign } from "node:crypto";
import { type FieldError, fieldErrorText } from "../../core/field-error.ts";
import { defaultNames } from "../../core/names.ts";
import type { HookContext } from "../../core/hook-context.ts";
import { noMetric } from "../../core/test-context.ts";
import { der, derOid, derTag } from "../../protocols/x509/der.ts";

export const now = "2024-01-02T03:04:05Z";

export function hookContext(subresource = ""): HookContext {
  return {
    names: defaultNames,
    gates: () => true,
    now,
    subresource,
    requestVersion: "certificates.k8s.io/v1",
    minCompatibility: "1.35",
    caller: { name: "alice", uid: "u", groups: ["a", "b"], extra: { scopes: ["x"] } },
    metric: noMetric,
  };
}

export const texts = (errors: readonly FieldError[] | undefined): readonly string[] | undefined => errors?.map(fieldErrorText);

const seq = (...parts: Uint8Array[]) => der(derTag.sequence, ...parts);

/** The base64 of a PEM certificate request with a new key, for a subject of this organization. */
export function requestFor(organization: string, type = "CERTIFICATE REQUEST"): string {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const name = der(derTag.set, seq(derOid("2.5.4.10"), der(derTag.utf8String, new TextEncoder().encode(organization))));
  const key = new Uint8Array(publicKey.export({ type: "spki", format: "der" }));
  const signed = seq(der(derTag.integer, Uint8Array.of(0)), seq(name), key, der(0xa0));
  const signature = der(derTag.bitString, Uint8Array.of(0), new Uint8Array(sign(null, signed, privateKey)));
  const bytes = seq(signed, seq(derOid("1.3.101.112")), signature);
  return base64Of(pemOf(type, bytes));
}

export function pemOf(type: string, bytes: Uint8Array): string {
  return `-----BEGIN ${type}-----\n${Buffer.from(bytes).toString("base64")}\n-----END ${type}-----\n`;
}
export const base64Of = (text: string): string => Buffer.from(text, "latin1").toString("base64");
