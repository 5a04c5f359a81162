/** Opens what `thole verify`, `thole history`, `thole import` and `thole advise` read: the store of the settings, or that of another server. */
import { existsSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import type { Progress } from "../../core/progress.ts";
import { readEncryptionFile, type ReadOptions } from "../../server/encryption/configuration.ts";
import { ConfigError } from "../../server/config/parse.ts";
import { readKeyed, readText } from "../../server/config/read-files.ts";
import { etcdPlaces } from "../../server/config/server-overrides.ts";
import type { Config } from "../../server/config/settings.ts";
import type { Catalog } from "../../kernel/catalog/catalog.ts";
import { routesOf } from "../../server/startup/routed-store.ts";
import { fileSource, joinedSource, liveSource, type Source, type SourceOptions } from "./source.ts";
import { openSnapshot } from "./etcd-files/etcd-files.ts";
import type { Store } from "../../kernel/store/store.ts";
import { noFaults } from "../../kernel/store/fault.ts";
import { copyInUse } from "./copy-in-use.ts";
import { isLocked } from "../../kernel/store/sqlite/failures.ts";
import { openPlainStore } from "../../server/startup/open-store.ts";
import { isInMemory } from "../../server/config/in-memory.ts";

/** Values of the flags of another server's store, by name (`sourceFlags`). */
export type SourceFlags = ReadonlyMap<string, string>;

/** The flags of which one selects a source. */
const selecting = ["from-snapshot", "from-etcd-servers"] as const;

/** Returns the mistakes in the flags of a source. `isNeeded`: whether one must be selected. */
export function sourceMistakes(flags: SourceFlags, isNeeded: boolean): readonly string[] {
  const chosen = selecting.filter((name) => flags.has(name)), shown = selecting.map((name) => `--${name}`);
  const mistakes: string[] = [];
  if (chosen.length > 1) mistakes.push(`only one of ${shown.join(", ")} can be given`);
  if (chosen.length === 0 && isNeeded) mistakes.push(`one of ${shown.join(", ")} is needed`);
  if (chosen.length === 0 && !isNeeded) {
    for (const name of flags.keys()) {
      if (name.startsWith("from-") || name === "skip-hash-check") {
        mistakes.push(`flag "--${name}" needs one of ${shown.join(", ")}`);
      }
    }
  }
  if (flags.has("skip-hash-check") && !flags.has("from-snapshot") && chosen.length > 0) {
    mistakes.push('flag "--skip-hash-check" is for --from-snapshot');
  }
  if (flags.has("from-etcd-certfile") !== flags.has("from-etcd-keyfile")) {
    mistakes.push('flags "--from-etcd-certfile" and "--from-etcd-keyfile" need each other');
  }
  return mistakes;
}

export const selectsSource = (flags: SourceFlags): boolean => selecting.some((name) => flags.has(name));

/** Opens the store of another server. Rejects with an EtcdFileError, a StoreError or a ConfigError. */
export async function openOtherSource(flags: SourceFlags, progress?: Progress): Promise<Source> {
  const prefix = sourcePrefix(flags),
    options = { prefix, ...await keysOf(flags.get("from-encryption-provider-config"), { onlyReads: true }) };
  const snapshot = flags.get("from-snapshot");
  const files = { prefix: `${prefix}/`, skipHashCheck: flags.has("skip-hash-check"), ...(progress === undefined ? {} : { progress }) };
  if (snapshot !== undefined) return fileSource(await openSnapshot(snapshot, files), options);
  const { openEtcd } = await import("../../kernel/store/etcd/etcd.ts");
  const endpoints = (flags.get("from-etcd-servers") ?? "").split(",").filter((each) => each !== "");
  const tls = await tlsOf(flags);
  return await liveSource(await openEtcd({ endpoints, faults: noFaults, ...(tls === undefined ? {} : { tls: () => tls }) }), options);
}

/** Returns the beginning of the keys of the other server, without a slash at its end. */
export function sourcePrefix(flags: SourceFlags): string {
  const prefix = flags.get("from-etcd-prefix") ?? "/registry";
  const whole = prefix.startsWith("/") ? prefix : `/${prefix}`;
  return whole.endsWith("/") ? whole.slice(0, -1) : whole;
}

async function tlsOf(flags: SourceFlags) {
  const ca = flags.get("from-etcd-cafile"), cert = flags.get("from-etcd-certfile"), key = flags.get("from-etcd-keyfile");
  if (ca === undefined && cert === undefined) return undefined;
  const authority = ca === undefined ? {} : { ca: await readText(ca, "authorities of the etcd to read") };
  return cert === undefined || key === undefined
    ? authority
    : { ...authority, ...await readKeyed(cert, key, "client certificate for the etcd to read") };
}

/** Returns the keys of a file, which may be those of KMS plugins; none for no file. */
async function keysOf(path: string | undefined, options?: ReadOptions): Promise<Partial<Pick<SourceOptions, "keys" | "closeKeys">>> {
  if (path === undefined || path === "") return {};
  const { all, kms } = (await readEncryptionFile(path, options)).configuration;
  return { keys: all, closeKeys: () => kms.forEach((each) => each.close()) };
}

/** The stores of the settings: the first one and those of the overrides. Nothing is written to them. */
export interface OwnStores {
  readonly parts: readonly [Store, ...Store[]];
  readonly options: Pick<SourceOptions, "prefix" | "keys">;
  /** Closes all of them. */
  close(): Promise<void>;
}

/** Opens the store of the settings for reading. Of an embedded store that a server uses it reads a copy, which it removes at the end. */
export async function openOwnSource(config: Config, { stored }: Pick<Catalog, "stored">): Promise<Source> {
  return await sourceOfStores(config, await openOwnStores(config, { stored }), { stored });
}

/** The stores as one source. They are closed with it, and if it cannot be made. */
export async function sourceOfStores(config: Config, stores: OwnStores, { stored }: Pick<Catalog, "stored">): Promise<Source> {
  const { parts, options, close } = stores;
  try {
    const [first, ...others] = await Promise.all(parts.map((store) => liveSource({ list: store.list, close: async () => {} }, options)));
    return joinedSource([first!, ...others], routesOf(etcdPlaces(config), options.prefix, { stored }), close);
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens the stores of the settings for reading, as `openOwnSource`. */
export async function openOwnStores(config: Config, { stored }: Pick<Catalog, "stored">): Promise<OwnStores> {
  if (config["etcd-servers"].length === 0) {
    if (isInMemory(config)) throw new ConfigError(["a store in memory cannot be read by another process"]);
    // Opening would create it.
    if (!existsSync(join(config["data-dir"], "store.sqlite"))) {
      throw new ConfigError([`there is no store in "${config["data-dir"]}" (--data-dir)`]);
    }
  }
  const { closeKeys = () => {}, ...keys } = await keysOf(config["encryption-provider-config"]);
  try {
    const parts = await openParts(config, { stored });
    const close = async () => void await Promise.all(parts.map((store) => store.close())).finally(closeKeys);
    return { parts, options: { prefix: config["etcd-prefix"], ...keys }, close };
  } catch (error) {
    closeKeys();
    throw error;
  }
}

async function openParts(config: Config, { stored }: Pick<Catalog, "stored">): Promise<OwnStores["parts"]> {
  try {
    return (await openPlainStore(config, { faults: noFaults, catalog: () => ({ stored }) })).parts;
  } catch (error) {
    if (!isLocked(error)) throw error;
  }
  const { openSqlite } = await import("../../kernel/store/sqlite/sqlite.ts");
  const folder = await mkdtemp(join(config["data-dir"], "verify-"));
  const remove = removeAtEnd(folder);
  try {
    const copy = join(folder, "copy.sqlite");
    await copyInUse(join(config["data-dir"], "store.sqlite"), copy);
    const store = await openSqlite(copy, { engine: {} });
    return [{ ...store, close: () => store.close().finally(remove) }];
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Removes the folder when it is called, and before a signal ends the process. */
function removeAtEnd(folder: string): () => Promise<void> {
  const signals = { SIGINT: 130, SIGTERM: 143 } as const;
  const handlers = Object.entries(signals).map(([signal, code]) =>
    [signal, () => {
      rmSync(folder, { recursive: true, force: true });
      process.exit(code);
    }] as const
  );
  for (const [signal, handler] of handlers) process.on(signal, handler);
  return async () => {
    for (const [signal, handler] of handlers) process.off(signal, handler);
    await rm(folder, { recursive: true, force: true });
  };
}
