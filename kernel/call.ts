/** One request on its way, as verbs see it, and what a server lends to all of them. */
import type { Output } from "../core/codec/negotiate.ts";
import type { At, Subresource } from "../core/plugin.ts";
import type { UserInfo } from "./authentication/user-info.ts";
import type { Catalog, Endpoint } from "./catalog.ts";
import type { Exchange } from "./exchange.ts";
import { limits } from "../core/limits.ts";
import { inTime } from "./deadline.ts";
import type { Meter } from "./meter.ts";
import type { RequestInfo } from "./request-info.ts";
import type { Reads, Waiter } from "./reads.ts";
import type { Store } from "./store/store.ts";
import type { Warnings } from "./warnings.ts";

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
  /** What requests read through; absent means straight from the store. */
  readonly reads?: Reads;
  /** First segments of every key, without a slash at the end: `/registry`. */
  readonly prefix: string;
  readonly clock: Clock;
  /** Aborts when a watch that begins now has to end, because the server goes down. */
  readonly ending: () => AbortSignal;
  /** Seconds after which a watch ends at the earliest when the client names no timeout. */
  readonly minRequestTimeoutSeconds: number;
  readonly meter: Meter;
}

export interface Call {
  readonly exchange: Exchange;
  readonly info: RequestInfo;
  readonly user: UserInfo;
  readonly catalog: Catalog;
  readonly endpoint: Endpoint;
  /** Undefined for the object itself. */
  readonly subresource: Subresource | undefined;
  readonly output: Output;
  readonly pretty: boolean;
  readonly warnings: Warnings;
  /** Says what is done, for the trace of a slow request. */
  readonly step: (what: string) => void;
  /** Throws 403 unless the user may do this too. */
  readonly authorize: (info: RequestInfo) => Promise<void>;
  readonly backend: Backend;
  /**
   * Until when it may wait: its signal, made when it is first asked for, aborts when the request may take no longer or its client is
   * gone. An object of its own, because a literal with a getter has a shape of its own each time, which makes all that looks at it slow.
   */
  readonly deadline: Waiter;
}

export function header(exchange: Exchange, name: string): string {
  const value = exchange.headers[name];
  return value === undefined ? "" : typeof value === "string" ? value : value.join(", ");
}

/** The whole body; 413 where it is too large, 504 where it takes too long to come. */
export async function bodyOf({ exchange, endpoint, info, backend, deadline, step }: Call): Promise<Uint8Array> {
  const bytes = await inTime(exchange.body(limits.bodyBytesMax), deadline.signal);
  backend.meter.received(endpoint, info.verb, bytes.length);
  step("body read");
  return bytes;
}

/** What hooks may look at. */
export function at(call: Call): At {
  return {
    names: call.catalog.names,
    gates: call.catalog.gates.isOn,
    now: timeText(call.backend.clock.now()),
    subresource: call.info.subresource,
    requestVersion: call.endpoint.apiVersion,
  };
}

/** RFC 3339 with whole seconds. */
export function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19) + "Z";
}
