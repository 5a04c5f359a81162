// Three members of etcd and three servers with the commands of the chart's containers, under load and restarted in sequence: the checkers
// of the guarantees verify the history of the clients.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { startReflector } from "../clients/reflector.ts";
import { etcdMissing } from "../etcd.ts";
import { inFolder } from "../flags/served.ts";
import { configMaps } from "../guarantees/actors.ts";
import { balanced, type Met, nothingMet } from "../guarantees/balanced.ts";
import { violations } from "../guarantees/checkers.ts";
import { eventsOf, startLoad, told } from "../guarantees/load.ts";
import { type Client, httpsClient, type Place } from "../https.ts";
import { http2Client } from "../http2.ts";
import { type Runtime, startSkipped, until } from "../real-server.ts";
import { helmMissing, helms, render, the } from "./helm.ts";
import { addressOf, type Replica, startMembers, startReplica, textsOf } from "./installed.ts";

const count = 3;
const seed = Math.floor(Math.random() * 2 ** 32);

interface Installed {
  /** A connection to each server, of each protocol. */
  clients(protocol: Protocol): readonly Client[];
  /** Ends a server like a kubelet, and starts it again on the same address. */
  restart(index: number): Promise<void>;
}
type Protocol = "HTTP/1.1" | "HTTP/2";
const clientOf: Readonly<Record<Protocol, (place: Place) => Client>> = { "HTTP/1.1": httpsClient, "HTTP/2": http2Client };
/** Deno 2.9.6's HTTP/2 client crashes its process (a segmentation fault) if servers send GOAWAY for many requests. */
const protocols: readonly Protocol[] = "Deno" in globalThis ? ["HTTP/1.1"] : ["HTTP/1.1", "HTTP/2"];

async function installed(runtime: Runtime, use: (installed: Installed) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    const objects = await render(
      helms()[0]!,
      ...[
        "--set",
        `certificates.mode=helm,authentication.tokens.admin=true,replicaCount=${count},liveSettings.shutdown-delay-duration=300ms`,
      ],
      ...["--set", `etcd.extraNames={${Array.from({ length: count }, (_, index) => addressOf(index)).join(",")}}`],
    );
    const workload = the(objects, "Deployment", "demo-thole");
    const members = await startMembers(objects, "demo-thole", folder);
    const replicas: Replica[] = [];
    const clients: Record<Protocol, Client[]> = { "HTTP/1.1": [], "HTTP/2": [] };
    try {
      const start = async (index: number) => {
        const port = replicas[index]?.port;
        replicas[index] = await startReplica(objects, workload, join(folder, `server-${index}`), {
          addressed: members.addressed,
          runtime,
          ...(port === undefined ? {} : { port }),
        });
      };
      for (let index = 0; index < count; index++) await start(index);
      const ca = textsOf(the(objects, "Secret", "demo-thole-tls"))["ca.crt"]!;
      const token = textsOf(the(objects, "Secret", "demo-thole-tokens"))["admin-token"]!;
      // Deno's client would repeat a write after a broken connection, and report the effect of the first attempt as a rejection.
      const single = "Deno" in globalThis;
      for (const protocol of protocols) clients[protocol] = replicas.map(({ port }) => clientOf[protocol]({ port, ca, token, single }));
      await use({
        clients: (protocol) => clients[protocol],
        async restart(index) {
          replicas[index]!.signal("SIGTERM");
          assert.equal(await replicas[index]!.exited, 0, replicas[index]!.errors());
          await start(index);
        },
      });
    } finally {
      Object.values(clients).flat().forEach((client) => client.close());
      for (const replica of replicas) replica.signal("SIGTERM");
      await Promise.all(replicas.map((replica) => replica.exited));
      await members.stop();
    }
  });
}

async function rollingRestart(runtime: Runtime): Promise<void> {
  await installed(runtime, async ({ clients, restart }) => {
    const met = protocols.map(nothingMet);
    const doors = protocols.map((protocol, at) => balanced(() => clients(protocol), met[at]!));
    const load = await startLoad((random) => doors[Math.floor(random() * doors.length)]!, seed);
    const leaving = new AbortController();
    const informers = doors.map((door) => startReflector({ path: configMaps, client: () => door, signal: leaving.signal }));
    const goesOn = async () => {
      const before = load.progress();
      await until(() => assert.ok(load.progress() > before + 30, "writes and reads go on"));
    };
    try {
      for (let index = 0; index < count; index++) {
        await goesOn();
        await restart(index);
      }
      await goesOn();
      await load.finish();
      const line = [told(load), ...protocols.map((protocol, at) => `${protocol}: ${tell(met[at]!)}`)].join("; ");
      console.log(`seed ${seed} (${runtime}): ${line}`);
      const names = new Map<string, string>(
        (await doors[0]!.ask(configMaps)).json().items.map(({ metadata }: Named) => [metadata.name, metadata.resourceVersion]),
      );
      for (const { known } of informers) {
        await until(() => assert.deepEqual(new Map([...known].toSorted()), new Map([...names].toSorted())));
      }

      assert.deepEqual(met.flatMap(({ failures }) => failures), [], "failed requests");
      assert.equal(load.counts.relists, load.watchers, "each watcher began once");
      for (const { counts } of informers) assert.deepEqual([counts.lists, counts.expired], [1, 0], "each informer listed once");
      assert.deepEqual(violations(load.history), [], line);
      // HTTP/2 reports which requests were not processed; in HTTP/1.1 a request may collide with the close of an idle connection.
      protocols.forEach((protocol, at) => protocol === "HTTP/2" && assert.equal(met[at]!.lost, 0, line));
      const enough = met.every(({ requests, retries }) => requests > 100 && retries > 0) && eventsOf(load.history.chains) > 100 &&
        informers.every(({ counts }) => counts.resumes > 0);
      assert.ok(enough, `there was too little to prove anything by: ${line}`);
    } finally {
      load.abandon();
      leaving.abort();
      await Promise.all(informers.map(({ done }) => done));
    }
  });
}
function tell({ requests, retries, lost, failures }: Met): string {
  return `${requests} requests, ${retries} retries, ${lost} writes whose answer was lost, ${failures.length} failures`;
}
interface Named {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
}

for (const runtime of ["deno", "node"] as const) {
  test(
    `three installed servers on ${runtime}, restarted in turn under load: no request fails, no watch lists again, every guarantee holds`,
    {
      skip: helmMissing() || etcdMissing() || startSkipped(runtime),
    },
    () => rollingRestart(runtime),
  );
}
