/**
 * What the first requests of a verb cost beside the 100,000th: CPU of the server, all threads, as users run it. Each verb has fresh processes on a store
 * with objects, so that no other verb has run its code.
 */
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Runtime } from "./children.ts";
import { openPackaged } from "./packaged.ts";
import { median } from "./percentile.ts";
import { threadsMs } from "./process.ts";
import { short } from "./report.ts";
import { filler, type LoadKind, templateOf } from "./requests.ts";
import { type Sender, senders } from "./sender.ts";
import { type ServerProgram, startServer } from "./server.ts";

export interface FirstOptions {
  readonly runtime: Runtime;
  /** Processes of each verb; the last requests are measured in one of them. */
  readonly rounds: number;
  /** Requests after which the last ones are measured. */
  readonly many: number;
  readonly isChosen: (name: string) => boolean;
  readonly tell: (line: string) => void;
}

const path = "/api/v1/namespaces/default/configmaps", token = "bench";
const verbs: readonly { readonly name: string; readonly kind: LoadKind; readonly path: string }[] = [
  { name: "get", kind: "get", path: `${path}/<object>` },
  { name: "create", kind: "create", path },
  { name: "update", kind: "update", path },
  { name: "merge patch", kind: "patch", path },
  { name: "apply", kind: "apply", path },
  { name: "page of 500", kind: "get", path: `${path}?limit=500` },
];
const objects = 1_000, connections = 4, underWay = 16;
/** Requests of each measured part: the first ones, those around the 100th, and the last ones. */
const firstCount = 50, hundredthCount = 100, lastCount = 1_000;
/** After a start, until the collection of its garbage, which comes some seconds after it. */
const restMs = 6_000;

/** Prints a table. Resolves with whether no request failed. */
export async function measureFirst({ runtime, rounds, many, isChosen, tell }: FirstOptions): Promise<boolean> {
  const packaged = await openPackaged(runtime), folder = await mkdtemp(join(tmpdir(), "thole-bench-"));
  tell(`| us of CPU for a request | 1 to 50 | 51 to 150 | the ${lastCount} after ${many.toLocaleString("en")} | 51 to 150 ÷ these |`);
  tell("|---|---|---|---|---|");
  let failures = 0;
  try {
    await writeFile(join(folder, "tokens.csv"), `${token},bench,1,system:masters\n`, { mode: 0o600 });
    const seeded = join(folder, "seeded"), copy = join(folder, "copy");
    await withServer(runtime, packaged.program, seeded, async ({ send }) => {
      failures += (await send("seed", path, objects)).failed;
    });
    for (const { name, kind, path } of verbs.filter(({ name }) => isChosen(name))) {
      const parts = { first: [] as number[], hundredth: [] as number[], last: [] as number[] };
      for (let round = 0; round < rounds; round++) {
        await cp(seeded, copy, { recursive: true });
        await withServer(runtime, packaged.program, copy, async ({ send }) => {
          const part = async (to: number[], count: number) => {
            const { us, failed } = await send(kind, path, count);
            to.push(us);
            failures += failed;
          };
          await part(parts.first, firstCount);
          await part(parts.hundredth, hundredthCount);
          if (round > 0) return;
          failures += (await send(kind, path, many - firstCount - hundredthCount)).failed;
          await part(parts.last, lastCount);
        });
        await rm(copy, { recursive: true });
      }
      const [first, hundredth, last] = [parts.first, parts.hundredth, parts.last].map(median) as [number, number, number];
      tell(`| ${name} | ${short(first)} | ${short(hundredth)} | ${short(last)} | ${(hundredth / last).toFixed(2)} |`);
    }
    return failures === 0;
  } finally {
    await packaged.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Used {
  /** CPU of the server for each request, in microseconds. */
  readonly us: number;
  readonly failed: number;
}
type Send = (kind: LoadKind, path: string, count: number) => Promise<Used>;

/** A fresh process on a folder of data beside the file of tokens, with open connections, until `use` has ended. */
async function withServer(
  runtime: Runtime,
  program: ServerProgram,
  data: string,
  use: (server: { readonly send: Send }) => Promise<void>,
): Promise<void> {
  const args = [`--data-dir=${data}`, `--token-auth-file=${join(data, "..", "tokens.csv")}`];
  const server = await startServer(runtime, args, undefined, undefined, program);
  try {
    const ca = join(data, "pki", "ca.crt"), open = await senders({ protocol: "h2", connections, port: server.port, ca, token });
    const clients = await Promise.all(Array.from({ length: underWay }, open));
    await setTimeout(restMs);
    let number = 0;
    await use({
      async send(kind, path, count) {
        const template = templateOf({ kind, path, run: "first" }), fill = filler(template, objects), before = threadsMs(server.pid);
        const end = number + count;
        let failed = 0;
        const run = async (client: Sender) => {
          while (number < end) {
            const { status } = await client.send({ ...template, ...fill(number++) });
            if (status >= 300) failed++;
          }
        };
        await Promise.all(clients.map(run));
        return { us: (threadsMs(server.pid) - before) * 1000 / count, failed };
      },
    });
    for (const client of clients) client.close();
  } finally {
    await server.stop();
  }
}
