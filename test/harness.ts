/** A server in the test process, on a free port with a store in memory, for tests over HTTP. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StartHeavyThread } from "../server/heavy/requests.ts";
import { jsonLog, verbosityOf } from "../kernel/observe/log.ts";
import { readConfiguration } from "../server/startup/read-configuration.ts";
import { type Running, serve } from "../server/startup/serve.ts";
import type { ServeOptions } from "../server/startup/serve-options.ts";
import { plugins } from "../plugins/mod.ts";

export interface TestServer {
  readonly url: string;
  readonly port: number;
  /** PEM. */
  readonly ca: string;
  readonly tokens: { readonly admin: string; readonly alice: string };
  readonly running: Running;
  /** Lines that the server logged. */
  readonly logged: readonly string[];
  close(): Promise<void>;
}

/** `admin` is in system:masters, `alice` is authenticated and has no rights. */
export async function startTestServer(
  options: {
    readonly args?: readonly string[];
    readonly plugins?: typeof plugins;
    readonly instead?: ServeOptions["instead"];
    readonly ownsProcess?: boolean;
    readonly startHeavy?: StartHeavyThread;
  } = {},
): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), "thole-test-"));
  const tokens = { admin: crypto.randomUUID(), alice: crypto.randomUUID() };
  const file = join(folder, "tokens.csv");
  await writeFile(file, `${tokens.admin},admin,admin-uid,system:masters\n${tokens.alice},alice,2\n`, { mode: 0o600 });
  const args = ["--secure-port=0", "--data-dir=:memory:", `--token-auth-file=${file}`, ...options.args ?? []];
  const load = (specifier: string) => Promise.reject(new Error(`a test server loads no module, not even "${specifier}"`));
  const configuration = await readConfiguration(args, options.plugins ?? plugins, load);
  if (configuration === undefined) throw new Error("a test server gives no help");
  const logged: string[] = [];
  const { v, vmodule } = configuration.config;
  const log = jsonLog((line) => logged.push(line), Date.now, verbosityOf(v, vmodule, []));
  const { instead, startHeavy, ownsProcess = false } = options;
  const parts = {
    ...(instead === undefined ? {} : { instead }),
    ...(startHeavy === undefined ? {} : { startHeavy }),
    ...(ownsProcess ? { process: { flushLog: () => Promise.resolve() } } : {}),
  };
  const running = await serve({ ...configuration, log, ...parts });
  return {
    url: running.url,
    port: running.port,
    ca: running.ca!,
    tokens,
    running,
    logged,
    async close() {
      await running.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
