/**
 * Metrics as messages of Prometheus' protobuf format (io.prometheus.client.MetricFamily): each with its length before it, or as the text of the
 * messages, one line each or indented.
 */
import type { Writer } from "protobufjs/minimal.js";
import { parseAccept } from "../../core/codec/accept.ts";
import { goFloat } from "../../core/tree/yaml/go-value.ts";
import { valueText } from "../../core/value-text.ts";
import { newWriter } from "../../core/codec/protobufjs.ts";
import type { Reply } from "../../kernel/request/exchange.ts";
import { labelsOf } from "./samples.ts";

/** How a client wants the messages. */
export interface ProtobufFormat {
  readonly encoding: "delimited" | "text" | "compact-text";
  /** How names with other characters would be written. There are none, so the client's word is only repeated. */
  readonly escaping: string;
}

const encodings: readonly string[] = ["delimited", "text", "compact-text"] satisfies ProtobufFormat["encoding"][];
const escapings: readonly string[] = ["allow-utf-8", "underscores", "dots", "values"];

/** The format of the first clause of Accept that names a format of metrics, as upstream negotiates; undefined for plain text. */
export function protobufFormat(accept: string): ProtobufFormat | undefined {
  let escaping = "underscores";
  for (const { type, subtype, parameters } of parseAccept(accept)) {
    const wanted = parameters.get("escaping") ?? "", encoding = parameters.get("encoding") ?? "";
    if (escapings.includes(wanted)) escaping = wanted;
    const isProtobuf = type === "application" && subtype === "vnd.google.protobuf" &&
      parameters.get("proto") === "io.prometheus.client.MetricFamily";
    // `as`: it is one of these.
    if (isProtobuf && encodings.includes(encoding)) return { encoding: encoding as ProtobufFormat["encoding"], escaping };
    if (type === "text" && subtype === "plain" && [undefined, "", "0.0.4"].includes(parameters.get("version"))) return undefined;
  }
  return undefined;
}

/** The reply with the metrics of a text in the format 0.0.4. */
export function protobufReply(text: string, { encoding, escaping }: ProtobufFormat): Reply {
  const type = `application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=${encoding}; escaping=${escaping}`;
  const body = encoding === "delimited" ? protobufOf(text) : protobufText(text, encoding === "text");
  return { status: 200, headers: { "content-type": type }, body };
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
  for (const family of familiesOf(text)) nested(writer, undefined, (inner) => writeFields(inner, fieldsOfFamily(family)));
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

/** A field of a message: its number and name, and a text, a number or a message. */
type Field = readonly [number: number, name: string, value: string | Whole | Double | readonly Field[] | Enum];
interface Whole {
  readonly whole: number;
}
interface Double {
  readonly double: number;
}
interface Enum extends Whole {
  readonly name: string;
}

function fieldsOfFamily({ name, help, type, metrics }: Family): readonly Field[] {
  const typeName = Object.hasOwn(types, type) ? type : "untyped";
  return [
    [1, "name", name],
    [2, "help", help],
    [3, "type", { whole: types[typeName]!, name: typeName.toUpperCase() }],
    ...Array.from(metrics.values(), (metric): Field => [4, "metric", fieldsOfMetric(typeName, metric)]),
  ];
}

function fieldsOfMetric(type: string, { labels, value, sum, count, buckets }: Metric): readonly Field[] {
  const own = Array.from(labels, ([name, text]): Field => [1, "label", [[1, "name", name], [2, "value", text]]]);
  if (type !== "histogram") {
    const [number, name] = type === "gauge"
      ? [2, "gauge"] as const
      : type === "counter"
      ? [3, "counter"] as const
      : [5, "untyped"] as const;
    return [...own, [number, name, [[1, "value", { double: value }]]]];
  }
  const ofBuckets = buckets.map(([bound, upTo]): Field => [3, "bucket", [
    [1, "cumulative_count", { whole: upTo }],
    [2, "upper_bound", { double: bound }],
  ]]);
  return [...own, [7, "histogram", [[1, "sample_count", { whole: count }], [2, "sample_sum", { double: sum }], ...ofBuckets]]];
}

function writeFields(writer: Writer, fields: readonly Field[]): void {
  for (const [number, , value] of fields) {
    if (typeof value === "string") writer.uint32(number << 3 | 2).string(value);
    else if ("double" in value) writer.uint32(number << 3 | 1).double(value.double);
    else if ("whole" in value) writer.uint32(number << 3).uint64(value.whole);
    else nested(writer, number, (inner) => writeFields(inner, value));
  }
}

/** The messages in the text format of protobuf. `isIndented`: a line for each field, and an empty one after each message. */
export function protobufText(text: string, isIndented: boolean): string {
  let whole = "";
  for (const family of familiesOf(text)) {
    const fields = fieldsOfFamily(family);
    whole += isIndented ? `${indented(fields, "")}\n` : `${compact(fields)}\n`;
  }
  return whole;
}

function indented(fields: readonly Field[], indent: string): string {
  return fields.map(([, name, value]) =>
    isMessage(value) ? `${indent}${name}: {\n${indented(value, `${indent}  `)}${indent}}\n` : `${indent}${name}: ${scalarText(value)}\n`
  ).join("");
}

function compact(fields: readonly Field[]): string {
  return fields.map(([, name, value]) => `${name}:${isMessage(value) ? `{${compact(value)}}` : scalarText(value)}`).join(" ");
}

function isMessage(value: Field[2]): value is readonly Field[] {
  return Array.isArray(value);
}

function scalarText(value: Exclude<Field[2], readonly Field[]>): string {
  if (typeof value === "string") return quotedText(value);
  if ("double" in value) return Number.isFinite(value.double) ? goFloat(value.double) : infiniteText(value.double);
  return "name" in value ? value.name : String(value.whole);
}

function infiniteText(value: number): string {
  return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

function quotedText(text: string): string {
  const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t" };
  return `"${Array.from(text, (character) => escapes[character] ?? character).join("")}"`;
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
