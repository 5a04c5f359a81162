/** A collector of OpenTelemetry spans over OTLP (gRPC), with a decoder of its own. Field numbers are those of the protocol's definition. */
import { Buffer } from "node:buffer";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import protobuf from "protobufjs";

export interface ReceivedSpan {
  readonly trace: string;
  readonly id: string;
  /** "" for the first span of a trace. */
  readonly parent: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  /** Nanoseconds since 1970. */
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly string[];
  /** Spans of other traces, by their ids. */
  readonly links: readonly string[];
  /** 0 unset, 2 error. */
  readonly status: number;
  /** Attributes of the server. */
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface Collector {
  readonly port: number;
  readonly spans: ReceivedSpan[];
  close(): void;
}

const request = protobuf.parse(`
  syntax = "proto3";
  message Request { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6; fixed64 start = 7; fixed64 end = 8;
    repeated KeyValue attributes = 9; repeated Event events = 11; repeated Link links = 13; Status status = 15;
  }
  message Event { string name = 2; }
  message Link { bytes trace_id = 1; bytes span_id = 2; }
  message Status { int32 code = 3; }
  message KeyValue { string key = 1; Value value = 2; }
  message Value { oneof value { string text = 1; bool flag = 2; int64 number = 3; double fraction = 4; } }
`).root.lookupType("Request");

const hex = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString("hex");
type Attributes = { key: string; value?: Record<string, unknown> }[];
const valuesOf = (attributes: Attributes = []) =>
  Object.fromEntries(attributes.map(({ key, value = {} }) => [key, Object.values(value)[0]] as const));

function spansOf(bytes: Uint8Array): ReceivedSpan[] {
  // `any`: the decoder's objects follow the definition above.
  const { resourceSpans = [] } = request.toObject(request.decode(bytes), { longs: String }) as any;
  return resourceSpans.flatMap(({ resource, scopeSpans }: any) =>
    scopeSpans.flatMap(({ spans }: any) =>
      spans.map((span: any) => ({
        trace: hex(span.traceId),
        id: hex(span.spanId),
        parent: hex(span.parentSpanId),
        name: span.name,
        kind: span.kind,
        start: BigInt(span.start),
        end: BigInt(span.end),
        attributes: valuesOf(span.attributes),
        events: (span.events ?? []).map(({ name }: { name: string }) => name),
        links: (span.links ?? []).map(({ spanId }: { spanId: Uint8Array }) => hex(spanId)),
        status: span.status?.code ?? 0,
        resource: valuesOf(resource.attributes),
      }))
    )
  );
}

/** Listens on a port of loopback, or on this address, such as `unix:/run/otel.sock`. */
export async function openCollector(address = "127.0.0.1:0"): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const server = new Server();
  server.addService({
    export: {
      path: "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
      requestStream: false,
      responseStream: false,
      requestSerialize: (bytes: Uint8Array) => Buffer.from(bytes),
      requestDeserialize: spansOf,
      responseSerialize: () => Buffer.alloc(0),
      responseDeserialize: () => undefined,
    },
  }, {
    export(call: { request: ReceivedSpan[] }, done: (error: null, answer: object) => void) {
      spans.push(...call.request);
      done(null, {});
    },
  });
  const bound = await new Promise<number>((resolve, reject) =>
    server.bindAsync(
      address,
      ServerCredentials.createInsecure(),
      (error, given) => error === null ? resolve(given) : reject(error),
    )
  );
  return { port: bound, spans, close: () => server.forceShutdown() };
}
