/** Opens the store of the settings. */
import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { etcdPlaces } from "../config/server-overrides.ts";
import type { Config } from "../config/settings.ts";
import type { Check } from "../../health/mod.ts";
import type { Log } from "../../kernel/observe/log.ts";
import type { KmsMeterOf } from "../encryption/open-encryption.ts";
import type { Catalog } from "../../kernel/catalog/catalog.ts";
import type { FollowedFiles } from "../../core/part.ts";
import { readKeyed, readText } from "../config/read-files.ts";
import type { Tls } from "../../protocols/grpc/session.ts";
import { isLocked, openFailure } from "../../kernel/store/sqlite/failures.ts";
import type { SqliteOptions } from "../../kernel/store/sqlite/sqlite.ts";
import { type Store, StoreError } from "../../kernel/store/store.ts";
import type { Faults } from "../../kernel/store/fault.ts";
import { isInMemory } from "../config/in-memory.ts";
import type { InUse } from "./certificate-validity.ts";
import { liveRoutes, routedStore } from "./routed-store.ts";
import { valueText } from "../../core/value-text.ts";

/** A store with the files of its credentials. */
export interface OpenedStore {
  /** All stores as one. */
  readonly store: Store;
  /** The store of the settings, and those of the overrides, by number. */
  readonly parts: readonly [Store, ...Store[]];
  readonly followed: readonly FollowedFiles[];
  /** Checks of health beside those of the store. */
  readonly checks: readonly Check[];
  /** The active certificates for etcd. */
  inUse(): readonly InUse[];
}

export interface OpenStoreOptions {
  /** Reports faults of the store. */
  readonly faults: Faults;
  /** The kinds of the plugins, by which the keys of encrypted resources and of those in other etcds are known. */
  readonly catalog: () => Catalog;
  readonly log: Log;
  /** Meters of KMS plugins. Default: none. */
  readonly kmsMeterOf?: KmsMeterOf;
  /** Options of the embedded store, for tests. */
  readonly sqlite?: Omit<SqliteOptions, "faults">;
  /** Returns the embedded store with something around it, for tests. */
  readonly over?: ((store: Store, faults: Faults) => Store) | undefined;
}

/**
 * Opens etcd if servers are configured, else the embedded store in memory or in the data folder, which must exist. Values of the resources that
 * the settings name are encrypted in it.
 */
export async function openStore(config: Config, options: OpenStoreOptions): Promise<OpenedStore> {
  const path = config["encryption-provider-config"];
  if (path === "") return await openPlainStore(config, options);
  const { openEncryption } = await import("../encryption/open-encryption.ts");
  const { encryptingStore } = await import("../encryption/encrypting-store.ts");
  const { catalog, log, kmsMeterOf } = options;
  const { encryption, followed, check, close } = await openEncryption(path, {
    prefix: config["etcd-prefix"],
    catalog: catalog(),
    log,
    ...(kmsMeterOf === undefined ? {} : { meterOf: kmsMeterOf }),
  });
  const opened = await openPlainStore(config, options).catch((error) => {
    close();
    throw error;
  });
  const [first, ...others] = opened.parts.map((store) => encryptingStore(store, encryption));
  const parts = [first!, ...others] as const, store = routed(config, catalog, parts);
  return {
    ...opened,
    store: { ...store, close: () => store.close().finally(close) },
    parts,
    followed: [...opened.followed, followed],
    checks: [check],
  };
}

/** The kinds whose keys may be in another etcd than that of --etcd-servers. */
export type StoredKinds = () => Pick<Catalog, "stored">;

/** As `openStore`, with values as they are stored. */
export async function openPlainStore(
  config: Config,
  { faults, sqlite, over, catalog }: Pick<OpenStoreOptions, "faults" | "sqlite" | "over"> & { readonly catalog: StoredKinds },
): Promise<OpenedStore> {
  // Only the store in use is loaded, to save memory.
  if (config["etcd-servers"].length === 0) {
    const own = await openEmbedded(config, { ...sqlite, faults }), store = over?.(own, faults) ?? own;
    return { store, parts: [store], followed: [], checks: [], inUse: () => [] };
  }
  const { openEtcd } = await import("../../kernel/store/etcd/etcd.ts");
  const { tls, ...credentials } = await etcdCredentials(config);
  const [servers = [], ...more] = etcdPlaces(config).servers;
  const open = (endpoints: readonly string[]) => openEtcd({ endpoints, ...(tls === undefined ? {} : { tls }), faults });
  const first = await open(servers), parts: [Store, ...Store[]] = [first];
  try {
    for (const endpoints of more) parts.push(await open(endpoints));
  } catch (error) {
    await Promise.all(parts.map((store) => store.close()));
    throw error;
  }
  return { store: routed(config, catalog, parts), parts, checks: [], ...credentials };
}

function routed(config: Config, catalog: StoredKinds, parts: OpenedStore["parts"]): Store {
  return parts.length === 1 ? parts[0] : routedStore(parts, liveRoutes(etcdPlaces(config), config["etcd-prefix"], catalog));
}

/** The credentials for all etcds, as they are in their files now. */
async function etcdCredentials(
  config: Config,
): Promise<Pick<OpenedStore, "followed" | "inUse"> & { readonly tls: (() => Tls) | undefined }> {
  const paths = [config["etcd-cafile"], config["etcd-certfile"], config["etcd-keyfile"]].filter((path) => path !== "");
  if (paths.length === 0) return { tls: undefined, followed: [], inUse: () => [] };
  let tls = await readTls(config);
  const renew = async () => {
    const next = await readTls(config);
    if (valueText(next) === valueText(tls)) return undefined;
    tls = next;
    return { from: "the next connection on" };
  };
  const inUse = () =>
    ([["client certificate for etcd", "etcd-certfile", tls.cert, false], ["authorities of etcd", "etcd-cafile", tls.ca, true]] as const)
      .flatMap(([what, flag, pem, anyWillDo]) => typeof pem === "string" ? [{ what, path: config[flag], pem, anyWillDo }] : []);
  return { tls: () => tls, followed: [{ what: "client certificate for etcd", paths, renew }], inUse };
}

/** Rejects for files without the expected content. */
export async function readTls(config: Config): Promise<Tls> {
  const { "etcd-cafile": caPath, "etcd-certfile": certPath, "etcd-keyfile": keyPath } = config;
  const authority = caPath === "" ? {} : { ca: await readText(caPath, "authorities of etcd") };
  return certPath === "" ? authority : { ...authority, ...await readKeyed(certPath, keyPath, "client certificate for etcd") };
}

/** Opens the store in memory, or that in the data folder. Creates its file with access for its owner only, because it contains secrets; sqlite uses its mode for its other files. */
async function openEmbedded(config: Config, options: SqliteOptions): Promise<Store> {
  const { openSqlite } = await import("../../kernel/store/sqlite/sqlite.ts");
  if (isInMemory(config)) return await openSqlite(":memory:", options);
  const path = join(config["data-dir"], "store.sqlite");
  if (!existsSync(path)) await openOnce(path);
  try {
    return await openSqlite(path, options);
  } catch (error) {
    // The system's error says more than sqlite's.
    if (!isLocked(error)) await openOnce(path);
    throw error;
  }
}

/** Not for a file that this process has open as a store: closing it ends sqlite's lock. */
async function openOnce(path: string): Promise<void> {
  try {
    await (await open(path, "a", 0o600)).close();
  } catch (error) {
    throw new StoreError("unavailable", `Cannot open the store file "${path}": ${openFailure(error, undefined)}`, { cause: error });
  }
}
