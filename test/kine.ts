/** kine, a store behind etcd's API on SQL databases. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./ports.ts";
import { programs } from "./programs.ts";
import { startCommand } from "./real-server.ts";

export interface Kine {
  readonly endpoint: string;
  stop(): Promise<void>;
}

const [program] = programs("kine");
/** Why kine cannot be started, or false. */
export const kineMissing: string | false = program === undefined && "no kine on PATH";

/** Starts kine on a database, such as `sqlite:///tmp/a.db`; it keeps so many revisions whatever is compacted. */
export async function startKine(database: string, kept = 1_000): Promise<Kine> {
  const folder = await mkdtemp(join(tmpdir(), "thole-kine-")), port = await freePort();
  const flags = ["--endpoint", database, "--listen-address", `tcp://127.0.0.1:${port}`, "--metrics-bind-address", "0"];
  const kine = await startCommand([program!, ...flags, "--compact-min-retain", String(kept)], { cwd: folder });
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async stop() {
      kine.signal("SIGTERM");
      await kine.exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
