/** The audit of requests: selects the recorded requests, and creates an event for each of their stages. */
import type { AuthorizationDecision } from "../../../core/access.ts";
import { type Names, spell } from "../../../core/names.ts";
import { type Status, StatusError } from "../../../core/status-error.ts";
import type { UserInfo } from "../../../core/user-info.ts";
import { durationText } from "../../../core/scalars/duration.ts";
import { followedBody } from "../../../core/audit/followed-body.ts";
import type { AuditLayer, AuditNotes, NamedObject } from "../../../core/audit/notes.ts";
import { type Exchange, header, type Reply } from "../../request/exchange.ts";
import { isLasting, type RequestInfo } from "../../request/request-info.ts";
import type { AuditBackend, WrittenEvent } from "../../../core/audit/backend.ts";
import { type AuditedObject, type AuditedStatus, type AuditEvent, eventHead, eventMembers } from "../../../core/audit/event.ts";
import type { Audited, Recording } from "../../../core/audit/evaluate.ts";
import type { AuditStage, PolicyLevel } from "../../../core/audit/policy.ts";
import { sourceIps } from "./source-ips.ts";
import { bound } from "../../../core/bound.ts";

/** UTF-16 units of a user agent in an audit event (kube-apiserver's maxUserAgentLength). */
const auditUserAgentLengthMax = bound(1024);
/** Milliseconds above which the audit event of a request has the times of its layers (kube-apiserver's value). */
export const auditLatencyMs = bound(500);
/** Layers whose calls run at the same time: the longest one counts. */
const parallelLayers: ReadonlySet<AuditLayer> = new Set(["apf-queue-wait", "authorization", "validating-webhook"]);

/** The event of a request could not be stored, and its backend is strict: the request fails. */
export class AuditFailure extends StatusError {
  constructor() {
    super("InternalError", "failed to store audit event");
  }
}

/** The counters of the audit. */
export interface AuditMeter {
  /** A request was evaluated. */
  level(level: PolicyLevel): void;
  /** An event was sent to the backends. */
  event(): void;
  /** A request failed because its event could not be stored. */
  rejected(): void;
}

export interface AuditNeeds {
  readonly evaluate: (user: UserInfo | undefined, request: Audited) => Recording;
  readonly backend: AuditBackend;
  readonly names: Names;
  readonly meter: AuditMeter;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The audit of a server. */
export interface Audit {
  /** The record of a request; undefined if the policy does not record it. `user` is undefined if authentication failed. */
  begin(exchange: Exchange, info: RequestInfo, user: UserInfo | undefined, auditId: string, receivedAt: number): AuditRecord | undefined;
  readonly now: () => number;
}

/** The record of one request. Its methods never throw and their promises never reject, except `received`. */
export interface AuditRecord {
  readonly notes: AuditNotes;
  /** The stage RequestReceived. Throws an `AuditFailure` if a strict backend could not store it. */
  received(): Promise<void>;
  /** `constraint`: the verb of constrained impersonation. */
  impersonates(user: UserInfo, constraint: string | undefined): void;
  /** Receives the decision of authorization. A bound function, which can be passed on. */
  readonly decided: (decision: AuthorizationDecision) => void;
  /** The last stages of a request with this reply; for a body in chunks, after the last chunk. */
  end(reply: Reply): Promise<Reply>;
  /** Why no authenticator accepted the credentials. */
  unauthenticated(reason: string): void;
  /** The only stage of a request that is rejected before authentication. */
  refused(reply: Reply): Promise<Reply>;
  /** The last stage of a request with an internal error. */
  panicked(message: string, reply: Reply): Promise<Reply>;
}

export function openAudit(given: AuditNeeds): Audit {
  const { evaluate, meter, now, names } = given;
  const needs: RecordNeeds = {
    ...given,
    write: writer(names.domain),
    decision: spell(names, "authorization.{domain}/decision"),
    reason: spell(names, "authorization.{domain}/reason"),
    authenticationReason: spell(names, "authentication.{domain}/reason"),
    latency: spell(names, "apiserver.latency.{domain}/"),
  };
  return {
    now,
    begin(exchange, info, user, auditId, receivedAt) {
      const recording = evaluate(user, info);
      meter.level(recording.level);
      return recording.level === "None" ? undefined : new Record(needs, recording, { exchange, info, user, auditId, receivedAt });
    },
  };
}

interface RecordNeeds extends AuditNeeds {
  readonly write: (event: AuditEvent) => WrittenEvent;
  /** Keys of annotations. */
  readonly decision: string;
  readonly reason: string;
  readonly authenticationReason: string;
  /** The beginning of those of latencies. */
  readonly latency: string;
}
interface Request {
  readonly exchange: Exchange;
  readonly info: RequestInfo;
  readonly user: UserInfo | undefined;
  readonly auditId: string;
  readonly receivedAt: number;
}

/** Encodes events as JSON; the size is computed on first use. */
export function writer(domain: string): (event: AuditEvent) => WrittenEvent {
  const rest = eventHead(domain, "Event").length + ",}\n".length;
  return (event) => new Written(event, rest);
}

class Written implements WrittenEvent {
  readonly event: AuditEvent;
  readonly members: string;
  readonly #rest: number;
  #bytes: number | undefined;

  constructor(event: AuditEvent, rest: number) {
    this.event = event;
    this.members = eventMembers(event);
    this.#rest = rest;
  }
  get bytes(): number {
    return this.#bytes ??= this.#rest + utf8.encode(this.members).length;
  }
}
const utf8 = new TextEncoder();

class Record implements AuditRecord, AuditNotes {
  readonly level: AuditNotes["level"];
  readonly omitsManagedFields: boolean;
  readonly #needs: RecordNeeds;
  readonly #recording: Recording;
  readonly #request: Request;
  readonly #isLasting: boolean;
  readonly #annotations = new Map<string, string>();
  readonly #latencies = new Map<AuditLayer, number>();
  #objectRef: AuditedObject | undefined;
  #impersonated: Pick<AuditEvent, "impersonatedUser" | "impersonationConstraint"> | undefined;
  #status: AuditedStatus | undefined;
  #requestObject: string | undefined;
  #responseObject: string | undefined;

  constructor(needs: RecordNeeds, recording: Recording, request: Request) {
    this.#needs = needs;
    this.#recording = recording;
    this.#request = request;
    const { info } = request;
    this.level = recording.level as AuditNotes["level"]; // Requests at None have no record.
    this.omitsManagedFields = recording.omitsManagedFields;
    this.#isLasting = isLasting(info);
    if (info.isResourceRequest) this.#objectRef = referenceOf(info);
  }

  get notes(): AuditNotes {
    return this;
  }

  async received(): Promise<void> {
    if (await this.#process("RequestReceived", this.#request.receivedAt)) return;
    this.#needs.meter.rejected();
    throw new AuditFailure();
  }
  impersonates(impersonatedUser: UserInfo, impersonationConstraint: string | undefined): void {
    this.#impersonated = { impersonatedUser, ...(impersonationConstraint === undefined ? {} : { impersonationConstraint }) };
  }
  readonly decided = ({ verdict, reason, error }: AuthorizationDecision): void => {
    if (verdict !== "allow" && error !== undefined) return this.annotate(this.#needs.reason, "internal error");
    this.annotate(this.#needs.decision, verdict === "allow" ? "allow" : "forbid");
    this.annotate(this.#needs.reason, reason);
  };

  unauthenticated(reason: string): void {
    this.annotate(this.#needs.authenticationReason, reason);
  }

  requestObject(named: NamedObject | undefined, json: string | undefined): void {
    if (named !== undefined && this.#objectRef !== undefined) {
      const { namespace, name, uid, resourceVersion } = this.#objectRef;
      this.#objectRef = {
        ...this.#objectRef,
        namespace: namespace || named.namespace,
        name: name || named.name,
        uid: uid || named.uid,
        resourceVersion: resourceVersion || named.resourceVersion,
      };
    }
    if (this.level !== "Metadata") this.#requestObject = json;
  }
  responseStatus(given: Status): void {
    const { status, message, reason, details, code } = this.level === "Metadata" && mayQuoteSecrets(this.#request.info, given)
      ? withoutQuotes(given)
      : given;
    this.#status = {
      status,
      ...(message === undefined ? {} : { message }),
      ...(reason === undefined ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
      ...(code === undefined ? {} : { code }),
    };
  }
  responseObject(json: string): void {
    if (this.level === "RequestResponse") this.#responseObject = json;
  }
  annotate(key: string, value: string): void {
    if (!this.#annotations.has(key)) this.#annotations.set(key, value);
  }
  took(layer: AuditLayer, milliseconds: number): void {
    const before = this.#latencies.get(layer) ?? 0;
    this.#latencies.set(layer, parallelLayers.has(layer) ? Math.max(before, milliseconds) : before + milliseconds);
  }
  checkpoint(): () => void {
    const { size } = this.#annotations, status = this.#status, named = this.#objectRef;
    const requestObject = this.#requestObject, responseObject = this.#responseObject;
    return () => {
      for (const key of [...this.#annotations.keys()].slice(size)) this.#annotations.delete(key);
      this.#status = status;
      this.#objectRef = named;
      this.#requestObject = requestObject;
      this.#responseObject = responseObject;
    };
  }

  async end(reply: Reply): Promise<Reply> {
    this.#status = { ...this.#status, code: reply.status };
    const chunks = chunksOf(reply);
    if (this.#isLasting) await this.#process("ResponseStarted");
    return chunks === undefined ? await this.#finish("ResponseComplete", reply) : { ...reply, body: followedBody(chunks, this) };
  }
  refused(reply: Reply): Promise<Reply> {
    this.#status = { ...this.#status, code: reply.status };
    return this.#finish("ResponseStarted", reply);
  }
  panicked(message: string, reply: Reply): Promise<Reply> {
    this.#status = { status: "Failure", message: `APIServer panic'd: ${message}`, reason: "InternalError", code: 500 };
    return this.#finish("Panic", reply);
  }

  async #finish(stage: AuditStage, reply: Reply): Promise<Reply> {
    await this.#process(stage);
    return reply;
  }

  async complete(): Promise<void> {
    await this.#process("ResponseComplete");
  }
  now(): number {
    return this.#needs.now();
  }

  #process(stage: AuditStage, reachedAt = this.#needs.now()): boolean | Promise<boolean> {
    const { omitStages } = this.#recording;
    if (omitStages.has(stage)) return true;
    if (stage === "ResponseComplete") this.#noteLatencies(reachedAt - this.#request.receivedAt);
    const { write, meter, backend } = this.#needs;
    meter.event();
    return backend.process([write(this.#event(stage, reachedAt))]);
  }

  #noteLatencies(total: number): void {
    // As upstream, a watch has no layers: it lasts as long as its client likes.
    if (total <= auditLatencyMs || this.#request.info.verb === "watch") return;
    const { latency } = this.#needs,
      note = (key: string, ms: number) => this.annotate(latency + key, durationText(BigInt(Math.round(ms * 1e6))));
    for (const [layer, ms] of this.#latencies) if (ms > 0) note(layer, ms);
    note("total", total);
  }

  #event(stage: AuditStage, stageReached: number): AuditEvent {
    const { exchange, info, user, auditId, receivedAt } = this.#request;
    return {
      level: this.level,
      auditId,
      stage,
      requestUri: exchange.url,
      verb: info.verb,
      user,
      impersonatedUser: undefined,
      ...this.#impersonated,
      sourceIps: sourceIps(exchange),
      userAgent: bounded(header(exchange, "user-agent")),
      objectRef: this.#objectRef,
      responseStatus: this.#status,
      requestObject: this.#requestObject,
      responseObject: this.#responseObject,
      requestReceived: receivedAt,
      stageReached,
      annotations: new Map(this.#annotations),
    };
  }
}

/** The body if it is in chunks, which are read once; undefined for a whole body. */
function chunksOf({ body }: Reply): AsyncIterable<Uint8Array> | undefined {
  return typeof body === "string" || body instanceof Uint8Array ? undefined : body;
}

const secretResources = new Set(["/secrets", "/configmaps", "/serviceaccounts", "authentication/tokenreviews"]);
/** Whether a message may quote the body of a Secret, a ConfigMap or a TokenRequest, as errors of invalid bodies do. */
function mayQuoteSecrets({ group, resource }: RequestInfo, { code }: Status): boolean {
  return (code === 400 || code === 422 || code === 500) && secretResources.has(`${group.split(".")[0]}/${resource}`);
}
function withoutQuotes({ details, ...status }: Status): Status {
  const { causes: _, ...named } = details ?? {};
  return {
    ...status,
    message: "(left out at this level: it may quote the body)",
    ...(details === undefined ? {} : { details: named }),
  };
}

function referenceOf({ group, version, resource, subresource, namespace, name }: RequestInfo): AuditedObject {
  return { resource, namespace, name, uid: "", apiGroup: group, apiVersion: version, resourceVersion: "", subresource };
}

function bounded(userAgent: string): string {
  const max = auditUserAgentLengthMax;
  return userAgent.length <= max ? userAgent : `${userAgent.slice(0, max)}...TRUNCATED`;
}
