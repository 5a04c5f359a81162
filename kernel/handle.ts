/** Requests from the network. */
import { negotiateError, prefersPretty } from "../core/codec/negotiate.ts";
import { incompleteError, type StatusError, statusOf } from "../core/status-error.ts";
import type { Place } from "../core/flow-control.ts";
import { goQuote } from "../core/tree/go-quote.ts";
import type { UserInfo } from "../core/user-info.ts";
import { bound } from "../core/bound.ts";
import { AuthorizationFailure } from "./access/authorization/mod.ts";
import { Unauthenticated } from "./access/authentication/mod.ts";
import { AuditFailure, type AuditRecord } from "./access/audit/mod.ts";
import type { Catalog } from "./catalog/catalog.ts";
import { pageRight, wantsPage } from "./nonresource/status-page.ts";
import type { Observation } from "./observe/observe.ts";
import { dispatch } from "./pipeline/dispatch.ts";
import { isEarly, NotPermitted, Unidentified } from "./pipeline/early-error.ts";
import { type Acting, type Entry, run } from "./pipeline/run.ts";
import { auditIdOf } from "./request/audit-id.ts";
import type { AuditNotes } from "../core/audit/notes.ts";
import { allowedMs } from "./request/deadline.ts";
import { type Exchange, header, type Reply } from "./request/exchange.ts";
import type { HeavyReply } from "./request/hand-over.ts";
import { parseQuery } from "../core/net/query.ts";
import { type RequestInfo, requestInfo } from "./request/request-info.ts";
import { isApiPath, route } from "./request/route.ts";
import { acceptsStatus, unservedKindError } from "./request/unserved-kinds.ts";
import { Warnings } from "./request/warnings.ts";
import { turns } from "./request-context.ts";
import { replyOf, statusReply } from "./respond/answer.ts";
import { noteDiscovery, noteFailure } from "./respond/audited.ts";
import { isBug, toStatusError, withStoreTrouble } from "./respond/failure.ts";
import { notFoundText, textReply } from "./respond/text.ts";
import type { Server } from "./server.ts";

/** URLs longer than this are parsed one per turn of the event loop: a selector of 600 kB takes about 100 ms. */
const turnUrlCharactersMin = bound(16 * 1024);

/** Handles a request from the network. Never rejects. */
export async function handle(exchange: Exchange, server: Server): Promise<Reply> {
  if (exchange.url.length > turnUrlCharactersMin) await turns.next();
  const info = requestInfo(exchange.method, exchange.url);
  // As Go's server rejects a malformed request, before any handler: without the common headers.
  if (info === undefined) return { status: 400, headers: { "content-type": "text/plain; charset=utf-8" }, body: "400 Bad Request" };
  if (info.cutShort) return cutShortReply(exchange.url);
  return await run(new NetworkEntry(exchange, info, server));
}

/** The parts of the steps that differ for a request from the network. */
class NetworkEntry implements Entry<Reply> {
  readonly #exchange: Exchange;
  readonly #info: RequestInfo;
  readonly #server: Server;
  readonly #catalog: Catalog;
  readonly #warnings = new Warnings();
  readonly #auditId: string;
  readonly #receivedAt: number;
  readonly #observation: Observation;
  /** The authenticated user. Before authentication it is unknown, which differs from anonymous. */
  #user: UserInfo | undefined;
  #authenticatedMs = 0;
  #notes: AuditNotes | undefined;
  /** Undefined before the request has asked for it. */
  #place: Place | undefined;
  /** Whether the path has a route: errors before have fewer encodings. */
  #isRouted = false;

  constructor(exchange: Exchange, info: RequestInfo, server: Server) {
    this.#exchange = exchange;
    this.#info = info;
    this.#server = server;
    this.#catalog = server.catalog;
    this.#auditId = auditIdOf(exchange);
    this.#receivedAt = server.audit?.now() ?? 0;
    this.#observation = server.observe(exchange, info, server.catalog, this.#auditId);
  }

  async authenticate(): Promise<UserInfo> {
    let isUnread = true;
    try {
      allowedMs(this.#info, this.#server.requestTimeoutMs); // Rejects an invalid timeout before authentication.
      isUnread = false;
      const begun = this.#now();
      const user = await this.#server.authenticate(this.#exchange, (text) => this.#warnings.add(text));
      this.#authenticatedMs = this.#now() - begun;
      this.#observation.user(user);
      return this.#user = user;
    } catch (error) {
      throw new Unidentified(error, isUnread);
    }
  }

  record(user: UserInfo): AuditRecord | undefined {
    const record = this.#server.audit?.begin(this.#exchange, this.#info, user, this.#auditId, this.#receivedAt);
    this.#notes = record?.notes;
    this.#notes?.took("authentication", this.#authenticatedMs);
    return record;
  }

  #now(): number {
    return this.#server.backend.meter.now();
  }

  async impersonate(user: UserInfo, record: AuditRecord | undefined): Promise<Acting> {
    const exchange = this.#exchange, begun = this.#now();
    try {
      const acting = await this.#server.impersonate(exchange, user, this.#catalog.names, this.#info);
      if (acting === undefined) return { user, exchange };
      this.#observation.impersonates(acting.user);
      record?.impersonates(acting.user, acting.constraint);
      this.#notes?.took("impersonation", this.#now() - begun);
      return acting;
    } catch (error) {
      throw new NotPermitted(error, "impersonation");
    }
  }

  limit({ user }: Acting): void | Promise<void> {
    const begun = this.#notes && this.#now(), place = this.#server.admit(this.#exchange, this.#info, user);
    if (!(place instanceof Promise)) return this.#takes(place);
    return place.then((own) => {
      if (begun !== undefined) this.#notes?.took("apf-queue-wait", this.#now() - begun);
      this.#takes(own);
    });
  }
  #takes(place: Place): void {
    this.#place = place;
    this.#observation.holds(place);
    if (place.refusal !== undefined) throw new NotPermitted(place.refusal, "limit");
  }

  async authorize(user: UserInfo, decided: AuditRecord["decided"] | undefined): Promise<void> {
    try {
      const begun = this.#now();
      await this.#server.authorize(user, this.#info, decided, this.#exchange);
      this.#notes?.took("authorization", this.#now() - begun);
      this.#observation.step("authorized");
    } catch (error) {
      throw new NotPermitted(error, "authorization");
    }
  }

  async answer(acting: Acting, notes: AuditNotes | undefined): Promise<Reply> {
    const info = this.#info, server = this.#server, catalog = this.#catalog;
    const elsewhere = server.elsewhere?.(acting.user, acting.exchange, info, this.#auditId);
    if (elsewhere !== undefined) return this.#finish(await elsewhere);
    if (!info.isResourceRequest) return this.#finish(await this.#answerPath(acting, notes));
    if (!isApiPath(info, catalog)) return this.#finish(this.#answerUnserved(acting.exchange));
    const where = route(info, this.#exchange.method, catalog);
    this.#isRouted = true;
    const { step } = this.#observation;
    return this.#finish(
      await dispatch({ ...acting, info, where, audit: notes, catalog, server, warnings: this.#warnings, step }, replies),
    );
  }

  /** The reply to a path without a resource: discovery, OpenAPI, health, metrics, the status page. */
  async #answerPath({ user, exchange }: Acting, notes: AuditNotes | undefined): Promise<Reply> {
    const info = this.#info, server = this.#server;
    if (wantsPage(exchange, info)) await server.authorize(user, { ...info, path: pageRight });
    const mayGet = (path: string) => server.authorize(user, { ...info, path }).then(() => true, () => false);
    const reply = await server.nonresource(exchange, info, this.#catalog, mayGet);
    if (reply.status === 404 && info.path.startsWith("/apis/") && !server.isComplete()) throw incompleteError();
    if (notes !== undefined) await noteDiscovery(notes, info, reply);
    return reply;
  }

  /** The reply to a path of the API whose resource is not served. */
  #answerUnserved(exchange: Exchange): Reply {
    if (!this.#server.isComplete()) throw incompleteError();
    const leftOut = unservedKindError(this.#info, this.#catalog);
    if (leftOut !== undefined && acceptsStatus(header(exchange, "accept"), this.#catalog.media)) throw leftOut;
    return notFoundText();
  }

  /** The only place where an error becomes a reply. */
  refuse(thrown: unknown, record: AuditRecord | undefined): Reply | Promise<Reply> {
    const server = this.#server, error = isEarly(thrown) ? thrown.error : thrown;
    if (error instanceof AuditFailure) return this.#finish(internalErrorText(this.#exchange.url, error.message));
    if (error instanceof AuthorizationFailure && thrown instanceof NotPermitted) {
      const reply = this.#finish(internalErrorText(this.#exchange.url, error.failure));
      return record === undefined ? reply : record.end(reply);
    }
    const mapped = toStatusError(error, this.#info, server.report);
    // The message about the store may contain its address. Only users who are authorized for the request get it.
    const failure = isEarly(thrown) ? mapped : withStoreTrouble(mapped, server.storeTrouble());
    const reply = this.#finish(this.#refusal(failure, thrown), !(thrown instanceof Unidentified && thrown.isUnread));
    if (thrown instanceof Unidentified) return this.#refuseUnidentified(error, failure, reply);
    if (record === undefined) return reply;
    noteFailure(record.notes, failure);
    return isBug(error) ? record.panicked(failure.message, reply) : record.end(reply);
  }

  #refusal(failure: StatusError, thrown: unknown): Reply {
    const { media, earlyMedia } = this.#catalog;
    const reply = (wantsPage(this.#exchange, this.#info) ? this.#server.refusedPage(failure) : undefined) ??
      errorReply(this.#exchange, failure, this.#catalog, this.#isRouted ? media : earlyMedia);
    const isForbidden = isEarly(thrown) && failure.reason === "Forbidden";
    return isForbidden || (thrown instanceof NotPermitted && thrown.step === "impersonation") ? withoutSniffing(reply) : reply;
  }

  /** Records a request whose user is unknown. */
  #refuseUnidentified(error: unknown, failure: StatusError, reply: Reply): Reply | Promise<Reply> {
    const server = this.#server, refusal = error instanceof Unauthenticated ? error.refusal : undefined;
    if (refusal !== undefined) server.unauthenticated(this.#auditId, refusal);
    const record = server.audit?.begin(this.#exchange, this.#info, undefined, this.#auditId, this.#receivedAt);
    if (record === undefined) return reply;
    if (refusal !== undefined) record.unauthenticated(refusal);
    noteFailure(record.notes, failure);
    return record.refused(reply);
  }

  /** Adds what all replies have, and observes them to their end. */
  #finish(reply: Reply, mayGoAway = true): Reply {
    const whole = withCommonHeaders(reply, this.#warnings, this.#auditId, this.#place);
    if (this.#info.verb === "watch") this.#place?.begun?.();
    const goesAway = mayGoAway && this.#server.sendsGoaway(this.#exchange, this.#user, this.#catalog);
    return this.#observation.end(goesAway ? { ...whole, goAway: true } : whole);
  }
}

/** Results as replies in the encoding that the client accepts. */
export const replies = Object.freeze({ of: replyOf, passed: (reply: Reply) => reply, moved: replyFrom });

/** A reply of the heavy thread. */
function replyFrom({ status, headers, chunks, streamed }: HeavyReply): Reply {
  return { status, headers, body: streamed ? eachOf(chunks) : chunks[0] ?? "" };
}
async function* eachOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/** An error in the encoding that the client accepts; indented JSON if it accepts no encoding of errors. */
export function errorReply(exchange: Exchange, error: StatusError, catalog: Catalog, media = catalog.media): Reply {
  const accepted = negotiateError(header(exchange, "accept"), media);
  const output = accepted ?? { encoding: "json", transform: { as: "object" } } as const;
  const pretty = accepted === undefined || prefersPretty(prettyOf(exchange), header(exchange, "user-agent"), accepted);
  const reply = statusReply({ output, pretty, catalog }, error.code, statusOf(error));
  const seconds = error.details?.retryAfterSeconds;
  return {
    ...reply,
    headers: {
      ...reply.headers,
      ...(seconds === undefined ? {} : { "retry-after": String(seconds) }),
    },
  };
}

function prettyOf({ url }: Exchange): string {
  const at = url.indexOf("?");
  return at < 0 ? "" : parseQuery(url.slice(at + 1)).first("pretty");
}

/** The reply if authorization or audit failed; as upstream's in plain text. */
function internalErrorText(url: string, why: string): Reply {
  return textReply(500, `${escapedHtml(`Internal Server Error: ${goQuote(url)}: ${why}`)}\n`);
}

/** The reply to a path of the old prefixes without a resource; it is sent before authentication. */
function cutShortReply(url: string): Reply {
  const safe = escapedHtml(url);
  return textReply(
    500,
    `Internal Server Error: ${goQuote(safe)}: failed to create RequestInfo: unable to determine kind and namespace from url, ${safe}\n`,
  );
}

function escapedHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Adds the nosniff header, as errors of impersonation and authorization have it. */
function withoutSniffing(reply: Reply): Reply {
  return { ...reply, headers: { ...reply.headers, "x-content-type-options": "nosniff" } };
}

/** Adds the headers of all replies. */
function withCommonHeaders(reply: Reply, warnings: Warnings, auditId: string, place: Place | undefined): Reply {
  const texts = warnings.headers();
  return {
    ...reply,
    headers: {
      "cache-control": "no-cache, private",
      ...reply.headers,
      ...place?.headers,
      "audit-id": auditId, // also of a reply that another server has made
      ...(texts.length === 0 ? {} : { warning: [...[reply.headers["warning"] ?? []].flat(), ...texts] }),
    },
  };
}
