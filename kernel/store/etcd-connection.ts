import { Buffer } from "node:buffer";
import type { ConnectionPool } from "etcd3/lib/connection-pool.js";
import { isUnavailable, isUnsent } from "./etcd-errors.ts";
import type { Method, WatchReply, WatchRequest } from "./etcd-messages.ts";
import { watch } from "./etcd-messages.ts";

export interface EtcdTls {
  /** PEM. */
  readonly ca: string | Uint8Array;
  readonly cert?: string | Uint8Array;
  readonly key?: string | Uint8Array;
}

export interface ConnectionOptions {
  /** "http://host:port" or "https://host:port", one for each member. */
  readonly endpoints: readonly string[];
  readonly tls?: EtcdTls;
  /** After how many milliseconds a call fails that is not answered. */
  readonly timeoutMs?: number;
  /** After how many milliseconds of silence an endpoint is asked whether it is still there; it has a third of it to answer. */
  readonly keepaliveMs?: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Whether the call may be sent a second time when nobody knows what became of the first. */
  readonly repeatable: boolean;
}

/** A stream of watch replies; iterating it throws when it breaks. */
export interface WatchStream extends AsyncIterable<WatchReply> {
  readonly endpoint: number;
  send(request: WatchRequest): void;
  cancel(): void;
}

/** Calls to whichever endpoint answers. */
export interface Connection {
  /** Rejects with the gRPC failure, or with the signal's reason. */
  call<Request, Reply>(method: Method<Request, Reply>, request: Request, options: CallOptions): Promise<Reply>;
  /** Opens a stream to the endpoint in use. */
  watch(): Promise<WatchStream>;
  /** Says that an endpoint failed, so that what follows goes to the next. */
  leave(endpoint: number): void;
  close(): Promise<void>;
}

const timeoutMsDefault = 30_000;
/** kube-apiserver's keepalive towards etcd. */
const keepaliveMsDefault = 30_000;
const retryDelayMs = 50;

/** No bound on what is received, and quick returns after an outage. */
const channelOptions = Object.freeze({
  "grpc.max_receive_message_length": -1,
  "grpc.max_send_message_length": -1,
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.min_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 1000,
});

type Peer = Awaited<ReturnType<typeof peerOf>>;

/** Prepares connections to every endpoint; they open with the first call. */
export async function connect(options: ConnectionOptions): Promise<Connection> {
  // Loading etcd3 costs a tenth of a second, which only those pay who use it.
  const { ConnectionPool } = await import("etcd3/lib/connection-pool.js");
  const credentials = options.tls && credentialsOf(options.tls);
  const keepaliveMs = options.keepaliveMs ?? keepaliveMsDefault;
  const grpcOptions = { ...channelOptions, "grpc.keepalive_time_ms": keepaliveMs, "grpc.keepalive_timeout_ms": Math.ceil(keepaliveMs / 3) };
  const pools = options.endpoints.map((hosts) => new ConnectionPool({ hosts, grpcOptions, ...(credentials && { credentials }) }));
  const peers = await Promise.all(pools.map(peerOf));
  const underway = new Set<Promise<unknown>>();
  let active = 0;

  const leave = (endpoint: number): void => {
    if (endpoint === active) active = (active + 1) % peers.length;
  };
  const peerAt = (index: number): Peer => {
    const peer = peers[index];
    if (peer === undefined) throw new Error("An etcd connection needs an endpoint");
    return peer;
  };

  async function call<Request, Reply>(
    method: Method<Request, Reply>,
    request: Request,
    { signal, repeatable }: CallOptions,
  ): Promise<Reply> {
    for (let attempt = 1;; attempt++) {
      const endpoint = active;
      try {
        return await unary(peerAt(endpoint), method, request, options.timeoutMs ?? timeoutMsDefault, signal);
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        leave(endpoint);
        if (attempt > peers.length || !(repeatable || isUnsent(error))) throw error;
        if (attempt >= peers.length) await new Promise((resolve) => setTimeout(resolve, retryDelayMs));
      }
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
    watch: async () => streamTo(peerAt(active), active),
    leave,
    async close() {
      await Promise.allSettled(underway);
      for (const pool of pools) pool.close();
    },
  };
}

/** The pool's gRPC client itself: etcd3's own retries would send a write twice, and its messages pass through text numbers. */
function peerOf(pool: ConnectionPool) {
  return pool.withConnection("KV", ({ client, metadata }) => {
    // Without this a member that lost its cluster keeps a watch open in silence.
    const withLeader = metadata.clone();
    withLeader.set("hasleader", "true");
    return { client, metadata, withLeader };
  });
}

function unary<Request, Reply>(
  { client, metadata }: Peer,
  { path, encode, decode }: Method<Request, Reply>,
  request: Request,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason);
    const abort = (): void => {
      reject(signal?.reason);
      call.cancel();
    };
    const call = client.makeUnaryRequest(path, encode, decode, request, metadata, { deadline: Date.now() + timeoutMs }, (error, reply) => {
      signal?.removeEventListener("abort", abort);
      if (error !== null) reject(error);
      else if (reply === undefined && decode.length > 0) reject(new Error(`${path} answered nothing`));
      else resolve(reply as Reply); // without an error grpc-js hands over what `decode` gave
    });
    signal?.addEventListener("abort", abort);
  });
}

function streamTo({ client, withLeader }: Peer, endpoint: number): WatchStream {
  const stream = client.makeBidiStreamRequest(watch.path, watch.encode, watch.decode, withLeader);
  stream.on("error", () => {}); // whoever iterates hears of it
  return {
    endpoint,
    send: (request) => void stream.write(request),
    cancel: () => stream.cancel(),
    [Symbol.asyncIterator]: () => stream[Symbol.asyncIterator](),
  };
}

function credentialsOf({ ca, cert, key }: EtcdTls): { rootCertificate: Buffer; privateKey?: Buffer; certChain?: Buffer } {
  const buffer = (pem: string | Uint8Array): Buffer => typeof pem === "string" ? Buffer.from(pem) : Buffer.from(pem);
  return { rootCertificate: buffer(ca), ...(cert && { certChain: buffer(cert) }), ...(key && { privateKey: buffer(key) }) };
}
