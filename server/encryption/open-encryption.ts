/** Encryption of the store by the settings: the keys in their file, followed while the server runs. */
import type { FollowedFiles } from "../../core/part.ts";
import type { Catalog } from "../../kernel/catalog/catalog.ts";
import { namesWithoutKind, readEncryptionFile } from "./configuration.ts";
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
  let current = readEncryptionFile(path), replacing = new AbortController();
  const resourceOf = resources(prefix, catalog);
  return {
    encryption: {
      of(key) {
        const found = resourceOf(key);
        return found && current.configuration.transformerOf(found.group, found.resource);
      },
      get replaced() {
        return replacing.signal;
      },
    },
    followed: {
      what: "encryption configuration",
      paths: [path],
      async renew() {
        const next = readEncryptionFile(path);
        if (next.text === current.text) return undefined;
        const before = replacing;
        [current, replacing] = [next, new AbortController()];
        before.abort();
        return { from: "the next write on" };
      },
    },
  };
}

interface Resource {
  readonly group: string;
  readonly resource: string;
}

/** The resource of a key; undefined for keys whose values are never encrypted. */
function resources(prefix: string, { stored }: Catalog): (key: string) => Resource | undefined {
  const known = new Map(stored.map(({ under, group, plural }): [string, Resource] => [under, { group, resource: plural }]));
  return (key) => {
    if (!key.startsWith(`${prefix}/`)) return undefined;
    const [first = "", second = "", third] = key.slice(prefix.length + 1).split("/", 3), both = `${first}/${second}`;
    const found = known.get(both) ?? known.get(first);
    if (found !== undefined) return found;
    const inner = namesWithoutKind.get(both) ?? namesWithoutKind.get(first);
    if (inner !== undefined) return { group: "", resource: inner };
    return first.includes(".") && third !== undefined ? { group: first, resource: second } : undefined;
  };
}
