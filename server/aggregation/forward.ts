/** Passes one request on to the server of a group version, and its reply back. */
import { type ConnectReply, type HeaderNames, PeerError, type Peers, withoutCredentials } from "../../core/connect.ts";
import type { Delegate, RegisteredVersion } from "../../core/delegate.ts";
import type { UserInfo } from "../../core/user-info.ts";
import { allowedMs } from "../../kernel/request/deadline.ts";
import type { Chunks, Exchange, Reply } from "../../kernel/request/exchange.ts";
import { isLasting, type RequestInfo } from "../../kernel/request/request-info.ts";
import { bound } from "../../core/bound.ts";

/** Milliseconds for which a server may take to describe a group version: clients ask for all of them (kube-apiserver's value). */
export const delegatedDiscoveryMs = bound(5_000);

/** A request that is authorized. */
export interface RemoteRequest {
  readonly user: UserInfo;
  readonly exchange: Exchange;
  readonly info: RequestInfo;
  readonly auditId: string;
}

/** What requests need. */
export interface ForwardNeeds {
  readonly delegate: Pick<Delegate, "forward">;
  readonly peers: Peers;
  readonly requestTimeoutMs: () => number;
  /** Returns the signal that ends a watch that begins now, at shutdown. */
  readonly ending: () => AbortSignal;
  /** As in `Backend`. */
  readonly identityHeaders: () => HeaderNames;
}

/** Resolves with the reply. Rejects with the reason of the client's disconnection, or with a TimeoutError, if there is none. */
export async function forward(version: RegisteredVersion, request: RemoteRequest, needs: ForwardNeeds): Promise<Reply> {
  const { exchange, info } = request, { method, url, remote } = exchange;
  const life = new Life(exchange.signal);
  if (isDiscovery(info)) life.endAfter(delegatedDiscoveryMs, () => new PeerError("context deadline exceeded"));
  else if (!isLasting(info)) life.endAfter(allowedMs(info, needs.requestTimeoutMs()), tookTooLong);
  else if (info.verb === "watch") life.endCleanlyWith(needs.ending());
  try {
    const reply = await needs.delegate.forward(version, {
      ...{ user: request.user, method, url, path: info.path, remote, peers: needs.peers },
      headers: { ...withoutCredentials(exchange.headers, needs.identityHeaders()), "audit-id": request.auditId },
      body: exchange.stream?.(),
      mayUpgrade: exchange.offersUpgrade === true,
      signal: life.signal,
    });
    return replyOf(reply, life);
  } catch (error) {
    life.end();
    throw error;
  }
}

/** Whether a request is for the description of a group version: `/apis/apps/v1`. */
function isDiscovery({ isResourceRequest, path }: RequestInfo): boolean {
  return !isResourceRequest && path.split("/").filter((part) => part !== "").length === 3;
}

function tookTooLong(): DOMException {
  return new DOMException("The request took too long", "TimeoutError");
}

function replyOf({ status, headers = {}, body, trailers, channel }: ConnectReply, life: Life): Reply {
  const sent = headers as Reply["headers"]; // absent values have no entry
  if (typeof body === "string" || body instanceof Uint8Array) {
    life.end();
    return { status, headers: sent, body };
  }
  if (channel !== undefined) life.goOn();
  return {
    status,
    headers: sent,
    body: life.until(body),
    ...(trailers === undefined ? {} : { trailers }),
    ...(channel === undefined ? {} : { channel }),
  };
}

/** The time during which a request is passed on: it ends with its client, at a time limit, or with the last piece of the reply. */
class Life {
  readonly #over = new AbortController();
  readonly #releases: (() => void)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isEnding = false;

  constructor(client: AbortSignal) {
    this.#follow(client, () => this.#over.abort(client.reason));
  }
  get signal(): AbortSignal {
    return this.#over.signal;
  }
  /** Ends it after so many milliseconds. */
  endAfter(milliseconds: number, reason: () => unknown): void {
    this.#timer = setTimeout(() => this.#over.abort(reason()), milliseconds);
  }
  /** Removes the time limit: the connection has another protocol. */
  goOn(): void {
    clearTimeout(this.#timer);
  }
  /** The reply ends without an error when this signal aborts. */
  endCleanlyWith(ending: AbortSignal): void {
    this.#follow(ending, () => {
      this.#isEnding = true;
      this.#over.abort(ending.reason);
    });
  }
  /** Follows nothing from now on. */
  end(): void {
    this.goOn();
    for (const release of this.#releases.splice(0)) release();
  }
  /** The pieces of a reply; with the last one the life ends. */
  until(body: AsyncIterable<Uint8Array>): Chunks {
    return {
      [Symbol.asyncIterator]: () => {
        const pieces = body[Symbol.asyncIterator]();
        return {
          next: async () => {
            try {
              const next = await pieces.next();
              if (next.done === true) this.end();
              return next;
            } catch (error) {
              this.end();
              if (this.#isEnding) return { done: true, value: undefined };
              throw error;
            }
          },
          return: async () => {
            this.end();
            await pieces.return?.();
            return { done: true, value: undefined };
          },
        };
      },
    };
  }

  #follow(signal: AbortSignal, aborted: () => void): void {
    if (signal.aborted) return aborted();
    signal.addEventListener("abort", aborted, { once: true });
    this.#releases.push(() => signal.removeEventListener("abort", aborted));
  }
}
