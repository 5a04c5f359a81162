import { pause } from "../../core/async.ts";
import { isDenied, isLate, isUnavailable, isUnsent } from "./errors.ts";
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
  /** Marks an endpoint as failed, so that later calls go to the next. */
  leave(endpoint: number): void;
  /** Closes the connections once calls in progress have ended. */
  close(): Promise<void>;
}

/** Creates a connection to each endpoint; it is opened by the first call. */
export function connect(options: ConnectionOptions): Connection {
  const { endpoints, tls, timeoutMs = etcdCallMs, keepaliveMs = etcdKeepaliveMs } = options;
  if (endpoints.length === 0) throw new Error("An etcd connection needs an endpoint");
  const open = (endpoint: string): Channel => openChannel(endpoint, { tls, keepaliveMs });
  const channels = endpoints.map(open);
  const answers = options.endpointObserver ?? noObserver;
  const underway = new Set<Promise<unknown>>();
  let active = 0;
  const closing = new AbortController();

  const leave = (endpoint: number): void => {
    if (endpoint !== active || channels.length === 1) return;
    active = (active + 1) % channels.length;
    void follow(endpoint);
  };
  const followed = new Set<number>();
  /** Calls a failed endpoint periodically until it answers, so that its fault is reported and ended. */
  async function follow(endpoint: number): Promise<void> {
    if (followed.has(endpoint)) return;
    followed.add(endpoint);
    while (!closing.signal.aborted) {
      const ended = answers.begin(endpoint);
      try {
        await at(channels, endpoint).call(status, undefined, timeoutMs, closing.signal);
        ended();
        break;
      } catch (error) {
        ended(error);
        if (isDenied(error)) break;
      }
      await pause(etcdMemberTrialMs, closing.signal);
    }
    followed.delete(endpoint);
  }
  function at<T>(list: readonly T[], index: number): T {
    const found = list[index];
    if (found === undefined) throw new Error(`There is no endpoint ${index}`);
    return found;
  }

  async function call<Request, Reply>(
    method: Method<Request, Reply>,
    request: Request,
    { signal, repeatable }: CallOptions,
  ): Promise<Reply> {
    for (let attempt = 1;; attempt++) {
      const endpoint = active;
      const ended = answers.begin(endpoint);
      try {
        const reply = await at(channels, endpoint).call(method, request, timeoutMs, signal);
        ended();
        return reply;
      } catch (error) {
        ended(error);
        if (isUnavailable(error) || isLate(error)) leave(endpoint);
        if (!isUnavailable(error)) throw error;
        if (attempt > channels.length || !(repeatable || isUnsent(error))) throw error;
        if (attempt >= channels.length) await new Promise((resolve) => setTimeout(resolve, etcdRetryMs));
      }
    }
  }

  async function isReporting(channel: Channel, signal: AbortSignal | undefined): Promise<boolean> {
    try {
      return reportsProgress((await channel.call(status, undefined, timeoutMs, signal)).version);
    } catch (error) {
      // Releases that restrict the status call to administrators (3.6 and later) report progress correctly.
      if (isDenied(error)) return true;
      throw error;
    }
  }

  /** A watch stream has its own connection: on a shared one, a slow reader would use up the flow-control window of calls. */
  async function openWatch(signal?: AbortSignal): Promise<WatchStream> {
    const endpoint = active;
    const channel = open(at(endpoints, endpoint));
    const ended = answers.begin(endpoint);
    try {
      const reports = await isReporting(channel, signal);
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
      if (signal?.aborted !== true) leave(endpoint);
      throw error;
    }
  }

  return {
    call(method, request, callOptions) {
      const calling = call(method, request, callOptions);
      underway.add(calling);
      const over = (): boolean => underway.delete(calling);
      calling.then(over, over);
      return calling;
    },
    watch: openWatch,
    leave,
    async close() {
      await Promise.allSettled(underway);
      closing.abort();
      answers.close();
      for (const channel of channels) channel.close();
    },
  };
}

/** 3.4.31, 3.5.13, 3.6 and later: in earlier releases progress could overtake events (etcd issue 15220). */
export function reportsProgress(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  if (major !== 3 || minor > 5) return major > 3 || minor > 5;
  return (minor === 5 && patch >= 13) || (minor === 4 && patch >= 31);
}
