/** Encryption of the store by the settings: the keys in their file, followed while the server runs, and their KMS plugins. */
import type { FollowedFiles } from "../../core/part.ts";
import type { Check } from "../../health/mod.ts";
import { pause } from "../../core/async.ts";
import { reasonOf } from "../../core/reason-of.ts";
import type { Catalog } from "../../kernel/catalog/catalog.ts";
import type { Log } from "../../kernel/observe/log.ts";
import { namesWithoutKind, readEncryptionFile, type ReadFile } from "./configuration.ts";
import type { Encryption } from "./encrypting-store.ts";
import { kmsPlugin } from "./kms/plugin.ts";
import { type KmsMeter, type KmsProvider, kmsProvider } from "./kms/provider.ts";
import type { KmsSettings } from "./kms/settings.ts";

export interface OpenedEncryption {
  readonly encryption: Encryption;
  readonly followed: FollowedFiles;
  /** `kms-providers`, with upstream's name: whether each KMS plugin works. */
  readonly check: Check;
  /** Ends the connections to KMS plugins. */
  close(): void;
}

/** Meters of the KMS provider of a name. */
export type KmsMeterOf = (name: string) => KmsMeter & { called(method: string, code: string, seconds: number): void };

export interface EncryptionNeeds {
  readonly prefix: string;
  /** The kinds of plugins; keys of other kinds are those of custom resources, `PREFIX/GROUP/PLURAL/...`. */
  readonly catalog: Catalog;
  readonly log: Log;
  readonly meterOf?: KmsMeterOf;
}

/** The keys of one reading of the file. */
interface Keys extends ReadFile {
  readonly ending: AbortController;
}

/**
 * Reads the file and finds the resource of each key in the store. A KMS plugin that does not work yet does not stop the start: values that need it
 * cannot be read or written until it does.
 *
 * @throws ConfigError if the file cannot be used
 */
export async function openEncryption(path: string, { prefix, catalog, log, meterOf }: EncryptionNeeds): Promise<OpenedEncryption> {
  let replacing = new AbortController();
  /** Whoever keeps values reads them again. */
  const replace = () => {
    const before = replacing;
    replacing = new AbortController();
    before.abort();
  };
  const kms = ({ name, endpoint, timeoutMs }: KmsSettings): KmsProvider => {
    const meter = meterOf?.(name);
    const plugin = kmsPlugin({ endpoint, timeoutMs, ...(meter === undefined ? {} : { called: meter.called }) });
    return kmsProvider({ name, timeoutMs, plugin, changed: replace, ...(meter === undefined ? {} : { meter }) });
  };
  const read = async (): Promise<Keys> => ({ ...await readEncryptionFile(path, { kms }), ending: new AbortController() });
  const follow = ({ configuration, ending: { signal } }: Keys) => {
    for (const each of configuration.kms) void each.follow(signal, logged(each.name, log));
  };
  let current = await read();
  await Promise.allSettled(current.configuration.kms.map((each) => each.check()));
  follow(current);
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
        const next = await read(), before = current;
        if (next.text === before.text) return end(next);
        try {
          await checkAll(next.configuration.kms);
        } catch (error) {
          end(next);
          throw error;
        }
        current = next;
        follow(next);
        replace();
        void pause(closedAfterMs(before), before.ending.signal).then(() => end(before));
        return { from: "the next write on" };
      },
    },
    check: { name: "kms-providers", check: () => checkAll(current.configuration.kms) },
    close: () => void end(current),
  };
}

function end({ configuration, ending }: Keys): undefined {
  ending.abort();
  for (const each of configuration.kms) each.close();
}

/** Calls that have begun end within their timeouts: a read that waits, and a Status with the key that it needs. */
function closedAfterMs({ configuration }: Keys): number {
  return configuration.kms.reduce((sum, { timeoutMs }) => sum + 2 * timeoutMs, 0);
}

async function checkAll(kms: readonly KmsProvider[]): Promise<void> {
  const results = await Promise.allSettled(kms.map((each) => each.check()));
  const reasons = results.flatMap((result) => result.status === "rejected" ? [reasonOf(result.reason)] : []);
  if (reasons.length > 0) throw new Error(reasons.join("; "));
}

function logged(name: string, log: Log): (reason: string | undefined) => void {
  return (reason) => {
    if (reason === undefined) log.info("the KMS provider works again", { name });
    else log.error("the KMS provider fails: its values are not written after three minutes", { name, error: reason });
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
