/** Carries out an authorized request for a resource, in this thread or in the heavy one. */
import { checkProduced, type Forms, negotiate, prefersPretty } from "../../core/codec/negotiate.ts";
import { bound } from "../../core/bound.ts";
import { methodNotAllowedError } from "../../core/status-error.ts";
import type { Endpoint } from "../catalog/catalog.ts";
import { allowedMs, Deadline } from "../request/deadline.ts";
import type { AuditNotes } from "../../core/audit/notes.ts";
import { header, type Reply } from "../request/exchange.ts";
import { HandOver, type HeavyReply, HeavyRoute } from "../request/hand-over.ts";
import type { Route } from "../request/route.ts";
import {
  heavyHost,
  heavyRequest,
  isHeavyBody,
  receiveBody,
  requestBudget,
  type RequestContext,
  turnBodyBytesMin,
  turns,
} from "../request-context.ts";
import type { VerbResult } from "../respond/result.ts";
import { noteDeprecation, noteResult } from "../respond/audited.ts";
import type { Server } from "../server.ts";
import { connect } from "../verbs/connect.ts";
import { verbs } from "../verbs/mod.ts";
import { checkNamed, checkPatchType } from "../verbs/patch.ts";
import { writeStatus } from "../write/write-status.ts";
import { timedBackend } from "./timed-backend.ts";

/** Steps of one request in the heavy thread. A request with more is rejected with 413. */
export const requestStepsMax = bound(50_000_000);
/** Steps of one request that cannot run in the heavy thread, because its kind is converted by a webhook. */
const undividedStepsMax = bound(5_000_000);

/** A request of an authenticated and authorized user for a resource. */
export interface AuthorizedRequest extends Pick<RequestContext, "exchange" | "info" | "user" | "catalog" | "warnings" | "step"> {
  readonly where: Route;
  readonly audit?: AuditNotes | undefined;
  readonly server: Pick<Server, "backend" | "requestTimeoutMs" | "access" | "authorize" | "deprecated" | "heavy" | "report">;
}

/** How results become answers. */
export interface Answers<Answer> {
  /** The answer with the result of a verb. May hand over a read whose object is large. */
  of(call: RequestContext, result: VerbResult): Answer | Promise<Answer>;
  /** The answer with the reply of another server, such as a kubelet. Absent where a caller cannot have it. */
  passed?(reply: Reply): Answer;
  /** The answer with a reply of the heavy thread. */
  moved(reply: HeavyReply): Answer;
}

/** Runs the steps of a request after its authorization. */
export async function dispatch<Answer>(authorized: AuthorizedRequest, answers: Answers<Answer>): Promise<Answer> {
  checkForm(authorized);
  noteDeprecated(authorized);
  const { exchange, info, where: { verb }, server, step, audit } = authorized;
  // Not `using`: V8 runs it outside of optimized code.
  const deadline = new Deadline(exchange, allowedMs(info, server.requestTimeoutMs));
  let call: RequestContext & { body: Uint8Array } | undefined;
  let restore = (): void => {};
  try {
    call = requestContextOf(authorized, deadline);
    if (isConnect(authorized)) return passedOf(answers)(await connect(call));
    if (hasObject.has(verb)) call.body = await receiveBody(call);
    if (isHeavyBody(call, call.body)) return answers.moved(await inHeavyThread(call));
    // Several medium bodies together would take as long as a heavy one.
    if (call.body.length > turnBodyBytesMin) await turns.next();
    if (call.heavy !== undefined) restore = notesOf(call);
    const result = await verbs[verb](call);
    step("verb done");
    if (audit === undefined) return await answers.of(call, result);
    await noteResult(call, audit, result);
    const { now } = call.backend.meter, begun = now(), answer = await answers.of(call, result);
    audit.took("serialize-response-object", now() - begun);
    return answer;
  } catch (error) {
    if (!(error instanceof HandOver) || call === undefined) throw error;
    restore();
    return answers.moved(await inHeavyThread(call));
  } finally {
    deadline[Symbol.dispose]();
  }
}

/** The verbs whose body is an object or a patch. Deletions read their options themselves. */
const hasObject: ReadonlySet<Route["verb"]> = new Set(["create", "update", "patch"]);

function passedOf<Answer>({ passed }: Answers<Answer>): (reply: Reply) => Answer {
  if (passed === undefined) throw methodNotAllowedError();
  return passed;
}
function isConnect({ where: { subresource } }: Pick<AuthorizedRequest, "where">): boolean {
  return subresource?.options !== undefined;
}

/** Throws for a form of the request or of the response that the endpoint does not have. */
function checkForm(authorized: AuthorizedRequest): void {
  const { exchange, where: { endpoint, verb }, catalog: { media } } = authorized;
  if (isConnect(authorized)) return;
  if (endpoint.resource.custom) return checkNamed(authorized);
  // Upstream's handler of custom resources has no such check.
  if (verb === "patch") checkPatchType({ exchange, endpoint, media });
  checkProduced(header(exchange, "accept"), verb === "list" || verb === "watch" ? media.listTypes : media.types);
}

function noteDeprecated({ info, where: { endpoint }, catalog, server, warnings, audit }: AuthorizedRequest): void {
  const { deprecation } = endpoint;
  if (deprecation === undefined) return;
  warnings.add(deprecation.warning);
  if (audit !== undefined) noteDeprecation(audit, catalog.names, deprecation.removedRelease);
  server.deprecated(endpoint, info.subresource, deprecation.removedRelease);
}

/** Returns a function that removes the warnings and audit notes of a verb: in the heavy thread it gives them again. */
function notesOf({ warnings, audit }: RequestContext): () => void {
  const warned = warnings.checkpoint(), noted = audit?.checkpoint();
  return () => {
    warned();
    noted?.();
  };
}

function inHeavyThread(call: RequestContext): Promise<HeavyReply> {
  // A call without a route does not hand over.
  return call.heavy!.work.run("answer", heavyRequest(call, call.body), heavyHost(call), call.deadline.signal);
}

/** The context of an authorized request, before its body is read. */
export function requestContextOf(
  { exchange, info, where, user, catalog, server, warnings, step, audit }: AuthorizedRequest,
  deadline: Deadline,
): RequestContext & { body: Uint8Array } {
  const { endpoint, verb, subresource } = where;
  const accept = isConnect({ where }) ? "" : header(exchange, "accept"); // what is passed on is not negotiated here
  const output = negotiate(accept, catalog.media, formsOf(where));
  const mayHandOver = server.heavy === undefined || canBeHeavy(endpoint, verb);
  return {
    exchange,
    body: noBytes,
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
    backend: audit === undefined ? server.backend : timedBackend(server.backend, audit),
    writeStatus,
    report: server.report,
    deadline: verb === "watch" ? exchange : deadline,
    heavy: server.heavy === undefined || !mayHandOver ? undefined : new HeavyRoute(server.heavy),
    takeBacks: [],
    budget: requestBudget(mayHandOver ? requestStepsMax : undividedStepsMax),
  };
}
const noBytes = new Uint8Array();

/** Conversions are called in this thread. */
function canBeHeavy({ resource }: Endpoint, verb: Route["verb"]): boolean {
  return verb !== "list" && verb !== "watch" && resource.conversion === undefined && resource.allocate === undefined;
}

function formsOf({ endpoint: { resource }, verb, subresource }: Route): Forms {
  if (resource.custom) return "custom";
  const hasNone = resource.handleCreate !== undefined || subresource?.definition.hasTable === false;
  return hasNone || (verb === "create" && subresource?.response !== undefined) ? "withoutTable" : "all";
}
