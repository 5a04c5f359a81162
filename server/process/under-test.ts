/** A server under test in place of the usual one (`--test-control`). What opens it is given by `main.ts`: `server/` does not know of tests. */
import type { Plugin } from "../../core/plugin.ts";
import type { Log } from "../../kernel/observe/log.ts";
import type { ActiveConfig } from "../config/active-config.ts";
import type { Config } from "../config/settings.ts";

/** Settings and plugins, read and compiled. */
interface Configured {
  readonly config: Config;
  readonly plugins: readonly Plugin[];
  readonly active: ActiveConfig;
}

/** A server that listens, and whose control is served. */
export interface ServedUnderTest {
  /** `https://127.0.0.1:40123`. The control is below `/test/`. */
  readonly url: string;
  readonly kubeconfigText: string;
  /** The secret of requests to the control. */
  readonly token: string;
  close(): Promise<void>;
}

/** Opens a server under test. Rejects if it cannot start. */
export type UnderTest = (configured: Configured, log: Log) => Promise<ServedUnderTest>;
