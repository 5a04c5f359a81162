/** The steps of a request, from top to bottom: authenticate, impersonate, limit, authorize, dispatch. */
import { checkProduced, type Forms, negotiate, negotiateError, prefersPretty } from "../core/codec/negotiate.ts";
import { incompleteError, StatusError, statusOf } from "../core/status-error.ts";
import { goQuote } from "../core/tree/go-quote.ts";
import { AuthorizationFailure } from "./access/authorization/mod.ts";
import { Unauthenticated } from "./access/authentication/mod.ts";
import { AuditFailure, type AuditRecord } from "./access/audit/mod.ts";
import { noteDeprecation, noteDiscovery, noteFailure, noteResult } from "./respond/audited.ts";
import { replyOf, statusReply } from "./respond/answer.ts";
import { auditIdOf } from "./request/audit-id.ts";
import type { AuditNotes } from "./request/audit-notes.ts";
import type { UserInfo } from "../core/user-info.ts";
import { heavyHost, heavyRequest, requestBudget, type RequestContext, turns } from "./request-context.ts";
import { type Exchange, header, type Reply } from "./request/exchange.ts";
import type { Catalog, Endpoint } from "./catalog/catalog.ts";
import { allowedMs, Deadline } from "./request/deadline.ts";
import { isBug, toStatusError, withStoreTrouble } from "./respond/failure.ts";
import { HandOver, type HeavyReply } from "./request/hand-over.ts";
import { notFoundText, textReply } from "./respond/text.ts";
import { parseQuery } from "./request/query.ts";
import { requestInfo } from "./request/request-info.ts";
import { acceptsStatus, unservedKindError } from "./request/unserved-kinds.ts";
import { isApiPath, type Route, route } from "./request/route.ts";
import type { Server } from "./server.ts";
import { pageRight, wantsPage } from "./nonresource/status-page.ts";
import { verbs } from "./verbs/mod.ts";
import { checkNamed, checkPatchType } from "./verbs/patch.ts";
import { Warnings } from "./request/warnings.ts";
import { writeStatus } from "./write/write-status.ts";
import { bound } from "../core/bound.ts";

/** Steps of one request in the heavy thread. A request with more is rejected with 413. */
export const requestStepsMax = bound(50_000_000);
/** Steps of one request that cannot run in the heavy thread, because its kind is converted by a webhook. */
const undividedStepsMax = bound(5_000_000);
/** URLs longer than this are parsed one per turn of the event loop: a selector of 600 kB takes about 100 ms. */
const turnUrlCharactersMin = bound(16 * 1024);

/** Handles a request from the network. Never rejects: the only place where an error becomes a reply. */
export async function handle(exchange: Exchange, server: Server): Promise<Reply> {
  if (exchange.url.length > turnUrlCharactersMin) await turns.next();
  const info = requestInfo(exchange.method, exchange.url);
  // As Go's server rejects a malformed request, before any handler: without the common headers.
  if (info === undefined) return { status: 400, headers: { "content-type": "text/plain; charset=utf-8" }, body: "400 Bad Request" };
  if (info.cutShort) return cutShortReply(exchange.url);
  const { catalog } = server;
  const warnings = new Warnings();
  const auditId = auditIdOf(exchange);
  const receivedAt = server.audit?.now() ?? 0;
  const seen = server.observe(exchange, info, catalog, auditId);
  let user: UserInfo | undefined, where: Route | undefined, audit: AuditRecord | undefined;
  let stage: "request" | "authentication" | "audit" | "impersonation" | "authorization" | "answer" = "request";
  const finished = (reply: Reply) => {
    const whole = withCommonHeaders(reply, warnings, auditId);
    // Before authentication the user is unknown, which differs from anonymous.
    return seen.end(stage !== "request" && server.sendsGoaway(exchange, user, catalog) ? { ...whole, goAway: true } : whole);
  };
  const out = (reply: Reply) => audit === undefined ? finished(reply) : audit.end(finished(reply));
  try {
    allowedMs(info, server.requestTimeoutMs); // Rejects an invalid timeout before authentication.
    stage = "authentication";
    user = await server.authenticate(exchange, (text) => warnings.add(text));
    seen.user(user);
    if (server.audit !== undefined) {
      stage = "audit";
      audit = server.audit.begin(exchange, info, user, auditId, receivedAt);
      await audit?.received();
    }
    stage = "impersonation";
    // From here on `actor` is the user of the request; `user` is the authenticated one.
    const impersonated = await server.impersonate(exchange, user, catalog.names);
    const { user: actor, exchange: asked } = impersonated ?? { user, exchange };
    if (impersonated !== undefined) {
      seen.impersonates(actor);
      audit?.impersonates(actor);
    }
    stage = "authorization";
    seen.holds(server.admit(info));
    await server.authorize(actor, info, audit?.decided, exchange);
    seen.step("authorized");
    stage = "answer";
    if (!info.isResourceRequest) {
      if (wantsPage(asked, info)) await server.authorize(actor, { ...info, path: pageRight });
      const mayGet = (path: string) => server.authorize(actor, { ...info, path }).then(() => true, () => false);
      const reply = await server.nonresource(asked, info, catalog, mayGet);
      if (reply.status === 404 && info.path.startsWith("/apis/") && !server.isComplete()) throw incompleteError();
      if (audit !== undefined) await noteDiscovery(audit.notes, info, reply);
      return out(reply);
    }
    if (!isApiPath(info, catalog)) {
      if (!server.isComplete()) throw incompleteError();
      const leftOut = unservedKindError(info, catalog);
      if (leftOut !== undefined && acceptsStatus(header(asked, "accept"), catalog.media)) throw leftOut;
      return out(notFoundText());
    }
    where = route(info, exchange.method, catalog);
    return out(
      await dispatch({ exchange: asked, info, where, user: actor, audit: audit?.notes, catalog, server, warnings, step: seen.step }),
    );
  } catch (error) {
    if (error instanceof AuthorizationFailure && stage === "authorization") return out(internalErrorText(exchange.url, error.failure));
    if (error instanceof AuditFailure) return finished(internalErrorText(exchange.url, error.message));
    const mapped = toStatusError(error, info, server.report);
    // As any address of the store, for users with the right to the request only.
    const failure = stage === "answer" ? withStoreTrouble(mapped, server.storeTrouble()) : mapped;
    const reply = (wantsPage(exchange, info) ? server.refusedPage(failure) : undefined) ??
      errorReply(exchange, failure, catalog, where === undefined ? catalog.earlyMedia : catalog.media);
    const isRefusal = stage === "impersonation" || (failure.reason === "Forbidden" && stage !== "answer");
    const shown = isRefusal ? withoutSniffing(reply) : reply;
    const refusal = error instanceof Unauthenticated ? error.refusal : undefined;
    if (refusal !== undefined) server.unauthenticated(auditId, refusal);
    if (server.audit === undefined) return finished(shown);
    if (stage === "request" || stage === "authentication") {
      const refused = server.audit.begin(exchange, info, undefined, auditId, receivedAt);
      if (refused === undefined) return finished(shown);
      if (refusal !== undefined) refused.unauthenticated(refusal);
      noteFailure(refused.notes, failure);
      return refused.refused(finished(shown));
    }
    if (audit === undefined) return finished(shown);
    noteFailure(audit.notes, failure);
    return isBug(error) ? audit.panicked(failure.message, finished(shown)) : audit.end(finished(shown));
  }
}

/** A request of an authenticated and authorized user for a resource. */
export interface AuthorizedRequest extends Pick<RequestContext, "exchange" | "info" | "user" | "catalog" | "warnings" | "step"> {
  readonly where: Route;
  readonly audit?: AuditNotes | undefined;
  readonly server: Pick<Server, "backend" | "requestTimeoutMs" | "access" | "authorize" | "deprecated" | "heavy" | "report">;
}

/** Runs the steps of a request after its authorization. */
export async function dispatch(authorized: AuthorizedRequest): Promise<Reply> {
  const { exchange, info, where: { endpoint, verb }, catalog, server, warnings, step, audit } = authorized;
  const { media } = catalog;
  if (endpoint.resource.custom) checkNamed(authorized);
  else { // Upstream's handler of custom resources has no such check.
    if (verb === "patch") checkPatchType({ exchange, endpoint, media });
    checkProduced(header(exchange, "accept"), verb === "list" || verb === "watch" ? media.listTypes : media.types);
  }
  if (endpoint.deprecation !== undefined) {
    warnings.add(endpoint.deprecation.warning);
    if (audit !== undefined) noteDeprecation(audit, catalog.names, endpoint.deprecation.removedRelease);
    server.deprecated(endpoint, info.subresource, endpoint.deprecation.removedRelease);
  }
  // Not `using`: V8 runs it outside of optimized code.
  const deadline = new Deadline(exchange, allowedMs(info, server.requestTimeoutMs));
  let call: RequestContext | undefined;
  try {
    call = requestContextOf(authorized, deadline);
    const found = await verbs[verb](call);
    step("verb done");
    if (audit !== undefined) await noteResult(call, audit, found);
    return await replyOf(call, found);
  } catch (error) {
    if (!(error instanceof HandOver) || call?.heavy === undefined) throw error;
    return replyFrom(await call.heavy.work.run("answer", heavyRequest(call), heavyHost(call), deadline.signal));
  } finally {
    deadline[Symbol.dispose]();
  }
}

/** The context of an authenticated request. */
export function requestContextOf(
  { exchange, info, where, user, catalog, server, warnings, step, audit }: AuthorizedRequest,
  deadline: Deadline,
): RequestContext {
  const { endpoint, verb, subresource } = where;
  const output = negotiate(header(exchange, "accept"), catalog.media, formsOf(where));
  const mayHandOver = server.heavy === undefined || canBeHeavy(endpoint, verb);
  return {
    exchange,
    info,
    user,
    catalog,
    endpoint,
    subresource,
    output,
    pretty: prefersPretty(info.query.first("pretty"), header(exchange, "user-agent"), output),
    warnings,
    step,
    access: server.access,
    authorize: (other) => server.authorize(user, other, undefined, exchange),
    audit,
    backend: server.backend,
    writeStatus,
    report: server.report,
    deadline: verb === "watch" ? exchange : deadline,
    heavy: server.heavy === undefined || !mayHandOver ? undefined : { work: server.heavy, body: undefined },
    takeBacks: [],
    budget: requestBudget(mayHandOver ? requestStepsMax : undividedStepsMax),
  };
}

/** Conversions are called in this thread. */
function canBeHeavy({ resource }: Endpoint, verb: Route["verb"]): boolean {
  return verb !== "list" && verb !== "watch" && resource.conversion === undefined;
}

function formsOf({ endpoint: { resource }, verb, subresource }: AuthorizedRequest["where"]): Forms {
  if (resource.custom) return "custom";
  return resource.handleCreate !== undefined || (verb === "create" && subresource?.response !== undefined) ? "withoutTable" : "all";
}

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
function withCommonHeaders(reply: Reply, warnings: Warnings, auditId: string): Reply {
  const texts = warnings.headers();
  return {
    ...reply,
    headers: {
      "audit-id": auditId,
      "cache-control": "no-cache, private",
      ...reply.headers,
      ...(texts.length === 0 ? {} : { warning: texts }),
    },
  };
}
