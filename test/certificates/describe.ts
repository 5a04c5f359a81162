/** The shared keys, names and authorities of the corpus. */
import { readFileSync } from "node:fs";
import { basicConstraints, build, type Description, extendedKeyUsage, Key, keyUsage, name, usage } from "./build.ts";

/** One verification: the trusted authorities, and the certificates of the client, its own first. */
export interface Case {
  readonly name: string;
  readonly roots: readonly Uint8Array[];
  readonly chain: readonly Uint8Array[];
}

// `as`: our own file; a wrong shape fails the test.
const { keys } = JSON.parse(readFileSync(new URL("test-keys.json", import.meta.url), "utf8")) as { keys: Record<string, string> };
const known = new Map<string, Key>();
export function key(of: string): Key {
  let one = known.get(of);
  if (one === undefined) known.set(of, one = new Key(keys[of]!));
  return one;
}

export const rootName: Uint8Array = name("test root");
export const middleName: Uint8Array = name("test middle");
export const lowerName: Uint8Array = name("test lower");

export const authority = (more: Partial<Description> = {}): Uint8Array =>
  build({
    subject: rootName,
    issuer: rootName,
    key: key("root"),
    signer: key("root"),
    extensions: [basicConstraints(true), keyUsage(1, 0x06)],
    ...more,
  });
export const root: Uint8Array = authority();
/** Signed by the root. */
export const middle = (more: Partial<Description> = {}): Uint8Array => authority({ subject: middleName, key: key("middle"), ...more });
/** Signed by the intermediate. */
export const lower = (more: Partial<Description> = {}): Uint8Array =>
  authority({ subject: lowerName, issuer: middleName, key: key("lower"), signer: key("middle"), ...more });
/** Signed by the root. */
export const leaf = (more: Partial<Description> = {}): Uint8Array =>
  build({
    subject: name("alice", "team"),
    issuer: rootName,
    key: key("leaf"),
    signer: key("root"),
    extensions: [basicConstraints(false), extendedKeyUsage(usage.client)],
    ...more,
  });
/** Signed by the intermediate. */
export const below = (more: Partial<Description> = {}): Uint8Array => leaf({ issuer: middleName, signer: key("middle"), ...more });

/** A leaf that the root signed. */
export const one = (what: string, more: Partial<Description>): Case => ({ name: what, roots: [root], chain: [leaf(more)] });
export const chain = (what: string, ...certificates: Uint8Array[]): Case => ({ name: what, roots: [root], chain: certificates });
/** A leaf with one extension more. */
export const extended = (what: string, ...extensions: Uint8Array[]): Case =>
  one(what, { extensions: [basicConstraints(false), ...extensions] });
