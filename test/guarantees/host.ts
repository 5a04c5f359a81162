/** One server of a run with its restarts, behind a proxy that can become silent. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Proxy, startProxy } from "../store/proxy.ts";
import type { EtcdServer } from "../etcd.ts";
import { type Client, httpsClient } from "../https.ts";
import { type RealServer, type Runtime, signal, startRealServer, until } from "../real-server.ts";
import { pause } from "./actors.ts";

/**
 * Age of the kept history in milliseconds: about the duration of a fault, so that it is compacted for some of the clients that reconnect.
 */
const keptMs = 1_000;

export class Host {
  readonly #runtime: Runtime;
  readonly #folder: string;
  /** One proxy per member of etcd. */
  readonly #store: readonly Proxy[];
  readonly #workers: number;
  #flags: readonly string[];
  #server: RealServer | undefined;
  #line: Proxy | undefined;
  #client: Client | undefined;

  private constructor(runtime: Runtime, folder: string, store: readonly Proxy[], workers: number, flags: readonly string[]) {
    this.#runtime = runtime;
    this.#folder = folder;
    this.#store = store;
    this.#workers = workers;
    this.#flags = flags;
  }
  /** Without members it uses the embedded store in its own folder. */
  static async open(runtime: Runtime, members: readonly EtcdServer[], workers = 1, flags: readonly string[] = []): Promise<Host> {
    const store = await Promise.all(members.map(({ endpoint }) => startProxy(endpoint)));
    const host = new Host(runtime, await mkdtemp(join(tmpdir(), "thole-guarantees-")), store, workers, flags);
    await host.#start();
    return host;
  }

  readonly client = (): Client => this.#client!;
  /** The end of its log. */
  readonly log = (): string => this.#server?.errors().slice(-3000) ?? "";

  /** Kills it and starts it again. */
  async crash(): Promise<void> {
    this.#server?.signal("SIGKILL");
    await this.#server?.exited;
    await this.#start();
  }
  /** Ends it in order and starts another release, or the same one with other flags. */
  async replace(flags: readonly string[]): Promise<void> {
    this.#server?.signal("SIGTERM");
    await this.#server?.exited;
    this.#flags = flags;
    await this.#start();
  }
  /** Stops the process (SIGSTOP) and continues it. */
  async freeze(milliseconds: number): Promise<void> {
    this.#server?.signal("SIGSTOP");
    await pause(milliseconds);
    this.#server?.signal("SIGCONT");
  }
  /** Kills one of its workers, which the server replaces. */
  killWorker(random: () => number): void {
    signal(this.#worker(random), "SIGKILL");
  }
  /** Stops one of its workers and continues it. */
  async freezeWorker(milliseconds: number, random: () => number): Promise<void> {
    const pid = this.#worker(random);
    signal(pid, "SIGSTOP");
    await pause(milliseconds);
    signal(pid, "SIGCONT");
  }
  /** Kills the worker that runs the controllers. */
  killElected(): void {
    const [elected] = [...this.#server!.errors().matchAll(/ (\d+) server\] "controllers run on this server"/g)].slice(-1);
    if (elected !== undefined) signal(Number(elected[1]), "SIGKILL");
  }
  /** Kills one of its workers, and its replacements while they start. */
  async killStarting(times: number, random: () => number): Promise<void> {
    const { pid } = this.#server!;
    signal(this.#worker(random), "SIGKILL");
    for (let time = 0; time < times; time++) {
      const known = new Set(this.#server!.workers().values());
      const starting = await until(async () => {
        const found = (await childrenOf(pid)).find((each) => !known.has(each));
        assert.ok(found !== undefined);
        return found;
      });
      signal(starting, "SIGKILL");
    }
  }
  /** Reads its configuration and credentials again. */
  reload(): void {
    this.#server?.signal("SIGHUP");
  }
  /** Ends it in order while one of its workers is replaced, and starts it again. */
  async endWhileReplacing(random: () => number): Promise<void> {
    // Of a worker that dies later the supervisor reports the exit code.
    const restarts = () => this.#server!.errors().split('"a worker has ended and is started again"').length;
    const children = await childrenOf(this.#server!.pid), before = restarts();
    const worker = [this.#worker(random), ...this.#server!.workers().values()].find((each) => children.includes(each));
    if (worker !== undefined) {
      signal(worker, "SIGKILL");
      await until(() => assert.ok(restarts() > before));
    }
    this.#server!.signal("SIGTERM");
    const code = await this.#server!.exited;
    assert.equal(code, 0, this.log());
    await this.#start();
  }
  /** The process of one of its workers. */
  #worker(random: () => number): number {
    const pids = [...this.#server!.workers().values()];
    return pids[Math.floor(random() * pids.length)]!;
  }
  /** Packets between the server and its clients are dropped until the clients give up and reconnect; the server gets no notification. */
  async loseClients(milliseconds: number): Promise<void> {
    this.#line?.hold();
    await pause(milliseconds);
    this.#line?.restore();
    this.#renewClient();
  }
  /** Its store connections are silent until they break. */
  async loseStore(milliseconds: number): Promise<void> {
    for (const proxy of this.#store) proxy.hold();
    await pause(milliseconds);
    for (const proxy of this.#store) {
      proxy.cut();
      proxy.restore();
    }
  }
  /** Its current store connections stay silent; new ones work. The server must detect it. */
  async silenceStore(milliseconds: number): Promise<void> {
    for (const proxy of this.#store) {
      proxy.hold();
      proxy.restore();
    }
    await pause(milliseconds);
  }
  async close(): Promise<void> {
    this.#client?.close();
    this.#server?.signal("SIGCONT");
    // Otherwise the server would wait for a silent connection.
    await this.#line?.close();
    await this.#server?.close();
    for (const proxy of this.#store) await proxy.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #start(): Promise<void> {
    const etcd = this.#store.length === 0 ? [] : [`--etcd-servers=${this.#store.map(({ endpoint }) => endpoint).join(",")}`];
    const workers = this.#workers === 1 ? [] : [`--workers=${this.#workers}`];
    const args = [`--etcd-compaction-interval=${keptMs}ms`, ...etcd, ...workers, ...this.#flags];
    this.#server = await startRealServer({ runtime: this.#runtime, folder: this.#folder, args });
    const before = this.#line;
    this.#line = await startProxy(this.#server.url);
    this.#renewClient();
    await before?.close();
  }
  #renewClient(): void {
    const { ca, token } = this.#server!;
    const port = Number(new URL(this.#line!.endpoint).port);
    this.#client?.close();
    this.#client = httpsClient({ port, ca, token, single: true });
  }
}

/** The processes that a process has started and that run. Linux only, as workers are. */
async function childrenOf(pid: number): Promise<readonly number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return text.split(" ").filter((each) => each !== "").map(Number);
}
