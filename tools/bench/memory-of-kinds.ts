/** Memory for each stored byte, by kind: `npm run bench -- --memory --kinds`. Of the embedded store, whose own memory does not grow with the objects. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite } from "../../kernel/store/sqlite/sqlite.ts";
import type { Entry, Store } from "../../kernel/store/store.ts";
import type { Runtime } from "./children.ts";
import { definitionAt } from "./definition-models.ts";
import { type Client, clientOf, create, served } from "./definition-subject.ts";
import { configMap } from "./objects.ts";
import { pod } from "./pods.ts";
import { cpuMs, memoryMiB } from "./process.ts";
import { type BenchServer, startServer } from "./server.ts";

/** A server with many objects of one kind, less the same server with one of them. */
export interface KindMemory {
  readonly name: string;
  readonly objects: number;
  /** Bytes of one object in the store. */
  readonly storedBytes: number;
  /** Bytes of resident memory for each stored byte. */
  readonly times: number;
  /** CPU of the start for each object, in microseconds. */
  readonly cpuUs: number;
}

interface Kind {
  readonly name: string;
  readonly objects: number;
  /** Creates the object `firstName` as clients do. */
  readonly make: (client: Client) => Promise<void>;
}

const token = "bench", idleMs = 15_000, mebibyte = 1024 * 1024;
/** The names of all objects have this length. */
const firstName = "object-0000000", firstUid = /"uid":"([^"]{36})"/;
/** Number of objects that are written at once: they share a transaction. */
const atOnce = 512;

const configMaps = "/api/v1/namespaces/default/configmaps", pods = "/api/v1/namespaces/default/pods";
const kinds: readonly Kind[] = [
  { name: "ConfigMaps of 1 kB", objects: 200_000, make: (client) => send(client, "POST", configMaps, configMap(firstName, 0)) },
  {
    name: "Pods of 5 kB",
    objects: 50_000,
    async make(client) {
      await send(client, "POST", pods, pod(firstName, 0));
      await send(client, "PUT", `${pods}/${firstName}/status`, pod(firstName, 0));
    },
  },
  ...[0, 1].map((number): Kind => {
    const definition = definitionAt(number), { kind } = JSON.parse(definition.object) as { kind: string };
    return {
      name: `custom resources: ${kind}`,
      objects: 100_000,
      async make(client) {
        await create(client, definition);
        await served(client, definition.path, 200);
        await send(
          client,
          "POST",
          definition.path,
          definition.object.replace(/"metadata":{"name":"[^"]+"/, `"metadata":{"name":"${firstName}"`),
        );
      },
    };
  }),
];

/** Each kind in a store of its own. `share` of the objects, for a smoke run. */
export async function measureMemoryOfKinds(runtime: Runtime, share: number, tell: (memory: KindMemory) => void): Promise<void> {
  for (const kind of kinds) tell(await memoryOfKind(kind, runtime, share));
}

async function memoryOfKind({ name, objects: most, make }: Kind, runtime: Runtime, share: number): Promise<KindMemory> {
  const folder = await mkdtemp(join(tmpdir(), "thole-bench-")), objects = Math.ceil(most * share);
  const args = [`--data-dir=${folder}/data`, `--token-auth-file=${folder}/tokens.csv`];
  try {
    await writeFile(join(folder, "tokens.csv"), `${token},bench,1,system:masters\n`, { mode: 0o600 });
    const first = await startServer(runtime, args);
    await asClient(first, join(folder, "data", "pki", "ca.crt"), make).finally(() => first.stop());
    const before = await idle(runtime, args, share);
    const store = await openSqlite(join(folder, "data", "store.sqlite"));
    const storedBytes = await multiply(store, objects).finally(() => store.close());
    const after = await idle(runtime, args, share);
    return {
      ...{ name, objects, storedBytes },
      times: (after.mebibytes - before.mebibytes) * mebibyte / (objects * storedBytes),
      cpuUs: (after.cpuMs - before.cpuMs) * 1000 / objects,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Memory of a server some seconds after its start, and the CPU of the start. */
async function idle(
  runtime: Runtime,
  args: readonly string[],
  share: number,
): Promise<{ readonly mebibytes: number; readonly cpuMs: number }> {
  const server = await startServer(runtime, args), ready = cpuMs(server.pid);
  try {
    await new Promise((resolve) => setTimeout(resolve, idleMs * share));
    return { mebibytes: memoryMiB(server.pid).now, cpuMs: ready };
  } finally {
    await server.stop();
  }
}

async function asClient({ pid, port }: BenchServer, ca: string, run: (client: Client) => Promise<void>): Promise<void> {
  const client = await clientOf({ name: "", pid, port, ca: await readFile(ca, "utf8"), token, idleMs: 0, heapBytes: undefined });
  await run(client).finally(() => client.close());
}

async function send(client: Client, method: "POST" | "PUT", path: string, body: string): Promise<void> {
  const status = await client.send(method, path, body);
  if (status > 201) throw new Error(`${method} ${path} was answered with ${status}`);
}

/** Writes so many copies of the first object, each with its own name and uid; returns the bytes of one. */
async function multiply(store: Store, objects: number): Promise<number> {
  const { key, value } = await firstOf(store), text = new TextDecoder().decode(value), uid = firstUid.exec(text)?.[1] ?? "";
  const toBytes = new TextEncoder();
  let next = 1;
  await Promise.all(Array.from({ length: atOnce }, async () => {
    while (next < objects) {
      const number = String(next++), name = firstName.slice(0, -number.length) + number;
      const own = text.replaceAll(firstName, name).replaceAll(uid, uid.slice(0, -12) + number.padStart(12, "0"));
      await store.commit({ key: key.replace(firstName, name), expect: "absent", value: toBytes.encode(own) });
    }
  }));
  return value.length;
}

async function firstOf(store: Store): Promise<Entry> {
  const { entries } = await store.list({ prefix: "/registry/" }, { limit: 10_000 });
  const found = entries.find(({ key }) => key.endsWith(`/${firstName}`));
  if (found === undefined) throw new Error(`The store has no "${firstName}"`);
  return found;
}
