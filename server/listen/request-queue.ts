import { constants, type ServerHttp2Session } from "node:http2";
import type { Request, Response } from "./request.ts";
import type { StepScheduler } from "./step-scheduler.ts";
import { bound } from "../../core/bound.ts";
import { earlyResetsMax, requestsPerTurnMax } from "./bounds.ts";

/** Chunks of the bodies of one HTTP/2 connection that one turn of the event loop reads. */
export const piecesPerTurnMax = bound(256);

type Serve = (request: Request, response: Response) => void;
interface Carrier {
  readonly session: ServerHttp2Session | undefined;
  readonly input: { hold(): void; release(): void } | undefined;
}
interface Waiting {
  readonly request: Request;
  readonly response: Response;
  readonly closed: () => void;
}

/**
 * The requests of one HTTP/2 connection. Some are served at once in each turn of the event loop; others wait for later turns, and
 * reading pauses meanwhile. A waiting request that its client resets is not served. Too many resets before an answer end the session (as
 * in Go's server): a client could otherwise cause endless work for answers that it never reads.
 */
export class RequestQueue {
  readonly #connection: Carrier;
  readonly #turns: StepScheduler;
  readonly #waiting: Waiting[] = [];
  #serve: Serve = () => {};
  #turn = -1;
  #begun = 0;
  #stepping = false;
  #pieces = 0;
  /** Resets before an answer, minus answered requests. */
  #resets = 0;
  #ended = false;

  constructor(connection: Carrier, turns: StepScheduler) {
    this.#connection = connection;
    this.#turns = turns;
  }
  take(request: Request, response: Response, serve: Serve): void {
    if (this.#ended) return;
    this.#renew();
    if (!this.#stepping && this.#begun < requestsPerTurnMax) {
      this.#begun++;
      return serve(request, response);
    }
    this.#serve = serve;
    const closed = (): void => this.closed(false);
    this.#waiting.push({ request, response, closed });
    request.on("error", ignore);
    response.on("error", ignore).once("close", closed);
    this.#pause();
  }
  /** Records the end of a request; `answered`: its answer had begun. */
  closed(answered: boolean): void {
    if (answered) this.#resets = Math.max(0, this.#resets - 1);
    else if (++this.#resets > earlyResetsMax) this.#end();
  }
  /** Counts one piece of a body that was read. */
  read(): void {
    this.#renew();
    if (++this.#pieces < piecesPerTurnMax || this.#stepping) return;
    this.#pause();
  }

  #renew(): void {
    const { current } = this.#turns;
    if (this.#turn === current) return;
    this.#turn = current;
    this.#begun = 0;
    this.#pieces = 0;
  }
  #pause(): void {
    if (this.#stepping) return;
    this.#stepping = true;
    this.#connection.input?.hold();
    this.#turns.add(() => this.#step());
  }
  #step(): boolean {
    let begun = 0, at = 0;
    for (; at < this.#waiting.length && begun < requestsPerTurnMax && !this.#ended; at++) {
      const { request, response, closed } = this.#waiting[at]!;
      if (isReset(response)) continue;
      begun++;
      response.off("close", closed);
      this.#serve(request, response);
    }
    this.#waiting.splice(0, this.#ended ? Infinity : at);
    if (this.#waiting.length > 0) return true;
    this.#stepping = false;
    this.#connection.input?.release();
    return false;
  }
  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    const { session } = this.#connection;
    if (session === undefined || session.destroyed) return;
    session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }
}

function ignore(): void {}

/** Whether the client of an HTTP/2 request has reset its stream. */
export function isReset(response: Response): boolean {
  return "stream" in response && response.stream.destroyed;
}
