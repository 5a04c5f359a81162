/** The main thread's store, for the heavy thread. */
import type { Access, CallWebhook } from "../../core/access.ts";
import type { Attributes } from "../../kernel/cache/index/attributes.ts";
import type { Batch, Change, Commit, Entry, Listing, Page, Range, Revision, Store } from "../../kernel/store/store.ts";
import { errorOf } from "./errors.ts";
import type { AccessQuestion, Answers, JobMessage, Question, Settled } from "./messages.ts";

export class RemoteStore implements Store {
  readonly #post: (message: JobMessage, transfer?: readonly ArrayBuffer[]) => void;
  readonly #signal: AbortSignal;
  readonly #attributesOf: (key: string, value: Uint8Array) => Attributes | undefined;
  readonly #asked = new Map<number, PromiseWithResolvers<unknown>>();
  #last = 0;

  /** Reads reject with the reason of `signal` when it aborts. A commit in progress is waited for. */
  constructor(
    post: (message: JobMessage, transfer?: readonly ArrayBuffer[]) => void,
    signal: AbortSignal,
    attributesOf: (key: string, value: Uint8Array) => Attributes | undefined,
  ) {
    this.#post = post;
    this.#signal = signal;
    this.#attributesOf = attributesOf;
  }

  answered(id: number, answer: Settled): void {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (answer.ok) asked?.resolve(answer.value);
    else asked?.reject(errorOf(answer.error));
  }

  /** Access to users and rights, through the main thread. */
  readonly access: Access = {
    // The main thread has the list of waiting callers.
    authorize: (user, attributes) => this.#access("authorize", [user, attributes]),
    rules: (...args) => this.#access("rules", args),
    authenticateToken: (...args) => this.#access("authenticateToken", args),
    issueToken: (...args) => this.#access("issueToken", args),
  };
  authorize(verb: string): Promise<void> {
    return this.#ask({ op: "authorize", verb });
  }
  /** Calls an admission webhook, through the main thread, which has the connections and the signal of the request. */
  readonly callWebhook: CallWebhook = (call) => this.#ask({ op: "webhook", call });
  get(key: string): Promise<{ readonly entry: Entry | undefined; readonly revision: Revision }> {
    return this.#ask({ op: "get", key });
  }
  list(range: Range, { signal: _, ...page }: Page = {}): Promise<Listing> {
    return this.#ask({ op: "list", range, page });
  }
  async commit({ key, expect, value, ttlSeconds, frees = false }: Change): Promise<Commit> {
    const attributes = value === undefined ? undefined : this.#attributesOf(key, value);
    return await this.#ask({ op: "commit", key, expect, value, ttlSeconds, frees, attributes });
  }
  newest(): undefined {
    return undefined;
  }
  watch(): AsyncIterable<Batch> {
    throw new Error("The heavy thread does not watch");
  }
  claim(): Promise<never> {
    throw new Error("The heavy thread does not compact");
  }
  compact(): Promise<void> {
    throw new Error("The heavy thread does not compact");
  }
  size(): Promise<number> {
    throw new Error("The heavy thread does not measure");
  }
  close(): Promise<void> {
    return Promise.resolve();
  }

  #access<Name extends keyof Access>(name: Name, args: Parameters<Access[Name]>): ReturnType<Access[Name]> {
    // `as`: the types of a question with that name and those arguments, and of its answer.
    return this.#ask({ op: "access", name, args } as AccessQuestion) as ReturnType<Access[Name]>;
  }
  async #ask<Q extends Question>(question: Q): Promise<Answers[Q["op"]]> {
    this.#signal.throwIfAborted();
    const id = ++this.#last, asked = Promise.withResolvers<unknown>();
    this.#asked.set(id, asked);
    this.#post({ tag: "question", id, question });
    return await asked.promise as Answers[Q["op"]]; // The type of the answer to a question of that name.
  }
}
