/** Handles a request that may meet faults. */
import { pause } from "../../core/async.ts";
import { handle } from "../../kernel/handle.ts";
import { Item } from "../../kernel/objects/objects.ts";
import type { Reads } from "../../kernel/reads/reads.ts";
import { type Exchange, header, type Reply } from "../../kernel/request/exchange.ts";
import type { RequestInfo } from "../../kernel/request/request-info.ts";
import type { Backend } from "../../kernel/request-context.ts";
import type { Server } from "../../kernel/server.ts";
import { discardReply } from "../../server/listen/reply/sink.ts";
import type { UserInfo } from "../../core/user-info.ts";
import { millisecondsOf } from "../milliseconds.ts";
import { FaultyWatch } from "./faulty-watch.ts";
import { effectText, errorOf, type KnownRequest } from "./rule.ts";
import type { ChosenEffect, FaultSource } from "./server-faults.ts";

/** The reply of a connection that breaks before the head of the reply. */
const dropped: Reply = Object.freeze({ status: 503, headers: {}, body: "", isDropped: true });

/**
 * Handles a request. The faults that match it are chosen when its user is known, and have effect after its authorization. `known` is called with the
 * request when its user is known.
 */
export async function handleWithFaults(
  exchange: Exchange,
  server: Server,
  faults: FaultSource,
  known: (request: KnownRequest) => void = () => {},
): Promise<Reply> {
  const faulty = new FaultyRequest(server, faults, known);
  return faulty.replied(await handle(exchange, faulty.server()));
}

class FaultyRequest {
  readonly #server: Server;
  readonly #faults: FaultSource;
  readonly #known: (request: KnownRequest) => void;
  #request: KnownRequest | undefined;
  #effect: ChosenEffect | undefined;
  #isPermitted = false;
  #backend: Backend | undefined;

  constructor(server: Server, faults: FaultSource, known: (request: KnownRequest) => void) {
    this.#server = server;
    this.#faults = faults;
    this.#known = known;
  }

  /** The server of this request. Object.create, not a copy: the catalog is a getter. */
  server(): Server {
    const server = this.#server;
    return Object.create(server, {
      admit: { value: this.#admit.bind(this) },
      elsewhere: { value: this.#elsewhere.bind(this) },
      backend: { get: () => this.#backend ??= { ...server.backend, reads: this.#reads(server.backend) } },
    });
  }

  /** The reply that the client gets. */
  replied(reply: Reply): Reply {
    if (this.#effect?.drop === undefined || !this.#isPermitted) return reply;
    discardReply(reply);
    return dropped;
  }

  #admit(exchange: Exchange, info: RequestInfo, user: UserInfo): ReturnType<Server["admit"]> {
    const request = this.#request = { user: user.name, groups: user.groups, info, applies: isApply(exchange, info) };
    this.#known(request);
    const effect = this.#effect = this.#faults.choose(request);
    if (effect?.delay === undefined) return this.#server.admit(exchange, info, user);
    return pause(millisecondsOf(effect.delay), exchange.signal, this.#faults.clock).then(() => this.#server.admit(exchange, info, user));
  }

  /** The next step after the authorization: the error in place of the request, if it has one. */
  #elsewhere(...args: Parameters<NonNullable<Server["elsewhere"]>>): Promise<Reply> | undefined {
    this.#isPermitted = true;
    if (this.#effect !== undefined) this.#faults.note(this.#request!, effectText(this.#effect));
    const { answer, drop } = this.#effect ?? {};
    if (drop === "before") return Promise.reject(errorOf({ code: 503 })); // which nobody gets
    return answer === undefined ? this.#server.elsewhere?.(...args) : Promise.reject(errorOf(answer));
  }

  #reads({ reads, store }: Backend): Reads {
    /** The revision that a read of any age sees because of a fault. */
    const staleAt = (resourceVersion: string) => resourceVersion === "" || resourceVersion === "0" ? this.#effect?.readsAt : undefined;
    return {
      live: (...args) => reads.live(...args),
      inMemory: (collection) => reads.inMemory(collection),
      changeMark: (collection) => reads.changeMark(collection),
      get: async (kind, key, resourceVersion, waiter, timed) => {
        const at = staleAt(resourceVersion);
        if (at === undefined) return await reads.get(kind, key, resourceVersion, waiter, timed);
        const { entries: [entry] } = await store.list({ prefix: key, upTo: key }, { at, limit: 1 });
        return entry === undefined ? undefined : new Item(kind, entry);
      },
      list: async (collection, options, names, signal, timed) => {
        const at = options.continue === "" ? staleAt(options.resourceVersion) : undefined;
        const exact = at === undefined ? {} : { resourceVersion: String(at), resourceVersionMatch: "Exact" };
        return await reads.list(collection, { ...options, ...exact }, names, signal, timed);
      },
      watch: async (watching) => {
        const watch = new FaultyWatch(this.#faults.nextWatch()), closed = this.#faults.opened(this.#request!, watch); // it was admitted
        const { endWatch } = this.#effect ?? {};
        try {
          const source = await reads.watch(watch.wrapped(watching));
          if (endWatch !== undefined) watch.end(endWatch.how, endWatch.afterEvents);
          return watch.frames(source, closed);
        } catch (error) {
          closed();
          throw error;
        }
      },
    };
  }
}

/** Whether a request is a patch of server-side apply. */
function isApply(exchange: Exchange, { verb }: RequestInfo): boolean {
  return verb === "patch" && header(exchange, "content-type").startsWith("application/apply-patch");
}
