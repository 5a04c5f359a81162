/** The setting of tracing, and the file that it names: TracingConfiguration, as upstream's. */
import { field, type Infer, int32, string, struct } from "../../core/schema.ts";
import { goQuote } from "../../core/tree/go-quote.ts";
import { decodeConfigObject } from "../../core/config/config-object.ts";
import { type Fault, FaultyText } from "../../core/config/mistake.ts";
import { fixed, text } from "./setting.ts";
import { configurationFileBytesMax } from "./bounds.ts";

export interface TracingConfig {
  readonly "tracing-config-file": string;
}

export const tracingSettings = Object.freeze({
  "tracing-config-file": fixed(
    "it is read at the start",
    text(
      "",
      "File with a TracingConfiguration: the address of the OpenTelemetry collector that receives spans over OTLP (gRPC), and the share of requests to " +
        "trace. Empty: nothing is traced.",
    ),
  ),
});

/** What is traced, and where spans are sent. */
export interface TracingConfiguration {
  /** `http://localhost:4317` or `unix:///run/collector.sock`: as the exporter takes it. */
  readonly url: string;
  /** The share of the requests without a sampled parent that are traced: 0 to 1. */
  readonly share: number;
}

const Schema = struct("TracingConfiguration", {
  endpoint: field(0, string, "Address of the collector: host:port, dns:///host:port, or unix:///path. Default: localhost:4317.", {
    pointer: true,
  }),
  samplingRatePerMillion: field(0, int32, "Requests of a million to trace. Default: 0, which follows the requests' own decision.", {
    pointer: true,
  }),
});
const Configuration = Object.freeze({ ...Schema, typeMeta: true } as const);
type Configuration = Infer<typeof Schema>;

const defaultEndpoint = "localhost:4317";
const perMillionMax = 1_000_000;

/** Reads the text of the file. Throws a FaultyText with all mistakes; their texts are upstream's. */
export function readTracingConfiguration(source: string, groupDomain: string): TracingConfiguration {
  if (source.length > configurationFileBytesMax) {
    throw new Error(`it has ${source.length} characters, more than ${configurationFileBytesMax}`);
  }
  const { object, error } = decodeConfigObject<Configuration>(source, {
    kind: "TracingConfiguration",
    group: `apiserver.config.${groupDomain}`,
    versions: ["v1", "v1beta1", "v1alpha1"],
    schema: Configuration,
  });
  const { endpoint = defaultEndpoint, samplingRatePerMillion: rate = 0 } = object ?? {};
  const mistakes: Fault[] = [], ofRate = "samplingRatePerMillion";
  if (rate < 0) mistakes.push({ text: `${ofRate}: Invalid value: ${rate}: sampling rate must be positive`, path: ofRate });
  if (rate > perMillionMax) {
    mistakes.push({
      text: `${ofRate}: Invalid value: ${rate}: sampling rate per million must be less than or equal to one million`,
      path: ofRate,
    });
  }
  const url = urlOf(endpoint);
  if (url === undefined) {
    const text = `endpoint: Invalid value: ${goQuote(endpoint)}: must be host:port, dns:///host:port or unix:///path`;
    mistakes.push({ text, path: "endpoint" });
  }
  if (error !== undefined) throw error.and(mistakes);
  if (url === undefined || mistakes.length > 0) throw new FaultyText(mistakes.map(({ text }) => text).join(", "), mistakes);
  return { url, share: rate / perMillionMax };
}

/** Undefined for what is no address of a collector. */
function urlOf(endpoint: string): string | undefined {
  if (/^unix:\/\/\/[^\s]/.test(endpoint)) return endpoint;
  const [hostPort, hasScheme] = endpoint.startsWith("dns:///") ? [endpoint.slice("dns:///".length), true] : [endpoint, false];
  if (!hasScheme && endpoint.includes("//")) return undefined;
  const url = URL.parse(`http://${hostPort}`);
  return url === null || url.host === "" || `${url.pathname}${url.search}${url.hash}${url.username}` !== "/"
    ? undefined
    : `http://${hostPort}`;
}
