/** One request on its way, as verbs see it, and what a server lends to all of them. */
import { type MetricOf, recordRemote } from "../metrics/mod.ts";
import { abortable } from "../core/async.ts";
import type { Output } from "../core/codec/negotiate.ts";
import type { Access } from "../core/access.ts";
import type { HookContext } from "../core/plugin.ts";
import type { UserInfo } from "../core/user-info.ts";
import { type AuditNotes, noteRemote } from "./request/audit-notes.ts";
import type { Catalog, Endpoint, EndpointSubresource } from "./catalog/catalog.ts";
import type { Exchange } from "./request/exchange.ts";
import { HandOver, type HeavyHost, type HeavyRequest, type HeavyWork } from "./request/hand-over.ts";
import { limits } from "../core/limits.ts";
import type { Meter } from "./observe/meter.ts";
import type { RequestInfo } from "./request/request-info.ts";
import type { Reads, Waiter } from "./reads/reads.ts";
import type { Store } from "./store/store.ts";
import { Turns } from "../core/turns.ts";
import type { Warnings } from "./request/warnings.ts";
import type { GroupName } from "../core/status-error.ts";

/** Time and chance, handed in so that tests can choose them. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** A number in [0, 1). */
  random(): number;
}

/** What verbs need of the server. */
export interface Backend {
  readonly store: Store;
  /** What requests read through: the watch cache, or the store itself. */
  readonly reads: Reads;
  /** First segments of every key, without a slash at the end: `/registry`. */
  readonly prefix: string;
  readonly clock: Clock;
  /** Aborts when a watch that begins now has to end, because the server goes down. */
  readonly ending: () => AbortSignal;
  /** Seconds after which a watch ends at the earliest when the client names no timeout. */
  readonly minRequestTimeoutSeconds: number;
  readonly meter: Meter;
  /** Recorders of the metrics of plugins. */
  readonly metric: MetricOf;
}

export interface RequestContext {
  readonly exchange: Exchange;
  readonly info: RequestInfo;
  readonly user: UserInfo;
  readonly catalog: Catalog;
  readonly endpoint: Endpoint;
  /** Undefined for the object itself. */
  readonly subresource: EndpointSubresource | undefined;
  readonly output: Output;
  readonly pretty: boolean;
  readonly warnings: Warnings;
  /** Says what is done, for the trace of a slow request. */
  readonly step: (what: string) => void;
  readonly access: Access;
  /** Throws 403 unless the user may do this too. */
  readonly authorize: (info: RequestInfo) => Promise<void>;
  /** What is recorded of the request; undefined where nothing is. */
  readonly audit: AuditNotes | undefined;
  readonly backend: Backend;
  /** For the log: a bug, with the id that the client was shown. */
  readonly report: (error: unknown, reference: string) => void;
  /**
   * Until when it may wait: its signal, made when it is first asked for, aborts when the request may take no longer or its client is
   * gone. An object of its own, because a literal with a getter has a shape of its own each time, which makes all that looks at it slow.
   */
  readonly deadline: Waiter;
  /** Where this call may be handed over when it turns out to be heavy; undefined where everything runs in this thread. */
  readonly heavy: HeavyRoute | undefined;
}

/** The way to the heavy thread, and the body that goes there. */
export interface HeavyRoute {
  readonly work: HeavyWork;
  /** Set once the body was read. */
  body: Uint8Array | undefined;
}

/** A signal that never aborts. */
export const never: AbortSignal = new AbortController().signal;

/** For requests that take many milliseconds of this thread. */
export const turns = new Turns();

/** The whole body; 413 where it is too large, 504 where it takes too long to come. A large one is handed over with its request. */
export async function bodyOf(call: RequestContext): Promise<Uint8Array> {
  const bytes = await anyBodyOf(call);
  if (isHeavy(call, bytes)) throw new HandOver();
  // Several of a middle size together would take as long as a heavy one.
  if (bytes.length > limits.turnBodyBytesMin) await turns.next();
  return bytes;
}

/** The whole body, however large within the limit. */
export async function anyBodyOf({ exchange, endpoint, info, backend, deadline, step, heavy }: RequestContext): Promise<Uint8Array> {
  const bytes = await abortable(exchange.body(limits.bodyBytesMax), deadline.signal);
  if (heavy !== undefined) heavy.body = bytes;
  backend.meter.received(endpoint, info.verb, bytes.length);
  step("body read");
  return bytes;
}
export function isHeavy({ heavy }: RequestContext, body: Uint8Array): boolean {
  return heavy !== undefined && body.length > limits.inlineBodyBytesMax;
}

/** Hands the call over if what it works on is large. Nothing may have been changed before. */
export function checkWeight({ heavy }: RequestContext, item: { readonly size: number }): void {
  if (heavy !== undefined && item.size > limits.inlineObjectBytesMax) throw new HandOver();
}

/** The call as the heavy thread gets it. */
export function heavyRequest({ exchange, user, heavy, audit }: RequestContext): HeavyRequest {
  const { method, url, headers, remote, protocol } = exchange;
  return {
    method,
    url,
    headers: { ...headers },
    remote,
    protocol,
    user,
    body: heavy?.body ?? new Uint8Array(),
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
    recorded: (recording) => recordRemote(metric, recording),
    audited: (note) => audit && noteRemote(audit, note),
    report,
  };
}

/** What hooks may look at. */
export function hookContext(call: RequestContext): HookContext {
  return {
    names: call.catalog.names,
    gates: call.catalog.gates.isOn,
    now: timeText(call.backend.clock.now()),
    subresource: call.info.subresource,
    requestVersion: call.endpoint.apiVersion,
    metric: call.backend.metric,
  };
}

/** RFC 3339 with whole seconds. */
export function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19) + "Z";
}

/** The kind as 422 names it. */
export function kindName(call: RequestContext): GroupName {
  return { group: call.endpoint.stored.group, name: call.endpoint.kind };
}
/** The resource as 404 and 409 name it. */
export function resourceName(call: RequestContext): GroupName {
  return { group: call.endpoint.group, name: call.endpoint.plural };
}
