import { abortable } from "../../core/async.ts";
import { parseDuration } from "../../core/scalars/duration.ts";
import { Unreadable } from "../../core/scalars/unreadable.ts";
import { badRequestError } from "../../core/status-error.ts";
import type { Exchange } from "./exchange.ts";
import { isLasting, type RequestInfo } from "./request-info.ts";

const nanosecondsPerMs = 1e6;

/** The timeout of a request in milliseconds: its `timeout` parameter, at most `mostMs`. Throws 400 if the parameter is not a duration. */
export function allowedMs(info: RequestInfo, mostMs: number): number {
  const text = info.query.first("timeout");
  // The duration of a watch is its `timeoutSeconds` parameter.
  if (text === "" || isLasting(info)) return mostMs;
  const read = parseDuration(text);
  if (read instanceof Unreadable) throw badRequestError(`invalid timeout specified in the request URL - ${read.error}`);
  const requested = Number(read) / nanosecondsPerMs;
  return requested > 0 && requested < mostMs ? requested : mostMs;
}

/**
 * Aborts when the client disconnects or the timeout expires. The signal is created at its first use, because dependent signals and timers
 * cost more than a read from memory. The time begins at the first wait.
 */
export class Deadline implements Disposable {
  readonly #exchange: Pick<Exchange, "signal">;
  readonly #milliseconds: number;
  #signal: AbortSignal | undefined;
  #end: number | undefined;
  #release: (() => void) | undefined;

  constructor(exchange: Pick<Exchange, "signal">, milliseconds: number) {
    this.#exchange = exchange;
    this.#milliseconds = milliseconds;
  }
  get signal(): AbortSignal {
    return this.#signal ??= this.#start();
  }
  /**
   * As `abortable` with the signal, for a promise that rejects by itself when the client disconnects: then a timer is enough. Most writes wait
   * for their bodies only.
   */
  within<T>(running: Promise<T>): Promise<T> {
    if (this.#signal !== undefined) return abortable(running, this.#signal);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(tookTooLong()), this.#left());
      running.then((value) => {
        clearTimeout(timer);
        resolve(value);
      }, (error) => {
        clearTimeout(timer);
        const client = this.#exchange.signal;
        reject(client.aborted ? client.reason : error);
      });
    });
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
    const timer = setTimeout(() => over.abort(tookTooLong()), this.#left());
    this.#release = () => {
      clearTimeout(timer);
      client.removeEventListener("abort", disconnected);
    };
    return over.signal;
  }
  #left(): number {
    const now = performance.now();
    this.#end ??= now + this.#milliseconds;
    return Math.max(0, this.#end - now);
  }
}

function tookTooLong(): DOMException {
  return new DOMException("The request took too long", "TimeoutError");
}
