/** The keys of service account tokens: given in files, or the server's own; reloaded when the files change. */
import { base64Of } from "../../../core/scalars/base64.ts";
import {
  type CheckedSetting,
  type FollowedFiles,
  type PartContext,
  type PartInspection,
  type SettingOf,
  settingsOf,
} from "../../../core/part.ts";
import { reasonOf } from "../../../core/reason-of.ts";
import { type KeySet, keySet, newSigningKey, type SigningKey, signingKey, type VerifyingKey, verifyingKey } from "./keys.ts";

export interface TokenKeys {
  /** The active keys. The server's own key is created on first use, or at once if it is stored in a file. */
  keys(): Promise<KeySet>;
  readonly followed: readonly FollowedFiles[];
  /** Resolves when no key is being created. */
  ended(): Promise<void>;
}

const flags = Object.freeze({ "service-account-signing-key-file": "string", "service-account-key-file": "list" });

/** The file of the server's own key, in its data folder. */
const ownKeyFile = "service-account.key";

/** Reads the keys of one server. */
interface KeyFiles {
  readonly files: PartContext["files"];
  readonly crypto: PartContext["crypto"];
}

/** Rejects for given files without keys. */
export async function openTokenKeys(
  { setting, files, crypto, logError }: KeyFiles & { readonly setting: SettingOf; readonly logError: PartContext["logError"] },
): Promise<TokenKeys> {
  const { "service-account-signing-key-file": given, "service-account-key-file": others } = settingsOf(setting, flags);
  const isGiven = given !== "", path = isGiven ? given : files.inDataFolder(ownKeyFile), by: KeyFiles = { files, crypto };
  let verifying = await readVerifyingKeys(others, by);
  let signing: Promise<SigningKey> | undefined = isGiven ? Promise.resolve(await readSigningKey(given, by)) : undefined;
  let inForce:
    | { readonly of: Promise<SigningKey>; readonly verifying: readonly VerifyingKey[]; readonly keys: Promise<KeySet> }
    | undefined;

  function keys(): Promise<KeySet> {
    const of = signing ??= ownKey(path, by);
    if (inForce?.of !== of || inForce.verifying !== verifying) {
      const known = verifying;
      inForce = { of, verifying: known, keys: of.then((key) => keySet(key, known)) };
      // After a failure the next request creates the key.
      of.catch(() => signing === of ? signing = undefined : undefined);
    }
    return inForce.keys;
  }
  // Creating a key takes a while: the first request for a token should not wait for it.
  if (path !== undefined && !isGiven) {
    keys().catch((error: unknown) => logError("cannot create the key of service account tokens", { error: reasonOf(error) }));
  }
  const signer: FollowedFiles = {
    what: "signing key of service account tokens",
    paths: path === undefined ? [] : [path],
    async renew() {
      // A key that is being created has no file yet.
      const before = await signing?.catch(() => undefined), next = await readSigningKey(path!, by);
      if (before?.id === next.id) return undefined;
      signing = Promise.resolve(next);
      return { kid: next.id };
    },
  };
  const verifiers: FollowedFiles = {
    what: "verifying keys of service account tokens",
    paths: others,
    async renew() {
      const next = await readVerifyingKeys(others, by);
      if (next.map(({ id }) => id).join() === verifying.map(({ id }) => id).join()) return undefined;
      verifying = next;
      return { kids: next.map(({ id }) => id) };
    },
  };
  return {
    keys,
    followed: [...(path === undefined ? [] : [signer]), ...(others.length === 0 ? [] : [verifiers])],
    ended: async () => void await signing?.catch(() => {}),
  };
}

/** Reads the given files without activating them. Each promise rejects for a file without a key. */
export function checkTokenKeys({ setting, ...by }: PartInspection): readonly CheckedSetting[] {
  const { "service-account-signing-key-file": path, "service-account-key-file": others } = settingsOf(setting, flags);
  return [
    ...(path === "" ? [] : [["service-account-signing-key-file", readSigningKey(path, by)] as const]),
    ...others.map((each) => ["service-account-key-file", readVerifyingKeys([each], by)] as const),
  ];
}

/** The server's own key: from its file, or created and written there. */
async function ownKey(path: string | undefined, by: KeyFiles): Promise<SigningKey> {
  if (path === undefined) {
    const make = async () => await signingKey(await newSigningKey());
    return await (by.files.inMemory?.(ownKeyFile, make) ?? make());
  }
  const known = await by.files.readText(path, "key").catch(() => undefined); // Before the first start the file does not exist.
  if (known === undefined) {
    const { pkcs8 } = await newSigningKey();
    await by.files.writePrivate(path, privateKeyPem(pkcs8));
  }
  // Two servers that start in one folder at the same time both use the file that was written last.
  return await readSigningKey(path, by);
}

type Reading = { readonly files: Pick<PartContext["files"], "readText">; readonly crypto: PartContext["crypto"] };

async function readSigningKey(path: string, { files, crypto }: Reading): Promise<SigningKey> {
  const text = await files.readText(path, "signing key of service account tokens");
  const found = crypto.keysIn(text).find(({ pkcs8 }) => pkcs8 !== undefined);
  if (found === undefined) {
    throw new Error(`error reading private key file ${path}: data does not contain a valid RSA or ECDSA private key`);
  }
  try {
    return await signingKey(found);
  } catch (error) {
    throw new Error(`error reading private key file ${path}: ${reasonOf(error)}`);
  }
}

async function readVerifyingKeys(paths: readonly string[], { files, crypto }: Reading): Promise<readonly VerifyingKey[]> {
  const found = await Promise.all(paths.map(async (path) => {
    const text = await files.readText(path, "verifying keys of service account tokens");
    // A type that cannot sign tokens is left out, as upstream tolerates.
    const keys = await Promise.all(crypto.keysIn(text).map((key) => verifyingKey(key).catch(() => undefined)));
    const usable = keys.filter((key) => key !== undefined);
    if (usable.length > 0) return usable;
    throw new Error(`error reading public key file ${path}: data does not contain any valid RSA or ECDSA public keys`);
  }));
  return found.flat();
}

function privateKeyPem(pkcs8: Uint8Array): string {
  const lines = base64Of(pkcs8).match(/.{1,64}/g) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join("\n")}\n-----END PRIVATE KEY-----\n`;
}
