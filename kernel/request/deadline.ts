import { parseDuration } from "../../core/scalars/duration.ts";
import { Unreadable } from "../../core/scalars/unreadable.ts";
import { badRequestError } from "../../core/status-error.ts";
import type { Exchange } from "./exchange.ts";
import type { RequestInfo } from "./request-info.ts";

const nanosecondsPerMs = 1e6;

/** The timeout of a request in milliseconds: its `timeout` parameter, at most `mostMs`. Throws 400 if the parameter is not a duration. */
export function allowedMs({ verb, query }: Pick<RequestInfo, "verb" | "query">, mostMs: number): number {
  const text = query.first("timeout");
  // The duration of a watch is its `timeoutSeconds` parameter.
  if (text === "" || verb === "watch") return mostMs;
  const read = parseDuration(text);
  if (read instanceof Unreadable) throw badRequestError(`invalid timeout specified in the request URL - ${read.error}`);
  const requested = Number(read) / nanosecondsPerMs;
  return requested > 0 && requested < mostMs ? requested : mostMs;
}

/**
 * Aborts when the client disconnects or the timeout expires. The signal is created at its first use, because dependent signals and timers
 * cost more than a read from memory.
 */
export class Deadline implements Disposable {
  readonly #exchange: Pick<Exchange, "signal">;
  readonly #milliseconds: number;
  #signal: AbortSignal | undefined;
  #release: (() => void) | undefined;

  constructor(exchange: Pick<Exchange, "signal">, milliseconds: number) {
    this.#exchange = exchange;
    this.#milliseconds = milliseconds;
  }
  get signal(): AbortSignal {
    return this.#signal ??= this.#start();
  }
  /** Stops the timer and stops following the client after the response: all requests of the server itself have one client, which stays. */
  [Symbol.dispose](): void {
    this.#release?.();
  }
  #start(): AbortSignal {
    const client = this.#exchange.signal;
    if (client.aborted) return client;
    const over = new AbortController();
    const disconnected = () => over.abort(client.reason);
    client.addEventListener("abort", disconnected, { once: true });
    const timer = setTimeout(() => over.abort(new DOMException("The request took too long", "TimeoutError")), this.#milliseconds);
    this.#release = () => {
      clearTimeout(timer);
      client.removeEventListener("abort", disconnected);
    };
    return over.signal;
  }
}
