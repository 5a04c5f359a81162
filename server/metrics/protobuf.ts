/** Metrics as messages of Prometheus' protobuf format (io.prometheus.client.MetricFamily), each with its length before it. */
import type { Writer } from "protobufjs/minimal.js";
import { parseAccept } from "../../core/codec/accept.ts";
import { valueText } from "../../core/value-text.ts";
import { newWriter } from "../../core/codec/protobufjs.ts";
import { labelsOf } from "./samples.ts";

export const protobufMetrics =
  "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited; escaping=underscores";

/** Whether the first clause of Accept that names a format of metrics is protobuf, as upstream negotiates. */
export function wantsProtobuf(accept: string): boolean {
  for (const { type, subtype, parameters } of parseAccept(accept)) {
    const isProtobuf = type === "application" && subtype === "vnd.google.protobuf";
    if (isProtobuf && parameters.get("proto") === "io.prometheus.client.MetricFamily") return parameters.get("encoding") === "delimited";
    if (type === "text" && subtype === "plain" && [undefined, "0.0.4"].includes(parameters.get("version"))) return false;
  }
  return false;
}

/** Numbers of the types in the messages. */
const types: Readonly<Record<string, number>> = { counter: 0, gauge: 1, summary: 2, untyped: 3, histogram: 4 };

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  /** Metrics by their labels without `le`, in the order of the text. */
  readonly metrics: Map<string, Metric>;
}
interface Metric {
  readonly labels: ReadonlyMap<string, string>;
  value: number;
  sum: number;
  count: number;
  readonly buckets: (readonly [bound: number, count: number])[];
}

/** The messages of a text in the format 0.0.4, in which the lines of help and type precede the samples of each metric. */
export function protobufOf(text: string): Uint8Array {
  const writer = newWriter();
  for (const family of familiesOf(text)) nested(writer, undefined, (inner) => writeFamily(inner, family));
  return writer.finish();
}

function* familiesOf(text: string): Generator<Family> {
  let family: Family | undefined, help = "";
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start), end = newline < 0 ? text.length : newline, line = text.slice(start, end);
    start = end + 1;
    const [mark, kind, name = ""] = line.split(" ", 3);
    if (mark === "#" && kind === "HELP") help = unescaped(line.slice(8 + name.length));
    else if (mark === "#" && kind === "TYPE") {
      if (family !== undefined) yield family;
      family = { name, help, type: line.slice(8 + name.length), metrics: new Map() };
    } else if (line !== "" && family !== undefined) addSample(family, line);
  }
  if (family !== undefined) yield family;
}

function addSample({ name, type, metrics }: Family, line: string): void {
  const brace = line.indexOf("{"), space = line.lastIndexOf(" "), value = Number(line.slice(space + 1).replace("Inf", "Infinity"));
  const labels = new Map(labelsOf(line, brace, space)), le = labels.get("le");
  if (type === "histogram") labels.delete("le");
  const key = valueText([...labels]);
  let metric = metrics.get(key);
  if (metric === undefined) metrics.set(key, metric = { labels, value, sum: 0, count: 0, buckets: [] });
  if (type !== "histogram") return;
  const part = line.slice(name.length, brace < 0 ? space : brace);
  if (part === "_sum") metric.sum = value;
  else if (part === "_count") metric.count = value;
  else if (le !== "+Inf") metric.buckets.push([Number(le), value]);
}

function writeFamily(writer: Writer, { name, help, type, metrics }: Family): void {
  writer.uint32(1 << 3 | 2).string(name).uint32(2 << 3 | 2).string(help).uint32(3 << 3).uint32(types[type] ?? types["untyped"]!);
  for (const metric of metrics.values()) nested(writer, 4, (inner) => writeMetric(inner, type, metric));
}

function writeMetric(writer: Writer, type: string, { labels, value, sum, count, buckets }: Metric): void {
  for (const [name, text] of labels) {
    nested(writer, 1, (inner) => void inner.uint32(1 << 3 | 2).string(name).uint32(2 << 3 | 2).string(text));
  }
  if (type !== "histogram") {
    const field = type === "gauge" ? 2 : type === "counter" ? 3 : 5;
    nested(writer, field, (inner) => void inner.uint32(1 << 3 | 1).double(value));
    return;
  }
  nested(writer, 7, (inner) => {
    inner.uint32(1 << 3).uint64(count).uint32(2 << 3 | 1).double(sum);
    for (const [bound, upTo] of buckets) {
      nested(inner, 3, (bucket) => void bucket.uint32(1 << 3).uint64(upTo).uint32(2 << 3 | 1).double(bound));
    }
  });
}

/** A message with its length; `field`: its field in the outer one. */
function nested(writer: Writer, field: number | undefined, write: (inner: Writer) => void): void {
  if (field !== undefined) writer.uint32(field << 3 | 2);
  writer.fork();
  write(writer);
  writer.ldelim();
}

function unescaped(text: string): string {
  let plain = "";
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== "\\") plain += text[at];
    else plain += text[++at] === "n" ? "\n" : text[at] ?? "";
  }
  return plain;
}
