/** Tracing by OpenTelemetry's packages, which are loaded only for a server that traces. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Attributes, Context, Link, Span, SpanKind, Tracer } from "@opentelemetry/api";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import { pause } from "../../core/async.ts";
import { reasonOf } from "../../core/reason-of.ts";
import { systemGroups } from "../../core/user-info.ts";
import { header } from "../../kernel/request/exchange.ts";
import { type Finished, loggedUrl } from "../../kernel/observe/request-log.ts";
import type { Log } from "../../kernel/observe/log.ts";
import { spanName, type TracedPart, type TracedRequest, type Tracing } from "../../kernel/observe/tracing.ts";
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
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = api;
  const exporter = reporting(new OTLPTraceExporter({ url, credentials: credentials.createInsecure() }), url, log);
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ "service.name": "thole", "service.version": version, "service.instance.id": instance }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(share) }),
    spanLimits: { attributeValueLengthLimit: tracedTextMax },
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  });
  const tracer: Tracer = provider.getTracer("thole", version);
  const propagator = new W3CTraceContextPropagator();
  const running = new AsyncLocalStorage<Scope>();

  function parentOf({ exchange, user }: TracedRequest): { readonly context: Context; readonly links?: Link[] } {
    const context = propagator.extract(ROOT_CONTEXT, exchange, { get: header, keys: ({ headers }) => Object.keys(headers) });
    if (user.groups.some((group) => trustedGroups.has(group))) return { context };
    const remote = trace.getSpanContext(context);
    return { context: ROOT_CONTEXT, ...(remote === undefined ? {} : { links: [{ context: remote }] }) };
  }
  async function within<T>(span: Span, context: Context, run: () => Promise<T>): Promise<T> {
    try {
      return await running.run(scopeOf(trace.setSpan(context, span)), run);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: reasonOf(error) });
      throw error;
    } finally {
      span.end();
    }
  }
  function record(context: Context, { name, begun, ended, attributes = {}, failed = false }: TracedPart, kind: SpanKind): void {
    const span = tracer.startSpan(name, { kind, startTime: epoch(begun), attributes }, context);
    if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(epoch(ended));
  }
  return {
    request: (run) => running.run(scopeOf(undefined), run),
    begin(request) {
      const scope = running.getStore();
      if (scope === undefined) return undefined;
      const { context, links = [] } = parentOf(request);
      const { exchange, info, begun } = request;
      const name = spanName(exchange.method, info);
      const span = tracer.startSpan(
        name,
        { kind: SpanKind.SERVER, startTime: epoch(begun), attributes: attributesOf(request), links },
        context,
      );
      scope.context = trace.setSpan(context, span);
      for (const part of scope.early.splice(0)) record(scope.context, part, SpanKind.CLIENT);
      return ({ code, bytes, ended, steps, impersonated }: Finished) => {
        for (const { what, at } of steps) span.addEvent(what, epoch(at));
        span.setAttributes({ "http.response.status_code": code, "http.response.body.size": bytes });
        if (impersonated !== undefined) span.setAttribute("impersonated", true);
        if (code >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end(epoch(ended));
      };
    },
    part(part) {
      const scope = running.getStore();
      if (scope?.context === undefined || !trace.getSpan(scope.context)?.isRecording() || scope.left-- <= 0) return;
      record(scope.context, part, SpanKind.INTERNAL);
    },
    call(name, attributes, run) {
      const scope = running.getStore();
      if (scope === undefined || scope.left-- <= 0) return run();
      if (scope.context === undefined) return early(scope, { name, attributes }, run);
      return within(tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, scope.context), scope.context, run);
    },
    step(name, attributes, run) {
      const scope = running.getStore();
      if (scope?.context === undefined || scope.left-- <= 0) return run();
      return within(tracer.startSpan(name, { attributes }, scope.context), scope.context, run);
    },
    bind() {
      const scope = running.getStore();
      return scope === undefined ? (run) => run() : (run) => running.run(scope, run);
    },
    work: (name, attributes, run) => within(tracer.startSpan(name, { attributes }, ROOT_CONTEXT), ROOT_CONTEXT, run),
    headers() {
      const headers: Record<string, string> = {}, context = running.getStore()?.context;
      if (context !== undefined) propagator.inject(context, headers, { set: (carrier, key, value) => carrier[key] = value });
      return headers;
    },
    close: () => Promise.race([provider.shutdown().catch(() => {}), pause(tracingCloseMsMax, new AbortController().signal)]),
  };
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
