import assert from "node:assert/strict";
import { test } from "node:test";
import { object } from "../meta/object.ts";
import {
  boolean,
  bytes,
  double,
  duration,
  field,
  int32,
  int64,
  intOrString,
  lazy,
  list,
  microTime,
  quantity,
  raw,
  record,
  setOf,
} from "../schema.ts";
import { string, structsOf, time, type Typed } from "../schema.ts";
import { readJson } from "../tree/json.ts";
import { NumberText, type Tree, TreeObject } from "../tree/tree.ts";
import { DecodeError, decoder, decodeStored } from "./decode.ts";
import { convertedFindingsMax } from "./decoding.ts";
import { strictFindingsMax, typedDepthMax } from "../bounds.ts";

const struct = structsOf("core/v1");
const Source = struct("VolumeSource", {
  secret: field(1, struct("SecretSource", { mode: field(1, int32, "", { pointer: true }) }), "", { pointer: true }),
});
const Volume = struct("Volume", { name: field(1, string, "", { required: true }), source: field(2, Source, "", { inline: true }) });
const Spec = struct("LeaseSpec", {
  holder: field(1, string, "", { pointer: true }),
  seconds: field(2, int32, "", { pointer: true }),
  renewTime: field(3, microTime, "", { pointer: true }),
  port: field(4, intOrString, ""),
  amount: field(5, quantity, "", { pointer: true }),
  limits: field(6, record(quantity), ""),
  weight: field(7, double, ""),
  wait: field(8, duration, "", { pointer: true }),
  volumes: field(9, list(Volume), ""),
  rules: field(10, setOf(string), "", { written: "always" }),
  free: field(11, raw, "", { pointer: true }),
  on: field(12, boolean, ""),
});
const Kind = object("Lease", {
  spec: field(2, Spec, ""),
  data: field(3, record(string), ""),
  binaryData: field(4, record(bytes), ""),
  seen: field(5, time, "", { written: "always" }),
  caBundle: field(6, bytes, ""),
  generation: field(7, int64, ""),
}, { package: "core/v1" });

function tree(text: string): Tree {
  const read = readJson(text);
  assert.ok(read.ok, text);
  return read.tree;
}
function decode(text: string, node: Typed<unknown> = Kind): unknown {
  return decodeStored(node)(tree(text));
}
function findings(text: string): readonly string[] {
  const report = { reader: "json" as const, findings: [] };
  decoder(Kind)(tree(text), report);
  return report.findings;
}
function refusal(input: string | Tree, reader: "json" | "yaml" = "json"): string {
  try {
    decoder(Kind)(typeof input === "string" ? tree(input) : input, { reader, findings: [] });
  } catch (error) {
    assert.ok(error instanceof DecodeError);
    return error.message;
  }
  assert.fail("was accepted");
}
const empty = { kind: "", apiVersion: "", metadata: {}, spec: { rules: [] }, seen: null };

test("decoder() adds the zero values of fields that are always written and omits other absent fields", () => {
  assert.deepEqual(decode("{}"), empty);
  assert.deepEqual(decode("null"), empty);
  assert.deepEqual(
    decode('{"data":{},"generation":0,"caBundle":"","spec":{"port":0,"on":false,"weight":0,"limits":{},"volumes":[],"rules":[]}}'),
    empty,
  );
});

test("decoder() treats null as absent", () => {
  assert.deepEqual(decode('{"metadata":null,"spec":null,"data":null,"seen":null,"generation":null,"caBundle":null}'), empty);
  assert.deepEqual(decode('{"spec":{"holder":null,"seconds":null,"amount":null,"port":null,"renewTime":null,"free":null}}'), empty);
  assert.deepEqual(decode('{"data":{"a":null}}'), { ...empty, data: { a: "" } });
});

test("decoder() distinguishes zero from absent for pointers", () => {
  assert.deepEqual(decode('{"spec":{"holder":"","seconds":0,"amount":"0"}}'), {
    ...empty,
    spec: { holder: "", seconds: 0, amount: "0", rules: [] },
  });
});

test("decoder() sorts keys into schema order", () => {
  const value = decode('{"spec":{"seconds":1,"holder":"a"},"metadata":{"namespace":"b","name":"a"},"apiVersion":"v1","kind":"Lease"}') as {
    metadata: object;
    spec: object;
  };
  assert.deepEqual(Object.keys(value), ["kind", "apiVersion", "metadata", "spec", "seen"]);
  assert.deepEqual(Object.keys(value.metadata), ["name", "namespace"]);
  assert.deepEqual(Object.keys(value.spec), ["holder", "seconds", "rules"]);
});

test("decoder() converts scalars to canonical form", () => {
  assert.deepEqual(
    decode(`{"seen":"2024-01-02T03:04:05.5+01:00","caBundle":"YR==","spec":{"amount":1.5,"limits":{"b":"1024Mi","a":1},
      "wait":"90s","port":"http","weight":1e3,"renewTime":"2024-01-02T03:04:05.000001Z"}}`),
    {
      ...empty,
      seen: "2024-01-02T02:04:05Z",
      caBundle: "YQ==",
      spec: {
        renewTime: "2024-01-02T03:04:05.000001Z",
        port: "http",
        amount: "1500m",
        limits: { b: "1Gi", a: "1" },
        weight: 1000,
        wait: "1m30s",
        rules: [],
      },
    },
  );
  assert.deepEqual(decode('{"binaryData":{"a":[104,105,null]}}'), { ...empty, binaryData: { a: "aGkA" } });
});

test("decoder() keeps int64 exact: a number while safe, else a bigint", () => {
  const generation = (text: string) => (decode(`{"generation":${text}}`) as { generation: unknown }).generation;
  assert.equal(generation("9007199254740991"), 9007199254740991);
  assert.equal(generation("9007199254740992"), 9007199254740992n);
  assert.equal(generation("9223372036854775807"), 9223372036854775807n);
  assert.equal(generation("-9223372036854775808"), -9223372036854775808n);
});

test("decoder() reads the fields of inlined structs", () => {
  assert.deepEqual(decode('{"spec":{"volumes":[{"secret":{"mode":0},"name":"a"}]}}'), {
    ...empty,
    spec: { volumes: [{ name: "a", secret: { mode: 0 } }], rules: [] },
  });
});

test("decoder() reads __proto__ and constructor as ordinary keys", () => {
  const { data } = decode('{"data":{"__proto__":"a","constructor":"b","hasOwnProperty":"c"}}') as { data: object };
  assert.deepEqual(Object.entries(data), [["__proto__", "a"], ["constructor", "b"], ["hasOwnProperty", "c"]]);
  assert.equal(Object.getPrototypeOf(data), Object.prototype);
  assert.deepEqual(findings('{"metadata":{"__proto__":{"name":"b"},"constructor":{}},"__proto__":{"data":{}},"hasOwnProperty":1}'), [
    'unknown field "metadata.__proto__"',
    'unknown field "metadata.constructor"',
    'unknown field "__proto__"',
    'unknown field "hasOwnProperty"',
  ]);
});

test("decoder() reports unknown fields by their path, in document order, each once", () => {
  assert.deepEqual(findings('{"b":1,"spec":{"volumes":[{},{"x":1,"secret":{"y":{"deep":[]}}}],"z":null},"a":1,"a":2}'), [
    'unknown field "b"',
    'unknown field "spec.volumes[1].x"',
    'unknown field "spec.volumes[1].secret.y"',
    'unknown field "spec.z"',
    'unknown field "a"',
  ]);
  assert.deepEqual(findings('{"Kind":"x","a\\"b":1,"tab\\there":1,"":1}'), [
    'unknown field "Kind"',
    'unknown field "a\\"b"',
    'unknown field "tab\\there"',
    'unknown field ""',
  ]);
});

test("decoder() does not quote the paths of unknown fields of a converted tree, and has a higher bound for them", () => {
  const converted = (text: string): readonly string[] => {
    const findings: string[] = [];
    decoder(Kind)(tree(text), { reader: "json", findings, converted: true });
    return findings;
  };
  const keys = JSON.stringify({ 'a"b': 1, "g\nh": 1, spec: { "e\\f": 1 } });
  assert.deepEqual(converted(keys), ['unknown field "a"b"', 'unknown field "g\nh"', 'unknown field "spec.e\\f"']);
  const many = Array.from({ length: convertedFindingsMax + 1 }, (_, at) => `"u${at}":1`);
  assert.equal(converted(`{${many.join()}}`).length, convertedFindingsMax);
});

test("decoder() reports duplicate fields and keys up to the bound", () => {
  assert.deepEqual(findings('{"data":{"a":"1","b":"1","a":"2"},"spec":{},"spec":{"on":null,"on":true},"kind":"","kind":""}'), [
    'duplicate field "data.a"',
    'duplicate field "spec"',
    'duplicate field "spec.on"',
    'duplicate field "kind"',
  ]);
  const many = (count: number) => `{${Array.from({ length: count }, (_, i) => `"x${i}":1`).join()}}`;
  assert.equal(findings(many(strictFindingsMax)).length, strictFindingsMax);
  assert.equal(findings(many(strictFindingsMax + 1)).length, strictFindingsMax);
});

test("decoder() merges duplicate structs, maps and lists as Go does, and keeps the last of other values", () => {
  assert.deepEqual(decode('{"spec":{"holder":"a","seconds":1},"spec":{"holder":"b","on":true},"data":{"a":"1"},"data":{"b":"2"}}'), {
    ...empty,
    spec: { holder: "b", seconds: 1, rules: [], on: true },
    data: { a: "1", b: "2" },
  });
  assert.deepEqual(
    decode('{"spec":{"volumes":[{"name":"p"},{"name":"q"}],"volumes":[{}],"holder":"x","holder":null,"rules":["a"],"rules":null}}'),
    {
      ...empty,
      spec: { volumes: [{ name: "p" }], rules: [] },
    },
  );
  assert.deepEqual(decode('{"generation":5,"generation":null}'), { ...empty, generation: 5 });
});

test("decoder() reports a wrong type with Go's name of the field", () => {
  for (
    const [text, message] of [
      ['{"data":{"a":1}}', "number into Go struct field Lease.data of type string"],
      ['{"data":{"a":{}}}', "object into Go struct field Lease.data of type string"],
      ['{"data":["a"]}', "array into Go struct field Lease.data of type map[string]string"],
      ['{"metadata":[]}', "array into Go struct field Lease.metadata of type v1.ObjectMeta"],
      ['{"metadata":{"name":5}}', "number into Go struct field ObjectMeta.metadata.name of type string"],
      ['{"spec":{"volumes":{}}}', "object into Go struct field LeaseSpec.spec.volumes of type []v1.Volume"],
      ['{"spec":{"volumes":[[]]}}', "array into Go struct field LeaseSpec.spec.volumes of type v1.Volume"],
      [
        '{"spec":{"volumes":[{"secret":{"mode":"0644"}}]}}',
        "string into Go struct field SecretSource.spec.volumes.VolumeSource.secret.mode of type int32",
      ],
      ['{"spec":{"rules":"get"}}', "string into Go struct field LeaseSpec.spec.rules of type []string"],
      ['{"spec":{"on":"true"}}', "string into Go struct field LeaseSpec.spec.on of type bool"],
      ['{"spec":{"seconds":15.0}}', "number 15.0 into Go struct field LeaseSpec.spec.seconds of type int32"],
      ['{"spec":{"seconds":1e2}}', "number 1e2 into Go struct field LeaseSpec.spec.seconds of type int32"],
      ['{"spec":{"seconds":2147483648}}', "number 2147483648 into Go struct field LeaseSpec.spec.seconds of type int32"],
      ['{"generation":-9223372036854775809}', "number -9223372036854775809 into Go struct field Lease.generation of type int64"],
      ['{"spec":{"weight":1e400}}', "number 1e400 into Go struct field LeaseSpec.spec.weight of type float64"],
      ['{"binaryData":{"a":5}}', "number into Go struct field Lease.binaryData of type []uint8"],
      ['{"binaryData":{"a":[256]}}', "number 256 into Go struct field Lease.binaryData of type uint8"],
      ['{"spec":{"renewTime":5}}', "number into Go struct field LeaseSpec.spec.renewTime of type string"],
      ['{"seen":{}}', "object into Go struct field Lease.seen of type string"],
      ['{"spec":{"port":1.5}}', "number 1.5 into Go struct field LeaseSpec.spec.port of type int32"],
      ["[]", "array into Go value of type v1.Lease"],
    ] as const
  ) assert.equal(refusal(text), `json: cannot unmarshal ${message}`, text);
});

test("decoder() reports the first wrong type, or an unreadable scalar before any wrong type", () => {
  assert.match(refusal('{"data":{"a":1},"metadata":{"name":5}}'), /Lease\.data/);
  assert.equal(refusal('{"data":{"a":1},"caBundle":"!"}'), "illegal base64 data at input byte 0");
  assert.match(refusal('{"seen":"yesterday"}'), /^parsing time "yesterday" as /);
  assert.match(refusal('{"spec":{"amount":"1GB"}}'), /^quantities must match/);
  assert.match(refusal('{"spec":{"limits":{"cpu":true}}}'), /^quantities must match/);
  assert.equal(refusal('{"spec":{"wait":"5"}}'), 'time: missing unit in duration "5"');
});

test("decoder() accepts whole YAML floats as integers", () => {
  const spec = (text: string) => new TreeObject(["spec"], [new TreeObject(["seconds"], [new NumberText(text)])]);
  const { spec: read } = decoder(Kind)(spec("1e+2"), { reader: "yaml", findings: [] }) as { spec?: { seconds?: number } };
  assert.equal(read?.seconds, 100);
  assert.equal(
    refusal(spec("1.50"), "yaml"),
    "json: cannot unmarshal number 1.5 into Go struct field LeaseSpec.spec.seconds of type int32",
  );
});

test("decoder() skips and keeps raw values of any depth", () => {
  const deep = "[".repeat(9000) + "]".repeat(9000);
  assert.deepEqual(findings(`{"nope":${deep}}`), ['unknown field "nope"']);
  const { spec } = decode(`{"spec":{"free":${deep}}}`) as { spec: { free: unknown } };
  assert.ok(Array.isArray(spec.free));
});

test("decoder() keeps key order and exact integers of raw values, and rejects numbers beyond a double", () => {
  const { spec } = decode('{"spec":{"free":{"z":1,"a":{"__proto__":9007199254740993},"n":null,"f":1.5}}}') as { spec: { free: object } };
  assert.deepEqual(Object.keys(spec.free), ["z", "a", "n", "f"]);
  assert.deepEqual(
    JSON.stringify(spec.free, (_key, value) => typeof value === "bigint" ? `${value}n` : value),
    '{"z":1,"a":{"__proto__":"9007199254740993n"},"n":null,"f":1.5}',
  );
  assert.equal(
    refusal('{"spec":{"free":[1e400]}}'),
    "json: cannot unmarshal number 1e400 into Go struct field LeaseSpec.spec.free of type float64",
  );
});

test("decoder() decodes recursive structs up to the maximum depth", () => {
  type Tree = { readonly child?: Tree };
  const Node: Typed<Tree> = struct("Node", { child: field(1, lazy((): Typed<Tree> => Node), "", { pointer: true }) });
  const nested = (depth: number) => '{"child":'.repeat(depth - 1) + "{}" + "}".repeat(depth - 1);
  let at: Tree | undefined = decodeStored(Node)(tree(nested(typedDepthMax)));
  let depth = 0;
  for (; at !== undefined; at = at.child) depth++;
  assert.equal(depth, typedDepthMax);
  assert.throws(() => decodeStored(Node)(tree(nested(typedDepthMax + 1))), new DecodeError("exceeded max depth"));
});
