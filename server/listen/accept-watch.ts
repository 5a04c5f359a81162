/**
 * Notices that a listener no longer accepts connections. Deno 2.9 stops accepting for good, without an error, when an accept fails because the
 * limit of open files is reached (docs/decisions/0035-accepting-connections.md).
 */
import { reasonOf } from "../../core/reason-of.ts";

/** How an attempt to connect ended. `elsewhere`: another process that listens on the same port answered. */
export type Attempt = "accepted" | "elsewhere" | "unanswered" | "impossible";

export interface AcceptWatchOptions {
  /** Number of connections that were accepted so far. */
  accepted(): number;
  /** Connects to the listener, and waits so many times as long as usual. */
  attempt(patience: number): Promise<Attempt>;
  /** Listens anew on the same address. */
  listenAnew(): Promise<void>;
  notice(message: string): void;
  /** Called when listening anew does not help. */
  fail(error: Error): void;
}

/** Looks without an accepted connection between two attempts. */
const looksBetween = 12;
/** Attempts without an answer before the listener is taken as dead: a busy machine answers late. */
const unansweredMax = 2;
/** Attempts that other processes answer, of up to 16, before this listener is taken as dead. */
const elsewhereMax = 64;
/** Times that a listener listens anew without an accepted connection. */
const renewalsMax = 3;
/** Attempts wait this many times longer after each renewal. Where other programs take all cores, a handshake can take many seconds although the listener works. */
const patienceFactor = 3;

/** Call `look` every few seconds. It connects only if nothing was accepted since the last look: once, and then once a minute. */
export class AcceptWatch {
  readonly #options: AcceptWatchOptions;
  #accepted = 0;
  /** Looks since a connection was accepted. */
  #quiet = 0;
  #renewals = 0;
  #isLooking = false;
  #isOver = false;

  constructor(options: AcceptWatchOptions) {
    this.#options = options;
  }
  async look(): Promise<void> {
    if (this.#isLooking || this.#isOver) return;
    const accepted = this.#options.accepted();
    if (accepted !== this.#accepted) {
      this.#accepted = accepted;
      this.#quiet = this.#renewals = 0;
      return;
    }
    if (this.#quiet++ % looksBetween !== 0) return;
    this.#isLooking = true;
    try {
      if (await this.#isDead()) await this.#renew();
      else this.#renewals = 0;
    } finally {
      this.#isLooking = false;
      this.#accepted = this.#options.accepted();
    }
  }
  end(): void {
    this.#isOver = true;
  }

  async #isDead(): Promise<boolean> {
    for (let unanswered = 0, elsewhere = 0; unanswered < unansweredMax && elsewhere < elsewhereMax;) {
      const attempt = await this.#options.attempt(patienceFactor ** this.#renewals);
      if (this.#isOver || attempt === "accepted" || attempt === "impossible") return false;
      if (attempt === "elsewhere") elsewhere++;
      else unanswered++;
    }
    return true;
  }
  async #renew(): Promise<void> {
    const { notice, listenAnew } = this.#options;
    this.#quiet = 0; // Looks again next time.
    if (++this.#renewals > renewalsMax) {
      return this.#end(new Error(`the listener accepts no connections, also after listening anew ${renewalsMax} times`));
    }
    notice("the listener accepted no connections, perhaps because the limit of open files was reached; it listens anew");
    try {
      await listenAnew();
    } catch (error) {
      this.#end(new Error(`the listener accepts no connections, and cannot listen anew: ${reasonOf(error)}`, { cause: error }));
    }
  }
  #end(error: Error): void {
    this.#isOver = true;
    this.#options.fail(error);
  }
}
