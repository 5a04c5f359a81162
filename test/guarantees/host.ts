/** One of the servers of a run, the one of now and those after it, behind a line that can fall silent. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Proxy, startProxy } from "../../kernel/store/testing/proxy.ts";
import type { EtcdServer } from "../etcd.ts";
import { type Client, httpsClient } from "../https.ts";
import { type RealServer, type Runtime, startRealServer } from "../real-server.ts";
import { pause } from "./actors.ts";

/** How much history there is: about as much as a fault lasts, so that some who come back find theirs gone. */
const keptMs = 1_000;

export class Host {
  readonly #runtime: Runtime;
  readonly #folder: string;
  /** One to each member of etcd. */
  readonly #store: readonly Proxy[];
  #server: RealServer | undefined;
  #line: Proxy | undefined;
  #client: Client | undefined;

  private constructor(runtime: Runtime, folder: string, store: readonly Proxy[]) {
    this.#runtime = runtime;
    this.#folder = folder;
    this.#store = store;
  }
  /** Without members it keeps everything in a folder of its own. */
  static async open(runtime: Runtime, members: readonly EtcdServer[]): Promise<Host> {
    const store = await Promise.all(members.map(({ endpoint }) => startProxy(endpoint)));
    const host = new Host(runtime, await mkdtemp(join(tmpdir(), "thole-guarantees-")), store);
    await host.#start();
    return host;
  }

  readonly client = (): Client => this.#client!;
  /** The end of what it logged. */
  readonly log = (): string => this.#server?.errors().slice(-3000) ?? "";

  /** Kills it and starts it again. */
  async crash(): Promise<void> {
    this.#server?.signal("SIGKILL");
    await this.#server?.exited;
    await this.#start();
  }
  /** Stops the process (SIGSTOP) and continues it. */
  async freeze(milliseconds: number): Promise<void> {
    this.#server?.signal("SIGSTOP");
    await pause(milliseconds);
    this.#server?.signal("SIGCONT");
  }
  /** Its clients hear nothing from it, nor it from them, until they give up and come back; it is never told. */
  async loseClients(milliseconds: number): Promise<void> {
    this.#line?.hold();
    await pause(milliseconds);
    this.#line?.restore();
    this.#renewClient();
  }
  /** Its connections to the store are silent until they break. */
  async loseStore(milliseconds: number): Promise<void> {
    for (const proxy of this.#store) proxy.hold();
    await pause(milliseconds);
    for (const proxy of this.#store) {
      proxy.cut();
      proxy.restore();
    }
  }
  /** The connections to its store fall silent and stay so; new ones are good. It has to find out by itself. */
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
    // A connection on which nothing is heard is one that the server would wait for.
    await this.#line?.close();
    await this.#server?.close();
    for (const proxy of this.#store) await proxy.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #start(): Promise<void> {
    const etcd = this.#store.length === 0 ? [] : [`--etcd-servers=${this.#store.map(({ endpoint }) => endpoint).join(",")}`];
    const args = [`--etcd-compaction-interval=${keptMs}ms`, ...etcd];
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
