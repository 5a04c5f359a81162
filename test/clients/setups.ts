/** A client's use of the real program, with each installed version of the client. */
import process from "node:process";
import { describe, it } from "node:test";
import { etcdMissing, startEtcd } from "../etcd.ts";
import { type RealServer, type Runtime, startRealServer, startSkipped } from "../real-server.ts";

export interface Setup {
  readonly runtime: Runtime;
  readonly store: "sqlite" | "etcd";
}
export const everySetup: readonly Setup[] = (["deno", "node"] as const).flatMap((runtime) =>
  (["sqlite", "etcd"] as const).map((store) => ({ runtime, store }))
);

/**
 * The reason to skip a setup, or false. Each suite runs its runtime over one store, so that both runtimes and both stores are covered once;
 * `npm run compatibility` runs every pair.
 */
function setupSkipped({ runtime, store }: Setup): string | false {
  const inSuite = store === (runtime === "deno" ? "sqlite" : "etcd");
  if (!inSuite && process.env.THOLE_RUNTIMES !== "all") return "npm run compatibility runs it";
  return startSkipped(runtime) || (store === "etcd" && etcdMissing());
}

/**
 * One suite per setup, named `TITLE on RUNTIME with STORE`, with one test per program, named by its path: scripts/compatibility.mjs parses
 * both.
 */
export function againstTheProgram(
  title: string,
  clients: { readonly paths: readonly string[]; readonly missing: string | false },
  setups: readonly Setup[],
  work: (path: string, server: RealServer) => Promise<void>,
  flags: readonly string[] = [],
): void {
  for (const { runtime, store } of setups) {
    const skip = clients.missing || setupSkipped({ runtime, store });
    describe(`${title} on ${runtime} with ${store}`, { skip }, () => {
      for (const path of clients.paths) {
        it(path, async () => {
          const etcd = store === "etcd" ? await startEtcd() : undefined;
          const server = await startRealServer({
            runtime,
            args: [...flags, ...etcd === undefined ? [] : [`--etcd-servers=${etcd.endpoint}`]],
          });
          try {
            await work(path, server);
          } finally {
            await server.close();
            await etcd?.stop();
          }
        });
      }
    });
  }
}
