/** Encryption of the store by the settings: the keys in their file, followed while the server runs. */
import type { FollowedFiles } from "../../core/part.ts";
import type { Catalog } from "../../kernel/catalog/catalog.ts";
import type { Config } from "../config/settings.ts";
import { readWholeTextSync } from "../../protocols/files/bounded-files.ts";
import { type EncryptionConfiguration, encryptionFileBytesMax, readEncryptionFile } from "./configuration.ts";
import type { Encryption } from "./encrypting-store.ts";

export interface OpenedEncryption {
  readonly encryption: Encryption;
  readonly followed: FollowedFiles;
}

/**
 * Reads the file and finds the resource of each key in the store.
 *
 * @param catalog the kinds of plugins; keys of other kinds are those of custom resources, `PREFIX/GROUP/PLURAL/...`
 * @throws ConfigError if the file cannot be used
 */
export function openEncryption(
  path: string,
  { prefix, catalog }: { readonly prefix: string; readonly catalog: Catalog },
): OpenedEncryption {
  let text = readWholeTextSync(path, encryptionFileBytesMax),
    current: EncryptionConfiguration = readEncryptionFile(path),
    hasChanged = false;
  const resourceOf = resources(prefix, catalog);
  return {
    encryption: {
      of(key) {
        const found = resourceOf(key);
        return found && current.transformerOf(found.group, found.resource);
      },
      get hasChanged() {
        return hasChanged;
      },
    },
    followed: {
      what: "encryption configuration",
      paths: [path],
      async renew() {
        const next = readWholeTextSync(path, encryptionFileBytesMax);
        if (next === text) return undefined;
        current = readEncryptionFile(path);
        [text, hasChanged] = [next, true];
        return { from: "the next write on" };
      },
    },
  };
}

/** Rejects for a file that cannot be used. */
export async function checkEncryption({ "encryption-provider-config": path }: Pick<Config, "encryption-provider-config">): Promise<void> {
  if (path !== "") await Promise.resolve(readEncryptionFile(path));
}

interface Resource {
  readonly group: string;
  readonly resource: string;
}

/** The resource of a key; undefined for keys that hold no objects. */
function resources(prefix: string, { stored }: Catalog): (key: string) => Resource | undefined {
  const known = new Map(stored.map(({ under, group, plural }): [string, Resource] => [under, { group, resource: plural }]));
  return (key) => {
    if (!key.startsWith(`${prefix}/`)) return undefined;
    const [first = "", second = "", third] = key.slice(prefix.length + 1).split("/", 3), both = `${first}/${second}`;
    const found = known.get(both) ?? known.get(first);
    if (found !== undefined) return found;
    return first.includes(".") && third !== undefined ? { group: first, resource: second } : undefined;
  };
}
