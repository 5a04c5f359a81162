/** What a server is started with. */
import type { Plugin } from "../../core/plugin.ts";
import type { Config } from "../config/settings.ts";
import type { StartHeavyThread } from "../heavy/requests.ts";
import type { Log } from "../observe/log.ts";
import type { Reads } from "../reads/reads.ts";
import type { Store } from "../store/store.ts";
import type { OpenStoreOptions } from "./open-store.ts";
import type { Source } from "./read-configuration.ts";

export interface ServeOptions {
  readonly config: Config;
  readonly plugins: readonly Plugin[];
  readonly log: Log;
  /** Where config and plugins come from, to be asked again while the server runs; absent where they never change. */
  readonly source?: Source;
  /** Measures event loop and garbage collection too. Once per process. */
  readonly processMetrics?: boolean;
  /** Resolves once what was logged is written; absent where lines are written before the log goes on. */
  readonly flushLog?: () => Promise<void>;
  /** Starts the thread for heavy requests; it must know the same plugins by name. Absent: they run in this thread. */
  readonly startHeavy?: StartHeavyThread;
  /** How requests read; from the cache where absent. */
  readonly readsOver?: (store: Store) => Reads;
  /** Of the embedded store, for tests. */
  readonly sqlite?: OpenStoreOptions["sqlite"];
}
