/** Options of a server. */
import type { KeyedCertificate } from "../../protocols/x509/certificate.ts";
import type { ServerClock } from "../../core/async.ts";
import type { Plugin } from "../../core/plugin.ts";
import type { BeginProgress } from "../../core/progress.ts";
import type { ActiveConfig } from "../config/active-config.ts";
import type { Config } from "../config/settings.ts";
import type { StartHeavyThread } from "../heavy/requests.ts";
import type { Log } from "../../kernel/observe/log.ts";
import type { CacheContents } from "../../kernel/cache/mod.ts";
import type { Reads } from "../../kernel/reads/reads.ts";
import type { Store } from "../../kernel/store/store.ts";
import type { WorkerGroup } from "../workers/group.ts";
import type { OpenStoreOptions } from "./open-store.ts";
import type { SteadyClock } from "./steady-clock.ts";
import type { Source } from "./read-configuration.ts";

export interface ServeOptions {
  readonly config: Config;
  readonly plugins: readonly Plugin[];
  /** Both compiled, if a check of the settings has done it. */
  readonly active?: ActiveConfig;
  readonly log: Log;
  /** The source of config and plugins, to read them again while the server runs; absent if they never change. */
  readonly source?: Source;
  /** Shows the progress of long work. Default: in the log. */
  readonly progress?: BeginProgress;
  /** Given if the process is the server's own. */
  readonly process?: OwnProcess;
  /** Starts the thread for heavy requests, which must have the same plugins by name. Absent: they run in the main thread. */
  readonly startHeavy?: StartHeavyThread;
  /** The workers of which this server is one. Absent: it is the whole server. */
  readonly workers?: WorkerGroup;
  /** Resolves with the CA of the server's own serving certificate; undefined if a certificate is given. Absent: there is no listener. */
  readonly ownCa?: Promise<string | undefined>;
  /** Resolves with the server's own CA and its key. Absent: there is no listener. */
  readonly authority?: Promise<() => KeyedCertificate>;
  /** Parts in place of the server's own, for tests. */
  readonly instead?: InsteadParts;
}

/**
 * A process that has nothing but the server: its event loop and garbage collection are measured, the memory that only the start needed is freed,
 * and it ends when the listener fails.
 */
export interface OwnProcess {
  /** Resolves when all log lines are written. */
  readonly flushLog: () => Promise<void>;
  /** Writes the kubeconfig of a server in memory to a temporary folder; a program prints its path. */
  readonly temporaryKubeconfig?: boolean;
}

export interface InsteadParts {
  /** The reads of requests. Default: the cache. */
  readonly readsOver?: (store: Store) => Reads;
  /** The time for expiry. Default: that of `clock`, without jumps of the wall clock. */
  readonly steady?: SteadyClock;
  /** The time of the server: of objects, of their expiry, of tokens and of controllers. Default: the system's. */
  readonly clock?: ServerClock;
  /** Options of the embedded store. */
  readonly sqlite?: OpenStoreOptions["sqlite"];
  /** The embedded store with something around it. `faults` takes reports of its faults. */
  readonly storeOver?: OpenStoreOptions["over"];
  /** The contents with which the cache begins. The store has the same history, and the default objects of the server. */
  readonly begun?: CacheContents;
  /** When its controllers start, if the server goes on with the work of another one. */
  readonly mayStart?: Promise<void> | undefined;
}
