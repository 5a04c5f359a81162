import { withoutUser } from "../../../core/without-user.ts";
import { limits } from "../../../core/limits.ts";
import { type Clock, pause, systemClock } from "../../../core/async.ts";
import { endpointsOf } from "./endpoints.ts";
import { isDenied, isLate, isUnavailable, isUnsent } from "./errors.ts";
import { status, watch, type WatchReply, type WatchRequest } from "./messages.ts";
import { tellsProgress } from "./progress.ts";
import { type Channel, type MessageStream, type Method, openChannel } from "./grpc/grpc.ts";
import type { Tls } from "./grpc/session.ts";
import { type Troubles, untroubled } from "../trouble.ts";

export interface ConnectionOptions {
  /** "http://host:port" or "https://host:port", one for each member. */
  readonly endpoints: readonly string[];
  /** Asked for with each connection that is made. */
  readonly tls?: () => Tls;
  /** After how many milliseconds a call fails that is not answered. */
  readonly timeoutMs?: number;
  /** After how many milliseconds a silent connection with a call under way is tested. */
  readonly keepaliveMs?: number;
  /** Where endpoints that do not answer, or refuse us, are reported. */
  readonly troubles?: Troubles;
  readonly clock?: Clock;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Whether the call may be sent a second time when nobody knows what became of the first. */
  readonly repeatable: boolean;
}

/** A stream of watch replies; iterating it throws when it breaks. */
export interface WatchStream extends MessageStream<WatchRequest, WatchReply> {
  readonly endpoint: number;
  /** Whether the member at its other end can be asked for progress: members that are being upgraded differ. */
  readonly tellsProgress: boolean;
}

/** Calls to whichever endpoint answers. */
export interface Connection {
  /** Rejects with a GrpcError, or with the signal's reason. */
  call<Request, Reply>(method: Method<Request, Reply>, request: Request, options: CallOptions): Promise<Reply>;
  /** Opens a stream to the endpoint in use; whoever does cancels it in the end. Rejects with a GrpcError, or with the signal's reason. */
  watch(signal?: AbortSignal): Promise<WatchStream>;
  /** Says that an endpoint failed, so that what follows goes to the next. */
  leave(endpoint: number): void;
  /** Lets calls under way end. */
  close(): Promise<void>;
}

const timeoutMsDefault = 30_000;
/** kube-apiserver's keepalive towards etcd. */
const keepaliveMsDefault = 30_000;
const retryDelayMs = 50;

/** Prepares connections to every endpoint; they open with the first call. */
export function connect(options: ConnectionOptions): Connection {
  const { endpoints, tls, timeoutMs = timeoutMsDefault, keepaliveMs = keepaliveMsDefault } = options;
  if (endpoints.length === 0) throw new Error("An etcd connection needs an endpoint");
  const open = (endpoint: string): Channel => openChannel(endpoint, { tls, keepaliveMs });
  const channels = endpoints.map(open);
  const answers = endpointsOf(endpoints.map(withoutUser), options.troubles ?? untroubled, options.clock ?? systemClock);
  const underway = new Set<Promise<unknown>>();
  let active = 0;
  const closing = new AbortController();

  const leave = (endpoint: number): void => {
    if (endpoint !== active || channels.length === 1) return;
    active = (active + 1) % channels.length;
    void follow(endpoint);
  };
  const followed = new Set<number>();
  /** Calls an endpoint that was left, again and again until it answers, so that its trouble is reported and ended. */
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
      await pause(limits.etcdMemberTrialMs, closing.signal);
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
        if (attempt >= channels.length) await new Promise((resolve) => setTimeout(resolve, retryDelayMs));
      }
    }
  }

  async function isTelling(channel: Channel, signal: AbortSignal | undefined): Promise<boolean> {
    try {
      return tellsProgress((await channel.call(status, undefined, timeoutMs, signal)).version);
    } catch (error) {
      // Those that keep their release from who is no administrator are new enough.
      if (isDenied(error)) return true;
      throw error;
    }
  }

  /** A stream has a connection of its own: one that is read slowly would use up what calls may receive. */
  async function openWatch(signal?: AbortSignal): Promise<WatchStream> {
    const endpoint = active;
    const channel = open(at(endpoints, endpoint));
    const ended = answers.begin(endpoint);
    try {
      const tells = await isTelling(channel, signal);
      // Without this header a member that lost its cluster keeps a watch open in silence.
      const stream = await channel.stream(watch, { hasleader: "true" });
      ended();
      const cancel = (): void => {
        stream.cancel();
        channel.close();
      };
      return { ...stream, cancel, endpoint, tellsProgress: tells };
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
