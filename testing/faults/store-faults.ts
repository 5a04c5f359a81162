/** Faults of a whole store: what the server and its clients meet is what the stores in etcd and in a file answer. */
import { type Clock, pause, untilAborted } from "../../core/async.ts";
import { Endpoints } from "../../kernel/store/etcd/endpoints.ts";
import { type Refusals, refusalsOf } from "../../kernel/store/etcd/refusals.ts";
import { toStoreError } from "../../kernel/store/etcd/store-error.ts";
import { type Faults, noFaults } from "../../kernel/store/fault.ts";
import type { Call, Engine, Outcome, Run } from "../../kernel/store/sqlite/calls.ts";
import { fullError } from "../../kernel/store/sqlite/failures.ts";
import type { Store } from "../../kernel/store/store.ts";
import { grpcCode, GrpcError, lostError } from "../../protocols/grpc/errors.ts";
import { millisecondsOf } from "../milliseconds.ts";

/**
 * What is wrong with the store.
 *
 * - `etcd down`: no connection to etcd can be made.
 * - `etcd full`: the quota of etcd is reached. Deletions and reads continue.
 * - `file failing`: the file of the embedded store can be neither read nor written.
 * - `disk full`: the disk of that file is full. Deletions and reads continue.
 * - `slow`: each call takes longer, by the clock of the server. Milliseconds or a duration of Go.
 */
export type StoreFault = "etcd down" | "etcd full" | "file failing" | "disk full" | { readonly slow: number | string };

const withoutDuration: readonly StoreFault[] = Object.freeze(["etcd down", "etcd full", "file failing", "disk full"]);

/** A rule for the store. It concerns all that uses the store: requests, calls of `api`, controllers, elections and health checks. */
export interface StoreRule {
  /** What is wrong. */
  readonly store: StoreFault;
  /** The time after which it is over, by the clock of the server. Milliseconds or a duration. Default: until it is removed. */
  readonly lasts?: number | string;
}

/** The etcd that a fault of etcd is about. */
const address = "http://etcd.test:2379";

/** Throws for a rule that can have no effect. */
export function checkStoreRule({ store, lasts, ...more }: StoreRule): void {
  const [other] = Object.keys(more);
  if (other !== undefined) throw new Error(`a rule for the store concerns all requests: it has no ${other}`);
  if (lasts !== undefined) millisecondsOf(lasts);
  if (typeof store !== "string") millisecondsOf(store.slow);
  else if (!withoutDuration.includes(store)) throw new Error(`"${store}" is no fault of a store: ${withoutDuration.join(", ")}, or slow`);
}

/** What a fault of a store is, for the list of those that were injected. */
export function storeFaultText(fault: StoreFault): string {
  return typeof fault === "string"
    ? `store: ${fault}`
    : `store: slow by ${typeof fault.slow === "number" ? `${fault.slow} ms` : fault.slow}`;
}

type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** One fault that has begun. */
interface Begun {
  readonly fault: StoreFault;
  /** Calls that have met it. */
  hits: number;
  readonly over: AbortController;
}

/** The faults of the store of one server. Its engine and its store are made here, around those of the server. */
export class StoreTrouble {
  readonly #clock: Clock;
  readonly #wait: Wait;
  readonly #begun = new Set<Begun>();
  #endpoints: Endpoints;
  #refusals: Refusals;
  /** Whether calls are followed: a fault exists, or the server may still report one. */
  #isFollowed = false;
  #isSuspended = false;

  /** `clock`: that of the server. `wait`: how a slow store waits by it. */
  constructor(clock: Clock, wait: Wait = (ms, signal) => pause(ms, signal, clock)) {
    this.#clock = clock;
    this.#wait = wait;
    this.#endpoints = new Endpoints([address], noFaults, clock);
    this.#refusals = refusalsOf([address], noFaults);
  }

  /** Begins a fault. The returned function ends it. */
  begin(fault: StoreFault): { readonly begun: { readonly hits: number }; end(): void } {
    const begun: Begun = { fault, hits: 0, over: new AbortController() };
    this.#begun.add(begun);
    this.#isFollowed = true;
    return {
      begun,
      end: () => {
        if (!this.#begun.delete(begun)) return;
        begun.over.abort();
        // The watches of the server connect again at once.
        if (this.#of("etcd down") === undefined) this.#endpoints.begin(0)();
      },
    };
  }

  /** Does work of the test's own hand, which meets no faults. They go on afterwards. */
  async without<T>(work: () => Promise<T>): Promise<T> {
    this.#isSuspended = true;
    try {
      return await work();
    } finally {
      this.#isSuspended = false;
    }
  }

  /** The engine of the embedded store, which meets the faults of its file. */
  engine(inner: Engine): Engine {
    return {
      run: (calls) => {
        if (this.#met("file failing")) throw new Error("disk I/O error");
        return this.#met("disk full") ? runOnFullDisk(inner, calls) : inner.run(calls);
      },
      close: () => inner.close(),
    };
  }

  /** The store, which meets the faults of etcd and is slow. `faults` gets its reports. */
  readonly over = (store: Store, faults: Faults): Store => {
    this.#endpoints = new Endpoints([address], faults, this.#clock);
    this.#refusals = refusalsOf([address], faults);
    const { stream } = store;
    return {
      ...store,
      get: (key, signal) => this.#read(() => store.get(key, signal), signal),
      list: (range, page) => this.#read(() => store.list(range, page), page?.signal),
      ...(stream === undefined ? {} : { stream: (range, at, signal) => this.#read(() => stream(range, at, signal), signal) }),
      newest: () => this.#of("etcd down") === undefined ? store.newest() : undefined,
      commit: (change) => this.#write(() => store.commit(change), change.value !== undefined, change.frees !== true),
      claim: (key, writes, value) => this.#write(() => store.claim(key, writes, value), true, false),
      compact: (revision) => this.#write(() => store.compact(revision), false, false),
      size: () => this.#read(() => store.size()),
      watch: (range, from, signal) => this.#watch(store, range, from, signal),
      close: () => {
        this.#endpoints.close();
        return store.close();
      },
    };
  };

  /** The faults in force. */
  #faults(): readonly Begun[] {
    return this.#isSuspended ? [] : [...this.#begun];
  }

  #of(fault: StoreFault): Begun | undefined {
    return this.#faults().find((each) => each.fault === fault);
  }

  /** Whether a call meets a fault. */
  #met(fault: StoreFault): boolean {
    const found = this.#begun.size === 0 ? undefined : this.#of(fault);
    if (found !== undefined) found.hits++;
    return found !== undefined;
  }

  async #read<T>(work: () => Promise<T>, signal: AbortSignal = never): Promise<T> {
    if (!this.#isFollowed) return await work();
    try {
      const result = await this.#called(work, signal);
      this.#refusals.read();
      return result;
    } catch (error) {
      this.#refusals.read(error);
      throw error instanceof GrpcError ? toStoreError(error) : error;
    }
  }

  /** `puts`: whether a value is written. `reports`: whether an error is one of the requests, as in `etcd.ts`. */
  async #write<T>(work: () => Promise<T>, puts: boolean, reports: boolean): Promise<T> {
    if (!this.#isFollowed) return await work();
    try {
      const result = await this.#called(() => {
        if (puts && this.#met("etcd full")) {
          throw new GrpcError(grpcCode.resourceExhausted, "etcdserver: mvcc: database space exceeded", { fromServer: true });
        }
        return work();
      }, never);
      if (puts) this.#refusals.write();
      return result;
    } catch (error) {
      if (reports) this.#refusals.write(error);
      throw error instanceof GrpcError ? toStoreError(error) : error;
    }
  }

  /** A call, which is followed as those to an endpoint of etcd. */
  async #called<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const ended = this.#endpoints.begin(0);
    try {
      for (const each of this.#faults()) if (typeof each.fault !== "string") await this.#slowed(each, each.fault.slow, signal);
      if (signal.aborted) throw signal.reason;
      if (this.#met("etcd down")) {
        await pause(0, never); // an attempt to connect takes a turn
        throw refusedConnection();
      }
      const result = await work();
      ended();
      return result;
    } catch (error) {
      ended(error);
      throw error;
    }
  }

  async #slowed(begun: Begun, slow: number | string, signal: AbortSignal): Promise<void> {
    begun.hits++;
    await this.#wait(millisecondsOf(slow), AbortSignal.any([signal, begun.over.signal]));
  }

  /** A watch of an etcd that is down has no events until it is back; it has missed none then. */
  async *#watch(store: Store, ...[range, from, signal]: Parameters<Store["watch"]>): ReturnType<Store["watch"]> {
    for await (const batch of store.watch(range, from, signal)) {
      for (let down = this.#of("etcd down"); down !== undefined && !signal.aborted; down = this.#of("etcd down")) {
        await untilAborted(AbortSignal.any([signal, down.over.signal]));
      }
      if (!signal.aborted) yield batch;
    }
  }
}
const never = new AbortController().signal;

/** The error of a connection that nobody accepts. */
function refusedConnection(): GrpcError {
  return lostError(`Cannot connect to ${address}`, new Error("connect ECONNREFUSED etcd.test:2379"), true, true);
}

/** A run on a full disk: what frees space is done, as long as the reserve lasts. */
function runOnFullDisk(inner: Engine, calls: readonly Call[]): Run {
  const mayRun = calls.map((call) => call.op !== "commit" || call.change.value === undefined || call.change.frees === true);
  const run = inner.run(calls.filter((_, at) => mayRun[at])), done = run.outcomes.values();
  const outcomes = mayRun.map((may): Outcome => may ? done.next().value! : { failure: fullError });
  return { ...run, outcomes, full: true };
}
