/** A test server that is controlled over HTTP, and what requests have begun on it. */
import { once } from "../../core/async.ts";
import { bound } from "../../core/bound.ts";
import { StatusError } from "../../core/status-error.ts";
import type { FaultHandle } from "../faults/server-faults.ts";
import type { HeldWatches } from "../faults/held-events.ts";
import type { TestListener } from "../listeners.ts";
import type { Recording } from "../recording/recorder.ts";
import type { ForkOptions, TestServer } from "../server.ts";
import type { Snapshot } from "../state/snapshot.ts";
import { Kept } from "./kept.ts";

/** Forks of one program, those of forks included. */
const forksMax = bound(256);
/** Rules of faults that one server has at a time. */
const rulesMax = bound(1_000);
/** Holds that one server has at a time. */
const holdsMax = bound(100);
/** Recordings that one server has at a time. */
const recordingsMax = bound(16);
/** Snapshots that one server keeps. Each costs what changes after it. */
const snapshotsMax = bound(100);

/** What a server and its forks share. */
export interface ControlledFamily {
  /** Forks that are open. */
  forks: number;
  /** Listens for a fork, with its control. */
  listen(controlled: Controlled): Promise<TestListener>;
}

/** A fork and its port. */
export interface ControlledFork {
  readonly controlled: Controlled;
  readonly listener: TestListener;
}

/** A server under control. */
export class Controlled {
  readonly server: TestServer;
  readonly forks = new Kept<ControlledFork>("fork", forksMax);
  readonly rules = new Kept<FaultHandle>("rule", rulesMax);
  readonly holds = new Kept<HeldWatches>("hold", holdsMax);
  readonly snapshots = new Kept<Snapshot>("snapshot", snapshotsMax);
  readonly recordings = new Kept<Recording>("recording", recordingsMax);
  readonly #family: ControlledFamily;
  #isClosed = false;

  constructor(server: TestServer, family: ControlledFamily) {
    this.server = server;
    this.#family = family;
  }

  /** Opens a fork that listens. Returns its name, too. `snapshot`: the state with which it begins; default: the state now. */
  async fork(snapshot: Snapshot | undefined, options: ForkOptions): Promise<ControlledFork & { readonly id: string }> {
    const family = this.#family;
    if (family.forks >= forksMax) {
      throw new StatusError("TooManyRequests", `${forksMax} forks are open, which is the most: close one of them`);
    }
    family.forks++;
    const server = await this.server.fork(snapshot, options).catch((error: unknown) => {
      family.forks--;
      throw error;
    });
    const controlled = new Controlled(server, family);
    try {
      const fork = { controlled, listener: await family.listen(controlled) };
      // The server may have been closed meanwhile.
      if (this.#isClosed) throw new StatusError("ServiceUnavailable", "the test server is closed");
      return { ...fork, id: this.forks.add(fork) };
    } catch (error) {
      await controlled.#end();
      throw error;
    }
  }

  /** Closes a fork. */
  async closeFork(id: string): Promise<void> {
    await this.forks.take(id).controlled.#end();
  }

  /** Closes the forks, and the server after them. */
  readonly close = once(async (): Promise<void> => {
    this.#isClosed = true;
    await Promise.all(this.forks.takeAll().map(({ controlled }) => controlled.#end()));
    await this.server.close();
  });

  async #end(): Promise<void> {
    try {
      await this.close();
    } finally {
      this.#family.forks--;
    }
  }
}
