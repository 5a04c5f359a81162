import { pause } from "../../core/async.ts";
import { isDenied, isLate, isUnavailable, isUnknownMethod, isUnsent } from "./errors.ts";
import { begun } from "./pieces.ts";
import { status, watch, type WatchReply, type WatchRequest } from "./messages.ts";
import { type Channel, type MessageStream, type Method, openChannel } from "../grpc/grpc.ts";
import type { Tls } from "../grpc/session.ts";
import { bound } from "../../core/bound.ts";

/** Milliseconds between two calls that check whether a failed etcd member is available again. */
const etcdMemberTrialMs = bound(5_000);
/** Milliseconds for a call to etcd that states no other time. */
const etcdCallMs = bound(30_000);
/** Milliseconds between two pings of a connection to etcd (kube-apiserver's value). */
const etcdKeepaliveMs = bound(30_000);
/** Milliseconds before the next attempt when no endpoint of etcd could be reached. */
const etcdRetryMs = bound(50);

/** Observes the calls to endpoints, by their number. */
export interface EndpointObserver {
  /** Registers a call to an endpoint; the returned function ends it, with its error if it failed. */
  begin(endpoint: number): (error?: unknown) => void;
  close(): void;
}
const noObserver: EndpointObserver = Object.freeze({ begin: () => () => {}, close() {} });

export interface ConnectionOptions {
  /** "http://host:port" or "https://host:port", one for each member. */
  readonly endpoints: readonly string[];
  /** Called for each new connection. */
  readonly tls?: () => Tls;
  /** Milliseconds after which an unanswered call fails. */
  readonly timeoutMs?: number;
  /** Milliseconds after which a silent connection with a call in progress is probed. */
  readonly keepaliveMs?: number;
  /** Observes which endpoints answer. */
  readonly endpointObserver?: EndpointObserver;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Whether the call may be sent again when the outcome of the first attempt is unknown. */
  readonly repeatable: boolean;
}

/** A stream of watch replies. Iteration throws when the stream breaks. */
export interface WatchStream extends MessageStream<WatchRequest, WatchReply> {
  readonly endpoint: number;
  /** Whether the member answers progress requests correctly: members of different releases differ during an upgrade. */
  readonly reportsProgress: boolean;
}

/** Calls to the first endpoint that answers. */
export interface Connection {
  /** Rejects with a GrpcError, or with the signal's reason. */
  call<Request, Reply>(method: Method<Request, Reply>, request: Request, options: CallOptions): Promise<Reply>;
  /** Opens a stream to the endpoint in use; the caller must cancel it. Rejects with a GrpcError, or with the signal's reason. */
  watch(signal?: AbortSignal): Promise<WatchStream>;
  /**
   * Resolves with the answer to a request in pieces; undefined if the endpoint in use does not have the method. The answer rejects with a GrpcError, also
   * if no piece arrives in the time of a call, or with the signal's reason. The call is not sent again.
   */
  pieces<Request, Reply>(
    method: Method<Request, Reply>,
    request: Request,
    signal: AbortSignal,
  ): Promise<AsyncIterable<readonly Reply[]> | undefined>;
  /** Marks an endpoint as failed, so that later calls go to the next. */
  leave(endpoint: number): void;
  /** Closes the connections once calls in progress have ended. */
  close(): Promise<void>;
}

/** Creates a connection to each endpoint; it is opened by the first call. */
export function connect(options: ConnectionOptions): Connection {
  return new EndpointConnection(options);
}

class EndpointConnection implements Connection {
  readonly #options: ConnectionOptions;
  readonly #endpoints: readonly string[];
  readonly #channels: readonly Channel[];
  readonly #answers: EndpointObserver;
  readonly #timeoutMs: number;
  readonly #underway = new Set<Promise<unknown>>();
  /** Paths of methods that an endpoint does not have. */
  readonly #unknown = new Map<number, Set<string>>();
  /** Failed endpoints that are called until they answer. */
  readonly #followed = new Set<number>();
  readonly #closing = new AbortController();
  /** The endpoint in use. */
  #active = 0;

  constructor(options: ConnectionOptions) {
    const { endpoints, timeoutMs = etcdCallMs, endpointObserver = noObserver } = options;
    if (endpoints.length === 0) throw new Error("An etcd connection needs an endpoint");
    this.#options = options;
    this.#endpoints = endpoints;
    this.#answers = endpointObserver;
    this.#timeoutMs = timeoutMs;
    this.#channels = endpoints.map((endpoint) => this.#open(endpoint));
  }
  call<Request, Reply>(method: Method<Request, Reply>, request: Request, options: CallOptions): Promise<Reply> {
    const calling = this.#call(method, request, options);
    this.#underway.add(calling);
    const over = (): boolean => this.#underway.delete(calling);
    calling.then(over, over);
    return calling;
  }
  /** A watch stream has its own connection: on a shared one, a slow reader would use up the flow-control window of calls. */
  async watch(signal?: AbortSignal): Promise<WatchStream> {
    const endpoint = this.#active;
    const channel = this.#open(at(this.#endpoints, endpoint));
    const ended = this.#answers.begin(endpoint);
    try {
      const reports = await this.#isReporting(channel, signal);
      // Without this header a member without a leader keeps a watch open without events.
      const stream = await channel.stream(watch, { hasleader: "true" });
      ended();
      const cancel = (): void => {
        stream.cancel();
        channel.close();
      };
      return { ...stream, cancel, endpoint, reportsProgress: reports };
    } catch (error) {
      ended(error);
      channel.close();
      if (signal?.aborted !== true) this.leave(endpoint);
      throw error;
    }
  }
  async pieces<Request, Reply>(
    method: Method<Request, Reply>,
    request: Request,
    signal: AbortSignal,
  ): Promise<AsyncIterable<readonly Reply[]> | undefined> {
    const endpoint = this.#active, unknown = this.#unknown.get(endpoint) ?? new Set();
    if (unknown.has(method.path)) return undefined;
    // A connection of its own, as that of a watch.
    const channel = this.#open(at(this.#endpoints, endpoint)), ended = this.#answers.begin(endpoint);
    try {
      const pieces = await begun(await channel.stream(method, {}, request), {
        timeoutMs: this.#timeoutMs,
        signal,
        close: () => channel.close(),
      });
      ended();
      return pieces;
    } catch (error) {
      channel.close();
      ended(isUnknownMethod(error) ? undefined : error);
      if (!isUnknownMethod(error)) throw error;
      this.#unknown.set(endpoint, unknown.add(method.path));
      return undefined;
    }
  }
  leave(endpoint: number): void {
    if (endpoint !== this.#active || this.#channels.length === 1) return;
    this.#active = (this.#active + 1) % this.#channels.length;
    void this.#follow(endpoint);
  }
  async close(): Promise<void> {
    await Promise.allSettled(this.#underway);
    this.#closing.abort();
    this.#answers.close();
    for (const channel of this.#channels) channel.close();
  }
  #open(endpoint: string): Channel {
    const { tls, keepaliveMs = etcdKeepaliveMs } = this.#options;
    return openChannel(endpoint, { tls, keepaliveMs });
  }
  /** Calls a failed endpoint periodically until it answers, so that its fault is reported and ended. */
  async #follow(endpoint: number): Promise<void> {
    if (this.#followed.has(endpoint)) return;
    this.#followed.add(endpoint);
    while (!this.#closing.signal.aborted) {
      const ended = this.#answers.begin(endpoint);
      try {
        await at(this.#channels, endpoint).call(status, undefined, this.#timeoutMs, this.#closing.signal);
        ended();
        break;
      } catch (error) {
        ended(error);
        if (isDenied(error)) break;
      }
      await pause(etcdMemberTrialMs, this.#closing.signal);
    }
    this.#followed.delete(endpoint);
  }
  async #call<Request, Reply>(
    method: Method<Request, Reply>,
    request: Request,
    { signal, repeatable }: CallOptions,
  ): Promise<Reply> {
    for (let attempt = 1;; attempt++) {
      const endpoint = this.#active;
      const ended = this.#answers.begin(endpoint);
      try {
        const reply = await at(this.#channels, endpoint).call(method, request, this.#timeoutMs, signal);
        ended();
        return reply;
      } catch (error) {
        ended(error);
        if (isUnavailable(error) || isLate(error)) this.leave(endpoint);
        if (!isUnavailable(error)) throw error;
        if (attempt > this.#channels.length || !(repeatable || isUnsent(error))) throw error;
        if (attempt >= this.#channels.length) await new Promise((resolve) => setTimeout(resolve, etcdRetryMs));
      }
    }
  }

  async #isReporting(channel: Channel, signal: AbortSignal | undefined): Promise<boolean> {
    try {
      return reportsProgress((await channel.call(status, undefined, this.#timeoutMs, signal)).version);
    } catch (error) {
      // Releases that restrict the status call to administrators (3.6 and later) report progress correctly.
      if (isDenied(error)) return true;
      throw error;
    }
  }
}

function at<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new Error(`There is no endpoint ${index}`);
  return found;
}

/** 3.4.31, 3.5.13, 3.6 and later: in earlier releases progress could overtake events (etcd issue 15220). */
export function reportsProgress(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  if (major !== 3 || minor > 5) return major > 3 || minor > 5;
  return (minor === 5 && patch >= 13) || (minor === 4 && patch >= 31);
}
