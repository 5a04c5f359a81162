import assert from "node:assert/strict";
import { test } from "node:test";
import { newReader } from "../../core/codec/protobufjs.ts";
import { protobufFormat, protobufOf, protobufReply, protobufText } from "./protobuf.ts";

/** Fields of a message: numbers, doubles and bytes by their wire type. */
function fieldsOf(bytes: Uint8Array): readonly (readonly [number, number | Uint8Array])[] {
  const reader = newReader(bytes), found: (readonly [number, number | Uint8Array])[] = [];
  while (reader.pos < reader.len) {
    const tag = reader.uint32(), type = tag & 7;
    found.push([tag >>> 3, type === 0 ? reader.uint32() : type === 1 ? reader.double() : reader.bytes()]);
  }
  return found;
}
const textOf = (value: number | Uint8Array) => new TextDecoder().decode(value as Uint8Array);
const inner = (value: number | Uint8Array) => fieldsOf(value as Uint8Array);

test("protobufOf() writes counters, gauges and histograms with their labels", () => {
  const bytes = protobufOf(
    [
      "# HELP a_total A \\\\ \\n",
      "# TYPE a_total counter",
      'a_total{code="2\\"0",verb="GET"} 3',
      "# HELP b B",
      "# TYPE b gauge",
      "b -1.5",
      "# HELP c C",
      "# TYPE c histogram",
      ...['c_bucket{x="1",le="0.5"} 1', 'c_bucket{x="1",le="+Inf"} 2', 'c_sum{x="1"} 7.25', 'c_count{x="1"} 2'],
      "",
    ].join("\n"),
  );
  const reader = newReader(bytes), families = [];
  while (reader.pos < reader.len) families.push(fieldsOf(reader.bytes()));
  assert.deepEqual(families.map(([name, help, type]) => [textOf(name![1]), textOf(help![1]), type![1]]), [["a_total", "A \\ \n", 0], [
    "b",
    "B",
    1,
  ], [
    "c",
    "C",
    4,
  ]]);
  const [counter, gauge, histogram] = families.map((family) => inner(family[3]![1]));
  assert.deepEqual(counter!.slice(0, 2).map(([, label]) => inner(label).map(([, part]) => textOf(part))), [["code", '2"0'], [
    "verb",
    "GET",
  ]]);
  assert.deepEqual([counter![2]![0], inner(counter![2]![1])], [3, [[1, 3]]]);
  assert.deepEqual([gauge![0]![0], inner(gauge![0]![1])], [2, [[1, -1.5]]]);
  const [label, [field, values]] = histogram as any;
  assert.deepEqual([inner(label[1]).map(([, part]) => textOf(part)), field], [["x", "1"], 7]);
  const [count, sum, bucket] = inner(values);
  assert.deepEqual([count, sum, inner(bucket![1])], [[1, 2], [2, 7.25], [[1, 1], [2, 0.5]]]);
});

test("protobufFormat() follows the first clause that names a format of metrics", () => {
  const family = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily", protobuf = `${family};encoding=delimited`;
  const delimited = { encoding: "delimited", escaping: "underscores" };
  for (
    const [accept, expected] of [
      ["", undefined],
      ["*/*", undefined],
      [protobuf, delimited],
      [`application/openmetrics-text;version=1.0.0,${protobuf};q=0.7,text/plain;version=0.0.4;q=0.3`, delimited],
      [`text/plain;version=0.0.4,${protobuf};q=0.5`, undefined],
      [`text/plain;version=1.0.0,${protobuf};q=0.5`, delimited],
      ["application/vnd.google.protobuf", undefined],
      [`${family};encoding=other,${family};encoding=text`, { ...delimited, encoding: "text" }],
      [`${family};encoding=compact-text;escaping=allow-utf-8`, { encoding: "compact-text", escaping: "allow-utf-8" }],
      [`${protobuf};escaping=other`, delimited],
    ] as const
  ) assert.deepEqual(protobufFormat(accept), expected, accept);
});

const sample = [
  "# HELP a_total A \\\\ \\n",
  "# TYPE a_total counter",
  'a_total{code="2\\"0"} 3',
  "# HELP c C",
  "# TYPE c histogram",
  ...['c_bucket{le="0.00005"} 1', 'c_bucket{le="+Inf"} 2', "c_sum 7.25", "c_count 2"],
  "",
].join("\n");

test("protobufText() writes a line for each message, or one for each field", () => {
  assert.equal(
    protobufText(sample, false),
    [
      String.raw`name:"a_total" help:"A \\ \n" type:COUNTER metric:{label:{name:"code" value:"2\"0"} counter:{value:3}}`,
      'name:"c" help:"C" type:HISTOGRAM metric:{histogram:{sample_count:2 sample_sum:7.25 bucket:{cumulative_count:1 upper_bound:5e-05}}}',
      "",
    ].join("\n"),
  );
  const [first] = protobufText(sample, true).split("\n\n");
  assert.equal(
    first,
    [
      'name: "a_total"',
      String.raw`help: "A \\ \n"`,
      "type: COUNTER",
      "metric: {",
      "  label: {",
      '    name: "code"',
      String.raw`    value: "2\"0"`,
      "  }",
      "  counter: {",
      "    value: 3",
      "  }",
      "}",
    ].join("\n"),
  );
});

test("protobufReply() names the format", () => {
  const { headers, body } = protobufReply(sample, { encoding: "text", escaping: "dots" });
  assert.equal(
    headers["content-type"],
    "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=text; escaping=dots",
  );
  assert.equal(body, protobufText(sample, true));
});
