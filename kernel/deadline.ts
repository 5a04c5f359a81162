import type { Exchange } from "./exchange.ts";

/** What was promised, or a rejection with the signal's reason once it aborts. What comes after that is nobody's. */
export function inTime<T>(promised: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const over = () => reject(signal.reason);
    if (signal.aborted) over();
    signal.addEventListener("abort", over, { once: true });
    promised.then(resolve, reject).finally(() => signal.removeEventListener("abort", over));
  });
}

/**
 * When a request must be over: its client is gone, or its time is up, whichever comes first. The signal is made when somebody first
 * waits for something, because signals that follow others and timers that nobody stops cost more than a read from memory.
 */
export class Deadline implements Disposable {
  readonly #exchange: Pick<Exchange, "signal">;
  readonly #milliseconds: number;
  #signal: AbortSignal | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(exchange: Pick<Exchange, "signal">, milliseconds: number) {
    this.#exchange = exchange;
    this.#milliseconds = milliseconds;
  }
  get signal(): AbortSignal {
    return this.#signal ??= this.#start();
  }
  /** The request is answered: its time no longer runs. */
  [Symbol.dispose](): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
  }
  #start(): AbortSignal {
    const client = this.#exchange.signal;
    if (client.aborted) return client;
    const over = new AbortController();
    client.addEventListener("abort", () => over.abort(client.reason), { once: true });
    this.#timer = setTimeout(() => over.abort(new DOMException("The request took too long", "TimeoutError")), this.#milliseconds);
    return over.signal;
  }
}
