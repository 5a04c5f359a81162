/** Tracing by OpenTelemetry's packages, which are loaded only for a server that traces. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Attributes, Context, Link, SpanKind, SpanOptions, TextMapPropagator, Tracer } from "@opentelemetry/api";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import { pause } from "../../core/async.ts";
import { reasonOf } from "../../core/reason-of.ts";
import { systemGroups } from "../../core/user-info.ts";
import { header } from "../../kernel/request/exchange.ts";
import { type Finished, loggedUrl } from "../../kernel/observe/request-log.ts";
import type { Log } from "../../kernel/observe/log.ts";
import { type SpanAttributes, spanName, type TracedPart, type TracedRequest, type Tracing } from "../../kernel/observe/tracing.ts";
import { bound } from "../../core/bound.ts";
import { auditIdLoggedMax } from "../../kernel/observe/bounds.ts";

/** Spans of parts of one traced request. */
const tracedPartsMax = bound(128);
/** Characters of a value in a span. */
const tracedTextMax = bound(4096);
/** Milliseconds for the last spans when a server ends. */
const tracingCloseMsMax = bound(2_000);

/** What is sent, and to whom. */
export interface TracingNeeds {
  /** Address of the collector: `http://host:port` or `unix:///path`. */
  readonly url: string;
  /** The share of the requests without a sampled parent that are traced: 0 to 1. */
  readonly share: number;
  /** The version of the server. */
  readonly version: string;
  /** The name of this server among several. */
  readonly instance: string;
  readonly log: Log;
}

/** What runs now: a request, a call within it, or work of the server's own. */
interface Scope {
  /** Undefined for a request whose user is not known yet. */
  context: Context | undefined;
  /** Parts that may still be recorded. */
  left: number;
  /** Calls of a request before its user is known: the webhook that authenticates it. */
  readonly early: TracedPart[];
}

/** Users whose traces are continued; others begin one that is linked to theirs. */
const trustedGroups: ReadonlySet<string> = new Set([systemGroups.masters, systemGroups.monitoring]);

/** Loads the packages. The first connection is made with the first spans: a collector that is not there does not hold the start. */
export async function openTelemetry({ url, share, version, instance, log }: TracingNeeds): Promise<Tracing> {
  const [api, { W3CTraceContextPropagator }, { resourceFromAttributes }, sdk, { OTLPTraceExporter }, { credentials }] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/core"),
    import("@opentelemetry/resources"),
    import("@opentelemetry/sdk-trace"),
    import("@opentelemetry/exporter-trace-otlp-grpc"),
    import("@grpc/grpc-js"),
  ]);
  const exporter = reporting(new OTLPTraceExporter({ url, credentials: credentials.createInsecure() }), url, log);
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ "service.name": "thole", "service.version": version, "service.instance.id": instance }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(share) }),
    spanLimits: { attributeValueLengthLimit: tracedTextMax },
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  });
  return new OpenTelemetry({
    api,
    tracer: provider.getTracer("thole", version),
    propagator: new W3CTraceContextPropagator(),
    shutdown: () => provider.shutdown(),
  });
}

/** The loaded parts of the packages. */
interface Loaded {
  readonly api: typeof import("@opentelemetry/api");
  readonly tracer: Tracer;
  readonly propagator: TextMapPropagator;
  /** Sends the remaining spans. */
  shutdown(): Promise<void>;
}

class OpenTelemetry implements Tracing {
  readonly #loaded: Loaded;
  readonly #running = new AsyncLocalStorage<Scope>();

  constructor(loaded: Loaded) {
    this.#loaded = loaded;
  }

  request<T>(run: () => Promise<T>): Promise<T> {
    return this.#running.run(scopeOf(undefined), run);
  }
  begin(request: TracedRequest): ((finished: Finished) => void) | undefined {
    const scope = this.#running.getStore();
    if (scope === undefined) return undefined;
    const { tracer, api: { SpanKind, SpanStatusCode, trace } } = this.#loaded;
    const { context, links = [] } = this.#parentOf(request), { exchange, info, begun } = request;
    const options = { kind: SpanKind.SERVER, startTime: epoch(begun), attributes: attributesOf(request), links };
    const span = tracer.startSpan(spanName(exchange.method, info), options, context);
    scope.context = trace.setSpan(context, span);
    for (const part of scope.early.splice(0)) this.#record(scope.context, part, SpanKind.CLIENT);
    return ({ code, bytes, ended, steps, impersonated }) => {
      for (const { what, at } of steps) span.addEvent(what, epoch(at));
      span.setAttributes({ "http.response.status_code": code, "http.response.body.size": bytes });
      if (impersonated !== undefined) span.setAttribute("impersonated", true);
      if (code >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(epoch(ended));
    };
  }
  part(part: TracedPart): void {
    const scope = this.#running.getStore(), { SpanKind, trace } = this.#loaded.api;
    if (scope?.context === undefined || !trace.getSpan(scope.context)?.isRecording() || scope.left-- <= 0) return;
    this.#record(scope.context, part, SpanKind.INTERNAL);
  }
  call<T>(name: string, attributes: SpanAttributes, run: () => Promise<T>): Promise<T> {
    const scope = this.#running.getStore();
    if (scope === undefined || scope.left-- <= 0) return run();
    if (scope.context === undefined) return early(scope, { name, attributes }, run);
    return this.#within(name, { kind: this.#loaded.api.SpanKind.CLIENT, attributes }, scope.context, run);
  }
  step<T>(name: string, attributes: SpanAttributes, run: () => Promise<T>): Promise<T> {
    const scope = this.#running.getStore();
    if (scope?.context === undefined || scope.left-- <= 0) return run();
    return this.#within(name, { attributes }, scope.context, run);
  }
  bind(): <T>(run: () => T) => T {
    const scope = this.#running.getStore();
    return scope === undefined ? (run) => run() : (run) => this.#running.run(scope, run);
  }
  work<T>(name: string, attributes: SpanAttributes, run: () => Promise<T>): Promise<T> {
    return this.#within(name, { attributes }, this.#loaded.api.ROOT_CONTEXT, run);
  }
  headers(): Readonly<Record<string, string>> {
    const headers: Record<string, string> = {}, context = this.#running.getStore()?.context;
    if (context !== undefined) this.#loaded.propagator.inject(context, headers, { set: (carrier, key, value) => carrier[key] = value });
    return headers;
  }
  close(): Promise<void> {
    return Promise.race([this.#loaded.shutdown().catch(() => {}), pause(tracingCloseMsMax, new AbortController().signal)]);
  }

  #parentOf({ exchange, user }: TracedRequest): { readonly context: Context; readonly links?: Link[] } {
    const { propagator, api: { ROOT_CONTEXT, trace } } = this.#loaded;
    const context = propagator.extract(ROOT_CONTEXT, exchange, { get: header, keys: ({ headers }) => Object.keys(headers) });
    if (user.groups.some((group) => trustedGroups.has(group))) return { context };
    const remote = trace.getSpanContext(context);
    return { context: ROOT_CONTEXT, ...(remote === undefined ? {} : { links: [{ context: remote }] }) };
  }
  /** Runs a function in a span of its own. Its times are of the clock of the request: the library would take the wall clock, which drifts from it. */
  async #within<T>(name: string, options: SpanOptions, parent: Context, run: () => Promise<T>): Promise<T> {
    const { tracer, api: { SpanStatusCode, trace } } = this.#loaded,
      span = tracer.startSpan(name, { ...options, startTime: epoch(performance.now()) }, parent);
    try {
      return await this.#running.run(scopeOf(trace.setSpan(parent, span)), run);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: reasonOf(error) });
      throw error;
    } finally {
      span.end(epoch(performance.now()));
    }
  }
  #record(context: Context, { name, begun, ended, attributes = {}, failed = false }: TracedPart, kind: SpanKind): void {
    const { tracer, api: { SpanStatusCode } } = this.#loaded;
    const span = tracer.startSpan(name, { kind, startTime: epoch(begun), attributes }, context);
    if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(epoch(ended));
  }
}

function scopeOf(context: Context | undefined): Scope {
  return { context, left: tracedPartsMax, early: [] };
}

/** Runs a call before the user is known, and keeps it for the span of the request. */
async function early<T>(scope: Scope, part: Pick<TracedPart, "name" | "attributes">, run: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  let failed = true;
  try {
    const result = await run();
    failed = false;
    return result;
  } finally {
    // A request whose user is known by now goes on without the call: another authenticator was faster.
    if (scope.context === undefined) scope.early.push({ ...part, begun, ended: performance.now(), failed });
  }
}

/** Milliseconds since 1970 of a time by `performance.now()`. */
function epoch(at: number): number {
  return performance.timeOrigin + at;
}

function attributesOf({ exchange, info, auditId }: TracedRequest): Attributes {
  return {
    "audit-id": auditId.slice(0, auditIdLoggedMax),
    "http.request.method": exchange.method,
    "http.target": loggedUrl(exchange.url),
    "network.protocol.version": exchange.protocol.slice("HTTP/".length),
    "user_agent.original": header(exchange, "user-agent"),
    "verb": info.verb,
  };
}

/** Logs when spans cannot be sent, and when they can again: once each. */
function reporting(exporter: SpanExporter, url: string, log: Log): SpanExporter {
  let isFailing = false;
  return {
    export(spans: ReadableSpan[], done) {
      exporter.export(spans, (result) => {
        const failed = result.code !== 0;
        if (failed && !isFailing) {
          log.error("spans cannot be sent to the collector and are dropped", { endpoint: url, error: reasonOf(result.error) });
        } else if (!failed && isFailing) log.info("spans are sent to the collector again", { endpoint: url });
        isFailing = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}
