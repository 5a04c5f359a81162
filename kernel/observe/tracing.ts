/** Tracing as the server sees it: the spans of requests and of their parts. `opentelemetry.ts` sends them. */
import type { UserInfo } from "../../core/user-info.ts";
import type { Exchange } from "../request/exchange.ts";
import type { RequestInfo } from "../request/request-info.ts";
import type { Finished } from "./request-log.ts";

/** Values by name, such as `{ resource: "configmaps" }`. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** A request when its user is known. */
export interface TracedRequest {
  readonly exchange: Exchange;
  readonly info: RequestInfo;
  readonly user: UserInfo;
  readonly auditId: string;
  /** When the request arrived, by `performance.now()`. */
  readonly begun: number;
}

/** A completed part of a request. Times are by `performance.now()`. */
export interface TracedPart {
  readonly name: string;
  readonly begun: number;
  readonly ended: number;
  readonly attributes?: SpanAttributes;
  readonly failed?: boolean;
}

/** Spans of a server. All members are cheap for requests that are not traced. */
export interface Tracing {
  /** Runs the handler of a request: what is recorded meanwhile belongs to it. */
  request<T>(run: () => Promise<T>): Promise<T>;
  /** Begins the span of the running request; the result ends it. Requests that are not authenticated have none, as upstream. */
  begin(request: TracedRequest): ((finished: Finished) => void) | undefined;
  /** Records a part of the running request; outside of requests nothing is recorded. */
  part(part: TracedPart): void;
  /**
   * Runs a call to another server as a part of the running request. Its `headers()` name this part; before the user is known there are none, because
   * the trace is not known either.
   */
  call<T>(name: string, attributes: SpanAttributes, run: () => Promise<T>): Promise<T>;
  /** Runs a part of the running request; what is recorded meanwhile belongs to this part. */
  step<T>(name: string, attributes: SpanAttributes, run: () => Promise<T>): Promise<T>;
  /** Remembers what runs now. The result runs functions as a part of it, later and from anywhere. */
  bind(): <T>(run: () => T) => T;
  /** Runs work of the server's own, with a trace of its own. */
  work<T>(name: string, attributes: SpanAttributes, run: () => Promise<T>): Promise<T>;
  /** The headers by which another server continues the running trace: `traceparent` and `tracestate`. */
  headers(): Readonly<Record<string, string>>;
  /** Sends what is left, within a bounded time. */
  close(): Promise<void>;
}

/** The name of a request's span, as upstream's: the method, and the path without names. */
export function spanName(method: string, info: RequestInfo): string {
  if (!info.isResourceRequest) return method;
  const segments = [
    info.prefix,
    info.group,
    info.version,
    info.namespace && "namespaces/{:namespace}",
    info.resource,
    info.name && "{:name}",
    info.subresource,
  ];
  return `${method} /${segments.filter((segment) => segment !== "").join("/")}`;
}
