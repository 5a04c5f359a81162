/** The context of one request for verbs, and the parts of a server that verbs use. */
import { type MetricOf, recordRemote } from "../metrics/mod.ts";
import { abortable, type ServerClock } from "../core/async.ts";
import { Budget, type Share } from "../core/budget.ts";
import type { Output } from "../core/codec/negotiate.ts";
import type { Access, CallWebhook } from "../core/access.ts";
import type { Allocation } from "../core/allocation.ts";
import type { HeaderNames, Peers } from "../core/connect.ts";
import type { ConversionContext } from "../core/conversion.ts";
import type { JsonObject } from "../core/json.ts";
import type { ApiObject } from "../core/meta/object-meta.ts";
import type { HookContext } from "../core/hook-context.ts";
import type { UserInfo } from "../core/user-info.ts";
import { type AuditNotes, noteRemote } from "../core/audit/notes.ts";
import type { Catalog, Endpoint, EndpointSubresource } from "./catalog/catalog.ts";
import type { Exchange } from "./request/exchange.ts";
import { HandOver, type HeavyHost, type HeavyRequest, type HeavyRoute } from "./request/hand-over.ts";
import type { Meter } from "./observe/meter.ts";
import type { RequestInfo } from "./request/request-info.ts";
import type { Reads, Waiter } from "./reads/reads.ts";
import type { Store } from "./store/store.ts";
import { Turns } from "../core/turns.ts";
import type { Warnings } from "./request/warnings.ts";
import { type GroupName, StatusError, tooLargeError } from "../core/status-error.ts";
import { bound } from "../core/bound.ts";

/** Steps of one request in the serving thread after which it is repeated in the heavy thread. */
export const inlineStepsMax = bound(100_000);
/** Bytes of a request body (kube-apiserver's MaxRequestBodyBytes). */
export const bodyBytesMax = bound(3 * 1024 * 1024);
/** Bytes of a body above which a request runs in the heavy thread, because decoding would block other connections. */
export const inlineBodyBytesMax = bound(128 * 1024);
/** Bytes of a stored object above which a write to it runs in the heavy thread. */
const inlineObjectBytesMax = bound(256 * 1024);
/** Bytes of a body above which bodies are decoded one per turn of the event loop. */
export const turnBodyBytesMin = bound(16 * 1024);

/** Clock and random numbers, passed in so that tests can control them. */
export interface Clock extends Pick<ServerClock, "now" | "elapsed" | "chance"> {
  /** A number in [0, 1). */
  random(): number;
}

/** The parts of the server that verbs use. */
export interface Backend {
  readonly store: Store;
  /** The source of reads: the watch cache, or the store itself. */
  readonly reads: Reads;
  /** First segments of every key, without a trailing slash: `/registry`. */
  readonly prefix: string;
  readonly clock: Clock;
  /** Returns the signal that ends a watch that begins now, at shutdown. */
  readonly ending: () => AbortSignal;
  /** Minimum duration of a watch without a timeout, in seconds. */
  readonly minRequestTimeoutSeconds: number;
  readonly meter: Meter;
  /** Recorders of the metrics of plugins. */
  readonly metric: MetricOf;
  /** What admission steps keep with the server, by the step or value that it belongs to. */
  readonly kept: Map<object, unknown>;
  /** The means of conversions by calls; absent where no kind needs them. */
  readonly conversions?: ConversionContext;
  /** What kinds that allocate use; absent in the heavy thread. */
  readonly allocation?: Allocation;
  /** Reaches other servers for clients; absent in the heavy thread and in tests without them. */
  readonly peers?: Peers;
  /** Returns the headers by which front proxies name users beside the usual ones. They are not passed on to other servers. */
  readonly identityHeaders?: () => HeaderNames;
  /** Calls admission webhooks; absent in tests without them. */
  readonly callWebhook?: CallWebhook;
}

export interface RequestContext {
  readonly exchange: Exchange;
  /** The body of a create, update or patch; empty for other verbs. */
  readonly body: Uint8Array;
  readonly info: RequestInfo;
  readonly user: UserInfo;
  readonly catalog: Catalog;
  readonly endpoint: Endpoint;
  /** Undefined for the object itself. */
  readonly subresource: EndpointSubresource | undefined;
  readonly output: Output;
  readonly pretty: boolean;
  readonly warnings: Warnings;
  /** Records a completed step, for the trace of a slow request. */
  readonly step: (what: string) => void;
  readonly access: Access;
  /** Throws 403 unless the user is authorized for this as well. */
  readonly authorize: (info: RequestInfo) => Promise<void>;
  /** The record for the audit; undefined if the request is not recorded. */
  readonly audit: AuditNotes | undefined;
  readonly backend: Backend;
  /** `writeStatus` of `write/`, which hooks of writes call: the write pipeline imports them. */
  readonly writeStatus: (call: RequestContext, endpoint: Endpoint, object: ApiObject, signal: AbortSignal) => Promise<ApiObject>;
  /** Logs a bug, with the reference id in the response. */
  readonly report: (error: unknown, reference: string) => void;
  /**
   * The bound of waits: its signal, created on first use, aborts at the request's timeout or when the client disconnects. A separate
   * object, because literals with getters have a new hidden class each time, which slows down all accesses.
   */
  readonly deadline: RequestDeadline;
  /** The route to the heavy thread; undefined if everything runs in this thread. */
  readonly heavy: HeavyRoute | undefined;
  /** Bounds the work of the request that multiplies. `runInBudget` runs work under it. */
  readonly budget: Budget;
  /** Conversions by calls that a run of `settle` has so far: by version, then by the JSON of the object. Undefined outside of such a run. */
  readonly awaited?: ReadonlyMap<string, ReadonlyMap<string, JsonObject | StatusError>>;
  /** Functions that undo effects of hooks if the write is not stored, or give back what a stored object no longer uses. */
  readonly takeBacks: ((isStored: boolean) => Promise<void>)[];
}

/** The bound of the waits of a request. */
export interface RequestDeadline extends Waiter {
  /** As `abortable` with the signal, for a promise that rejects by itself when the client disconnects. It costs less than the signal. */
  within?<T>(running: Promise<T>): Promise<T>;
}

/** A signal that never aborts. */
export const never: AbortSignal = new AbortController().signal;

/** For requests that occupy this thread for many milliseconds. */
export const turns = new Turns();

/** The whole body; throws 413 if it is too large, 504 if it is not received in time. */
export async function receiveBody(
  { exchange, deadline, endpoint, info, backend, step }: Pick<
    RequestContext,
    "exchange" | "deadline" | "endpoint" | "info" | "backend" | "step"
  >,
): Promise<Uint8Array> {
  const body = exchange.body(bodyBytesMax);
  const bytes = body instanceof Promise ? await (deadline.within?.(body) ?? abortable(body, deadline.signal)) : body;
  backend.meter.received(endpoint, info.verb, bytes.length);
  step("body read");
  return bytes;
}

/** Whether decoding a body would block other connections for too long. */
export function isHeavyBody({ heavy }: Pick<RequestContext, "heavy">, body: Uint8Array): boolean {
  return heavy !== undefined && body.length > inlineBodyBytesMax;
}

/** Hands the call over if its object is large. Must precede all changes. */
export function checkWeight(call: Repeatable, item: { readonly size: number }): void {
  if (mayHandOver(call) && item.size > inlineObjectBytesMax) throw new HandOver();
}

/** Hands a write over if validating one of the objects takes long. Must precede all changes. */
export function checkValidation(call: RequestContext, ...objects: readonly ApiObject[]): void {
  const { endpoint: { resource }, subresource } = call, isHeavy = resource.strategy?.isHeavy;
  if (mayHandOver(call) && isHeavy !== undefined && subresource === undefined && objects.some(isHeavy)) throw new HandOver();
}

/** The state of a request that says whether it can run again from its beginning. */
export type Repeatable = Pick<RequestContext, "heavy" | "takeBacks">;

/** Whether the call has a route to the heavy thread. Throws an error if it has changed something, so that it cannot be handed over. */
function mayHandOver({ heavy, takeBacks }: Repeatable): boolean {
  if (heavy === undefined) return false;
  heavy.check();
  if (takeBacks.length > 0) throw new Error("A request with effects to take back cannot be handed over to another thread");
  return true;
}

/** The budget of one request. */
export function requestBudget(stepsMax: number): Budget {
  return new Budget(stepsMax, () => tooLargeError(`checking the object takes more than ${stepsMax} steps`));
}

/**
 * Runs synchronous work under the budget of the call. Work that is long is repeated in the heavy thread: it must precede all changes.
 *
 * @throws StatusError 413 above the bound of the request
 */
export function runInBudget<T>(call: Repeatable & Pick<RequestContext, "budget">, work: () => T): T {
  return mayHandOver(call) ? call.budget.run(work, inlineShare) : call.budget.run(work);
}
/** Whether an error is what `runInBudget` throws above a bound. */
export function isOfBudget(error: unknown): boolean {
  return error instanceof HandOver || (error instanceof StatusError && error.reason === "RequestEntityTooLarge");
}
const inlineShare: Share = { stepsMax: inlineStepsMax, exceeded: () => new HandOver() };

/** The call in the form for the heavy thread, to which its body is moved. */
export function heavyRequest({ exchange, user, audit }: RequestContext, body: Uint8Array): HeavyRequest {
  const { method, url, headers, remote, protocol } = exchange;
  return {
    method,
    url,
    headers: { ...headers },
    remote,
    protocol,
    user,
    body: body.length === 0 ? new Uint8Array() : body, // The empty body is shared.
    audit: audit && { level: audit.level, omitsManagedFields: audit.omitsManagedFields },
  };
}
export function heavyHost(call: RequestContext): HeavyHost {
  const { info, warnings, step, access, authorize, audit, report, backend: { meter, metric } } = call;
  return {
    access,
    warn: (text) => warnings.add(text),
    step,
    authorize: (verb) => authorize({ ...info, verb }),
    admitted: (name, type, operation, rejected, milliseconds) =>
      meter.admitted(name, type, operation, rejected, meter.now() - milliseconds),
    ruled: (outcome) => meter.ruled(outcome),
    recorded: (recording) => recordRemote(metric, recording),
    audited: (note) => audit && noteRemote(audit, note),
    report,
  };
}

/** The context of synchronous hooks. */
export function hookContext(call: RequestContext): HookContext {
  return new CallHookContext(call);
}
export class CallHookContext implements HookContext {
  readonly names: HookContext["names"];
  readonly gates: HookContext["gates"];
  readonly now: string;
  readonly subresource: string;
  readonly requestVersion: HookContext["requestVersion"];
  readonly minCompatibility: HookContext["minCompatibility"];
  readonly metric: HookContext["metric"];
  readonly caller: HookContext["caller"];

  constructor({ catalog, backend, info, endpoint, user }: RequestContext) {
    this.names = catalog.names;
    this.gates = catalog.gates.isOn;
    this.now = timeText(backend.clock.now());
    this.subresource = info.subresource;
    this.requestVersion = endpoint.apiVersion;
    this.minCompatibility = catalog.releases.minCompatibility;
    this.metric = backend.metric;
    this.caller = user;
  }
}

/** The text of the last second: each write needs it several times, and V8 makes it outside of optimized code. */
const lastSecond = { seconds: NaN, text: "" };

/** Returns a time in RFC 3339 with whole seconds. */
export function timeText(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (lastSecond.seconds !== seconds) {
    lastSecond.text = new Date(milliseconds).toISOString().slice(0, 19) + "Z";
    lastSecond.seconds = seconds;
  }
  return lastSecond.text;
}

/** Returns the kind that 422 errors of the call name. */
export function kindName(call: RequestContext): GroupName {
  return { group: call.endpoint.stored.group, name: call.endpoint.kind };
}
/** Returns the resource that 404 and 409 errors of the call name. */
export function resourceName(call: RequestContext): GroupName {
  return { group: call.endpoint.group, name: call.endpoint.plural };
}
