import assert from "node:assert/strict";
import { test } from "node:test";
import { DecodeError, decoder } from "../derive/decode.ts";
import {
  bytes,
  double,
  field,
  int32,
  int64,
  intOrString,
  lazy,
  list,
  mapBy,
  microTime,
  named,
  record,
  setOf,
  string,
  struct,
  type Typed,
} from "../schema.ts";
import type { Json } from "../schema.ts";
import { StatusError } from "../status-error.ts";
import { jsonFromTree, readJson } from "../tree/json.ts";
import { convertUntyped } from "./converted.ts";
import { shapeOf } from "./strategic-shape.ts";
import { readStrategicPatch, strategicMerge } from "./strategic.ts";
import { goText, type UntypedMap, untypedOf } from "./untyped.ts";

// A small pod template with upstream's merge strategies.
const Port = struct("ContainerPort", { containerPort: field(1, int32, "Port."), protocol: field(2, string, "Protocol.") });
const Env = struct("EnvVar", { name: field(1, string, "Name."), value: field(2, string, "Value.") });
const Container = struct("Container", {
  name: field(1, string, "Name."),
  image: field(2, string, "Image."),
  command: field(3, list(string), "Command."),
  args: field(4, list(string), "Arguments."),
  workingDir: field(5, string, "Directory."),
  ports: field(6, mapBy(["containerPort", "protocol"], Port), "Ports.", { patch: { strategy: ["merge"], mergeKey: "containerPort" } }),
  env: field(7, list(Env), "Environment.", { patch: { strategy: ["merge"], mergeKey: "name" } }),
});
const Volume = struct("Volume", {
  name: field(1, string, "Name."),
  emptyDir: field(2, record(string), "Empty."),
  hostPath: field(3, record(string), "Path."),
});
const PodSpec = struct("PodSpec", {
  containers: field(1, list(Container), "Containers.", { patch: { strategy: ["merge"], mergeKey: "name" } }),
  volumes: field(2, list(Volume), "Volumes.", { patch: { strategy: ["merge", "retainKeys"], mergeKey: "name" } }),
  nodeSelector: field(3, record(string), "Labels of nodes."),
  finalizers: field(4, setOf(string), "Finalizers.", { patch: { strategy: ["merge"] } }),
  modes: field(5, setOf(string), "A set for apply alone."),
  selector: field(6, struct("Selector", { a: field(1, string, "A.") }), "Replaced whole.", { patch: { strategy: ["replace"] } }),
  seconds: field(7, int32, "Seconds."),
  generation: field(8, int64, "Generation."),
  weight: field(9, double, "Weight."),
  blob: field(10, bytes, "Bytes."),
  target: field(11, intOrString, "Target."),
  lists: field(12, list(list(string)), "Lists of lists."),
  moment: field(14, microTime, "Time."),
  policy: field(15, named("v1.Policy", string), "A word of a type of its own."),
  keyless: field(13, list(Env), "Merged without a key.", { patch: { strategy: ["merge"] } }),
});

function mapOf(value: Json | string): UntypedMap {
  const read = readJson(typeof value === "string" ? value : JSON.stringify(value));
  assert.ok(read.ok);
  const map = untypedOf(read.tree);
  assert.ok(map instanceof Map);
  return map;
}
function merge(original: Json | string, patch: Json | string): Json {
  return jsonFromTree(convertUntyped(strategicMerge(mapOf(original), mapOf(patch), shapeOf(PodSpec)), PodSpec));
}
function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof DecodeError) return `decode ${error.message}`;
    assert.ok(error instanceof StatusError, String(error));
    return `${error.code} ${error.message}`;
  }
  return assert.fail("it was not rejected");
}

test("strategicMerge() merges lists by key, with the items of the patch in its order and new items before the other items of the server", () => {
  const first = merge(
    { containers: [{ name: "a", image: "i:1", command: ["x"] }, { name: "b", image: "i:2" }] },
    { containers: [{ name: "b", image: "i:3" }, { name: "c", image: "i:4" }, { name: "a", workingDir: "/w" }] },
  );
  const containers = [{ name: "b", image: "i:3" }, { name: "c", image: "i:4" }, {
    name: "a",
    image: "i:1",
    command: ["x"],
    workingDir: "/w",
  }];
  assert.deepEqual(first, { containers });
  assert.deepEqual(merge({ containers }, { containers: [{ name: "d", image: "i:5" }] }), {
    containers: [{ name: "d", image: "i:5" }, ...containers],
  });
});

test("strategicMerge() keeps the positions of the server's items between those of the patch", () => {
  const named = (...names: string[]) => ({ containers: names.map((name) => ({ name })) });
  assert.deepEqual(merge(named("a", "b", "c", "d"), named("c")), named("a", "b", "c", "d"));
  assert.deepEqual(merge(named("a", "b", "c", "d"), named("d", "a")), named("b", "c", "d", "a"));
  assert.deepEqual(
    merge(named("a", "b", "c"), { ...named("x", "b"), "$setElementOrder/containers": [{ name: "x" }, { name: "b" }] }),
    named("x", "a", "b", "c"),
  );
  assert.deepEqual(merge(named("a", "b", "c"), { "$setElementOrder/containers": [{ name: "c" }, { name: "a" }] }), named("b", "c", "a"));
});

test("strategicMerge() deletes items by key, and ignores missing ones", () => {
  assert.deepEqual(
    merge(
      { containers: [{ name: "a", env: [{ name: "X", value: "1" }, { name: "Y", value: "2" }] }, { name: "b" }] },
      {
        containers: [{ name: "a", env: [{ name: "X", $patch: "delete" }] }, { name: "b", $patch: "delete" }, {
          name: "zz",
          $patch: "delete",
        }],
      },
    ),
    { containers: [{ name: "a", env: [{ name: "Y", value: "2" }] }] },
  );
});

test("strategicMerge() replaces lists and maps by directive, and clears maps", () => {
  assert.deepEqual(merge({ nodeSelector: { x: "1", y: "2" } }, { nodeSelector: { $patch: "replace", k: "9" } }), {
    nodeSelector: { k: "9" },
  });
  assert.deepEqual(merge({ nodeSelector: { x: "1" } }, { nodeSelector: { $patch: "delete", k: "9" } }), { nodeSelector: {} });
  assert.deepEqual(merge({ seconds: 1, modes: ["a"] }, { $patch: "replace", seconds: 2 }), { seconds: 2 });
  assert.deepEqual(merge({ seconds: 1 }, { $patch: "delete", seconds: 2 }), {});
  const replaced = { containers: [{ $patch: "replace" }, { name: "c" }] };
  assert.deepEqual(merge({ containers: [{ name: "a" }, { name: "b" }] }, replaced), { containers: [{ name: "c" }] });
  assert.deepEqual(merge({ selector: { a: "1" } }, { selector: {} }), { selector: {} });
});

test("strategicMerge() replaces lists without a merge strategy, independent of their type for apply", () => {
  assert.deepEqual(
    merge({ modes: ["a"], containers: [{ name: "a", args: ["p"] }] }, { modes: ["b"], containers: [{ name: "a", args: ["q"] }] }),
    {
      modes: ["b"],
      containers: [{ name: "a", args: ["q"] }],
    },
  );
});

test("strategicMerge() rejects items without the merge key and items that are not objects", () => {
  const original = { containers: [{ name: "a", image: "i:1", ports: [{ containerPort: 80, protocol: "TCP" }] }] };
  const shown = "[map[image:i:1 name:a ports:[map[containerPort:80 protocol:TCP]]]]";
  const cases: readonly (readonly [containers: Json, why: string])[] = [
    [[{ image: "i:2" }], "500 map: map[image:i:2] does not contain declared merge key: name"],
    [[{ name: "a", ports: [{ protocol: "UDP" }] }], "500 map: map[protocol:UDP] does not contain declared merge key: containerPort"],
    [["a"], `500 list element types are not identical: [${shown} [a]]`],
    [[[{ name: "a" }]], `500 list element types are not identical: [${shown} [[map[name:a]]]]`],
    [[{ name: "a" }, 1], `500 list element types are not identical: [${shown} [map[name:a] 1]]`],
    [[{ name: "a" }, null], `500 list element types are not identical: [${shown} [map[name:a] <nil>]]`],
    [[{ name: "a", $patch: "merge" }], "500 merging lists cannot yet be specified in the patch"],
    [[{ name: "a", $patch: "nope" }], "500 unknown patch type: nope in map: map[$patch:nope name:a]"],
    [[{ name: "a", $patch: 5 }], "500 unknown patch type: %!s(int64=5) in map: map[$patch:5 name:a]"],
    [[{ $patch: "delete" }], "500 map: map[$patch:delete] does not contain declared merge key: name"],
    [[{ name: {} }], "500 runtime error: comparing uncomparable type map[string]interface {}"],
  ];
  for (const [containers, why] of cases) assert.equal(refusal(() => merge(original, { containers })), why);
  assert.equal(
    refusal(() => merge({ keyless: [{ name: "a" }] }, { keyless: [{ name: "b" }] })),
    "500 cannot merge lists without merge key for struct",
  );
  assert.equal(
    refusal(() => merge({ nodeSelector: {} }, { nodeSelector: { $patch: "merge" } })),
    "500 unknown patch type: merge in map: map[$patch:merge]",
  );
});

test("strategicMerge() keeps the keys of $retainKeys, which must contain all keys that the patch sets", () => {
  const original = { nodeSelector: { x: "1", y: "2" }, volumes: [{ name: "v", emptyDir: {} }] };
  const bad = "400 invalid patch format of retainKeys";
  assert.equal(refusal(() => merge(original, { volumes: [{ name: "v", $retainKeys: ["name"], emptyDir: { medium: "Memory" } }] })), bad);
  assert.equal(refusal(() => merge(original, { volumes: [{ name: "v", $retainKeys: "name" }] })), bad);
  assert.deepEqual(
    merge(original, { volumes: [{ name: "v", $retainKeys: ["name", "hostPath"], hostPath: { path: "/" }, emptyDir: null }] }),
    {
      ...original,
      volumes: [{ name: "v", hostPath: { path: "/" } }],
    },
  );
  assert.deepEqual(merge(original, { nodeSelector: { $retainKeys: ["y", "z"], z: "3" } }), {
    ...original,
    nodeSelector: { y: "2", z: "3" },
  });
  assert.deepEqual(merge(original, { nodeSelector: { $retainKeys: [] } }), { ...original, nodeSelector: {} });
});

test("strategicMerge() requires the items of a patch to be in the order of $setElementOrder", () => {
  const original = { containers: [{ name: "a" }, { name: "b" }] };
  const order = (order: Json, containers?: Json) =>
    refusal(() => merge(original, { "$setElementOrder/containers": order, ...(containers === undefined ? {} : { containers }) }));
  assert.equal(
    order([{ name: "a" }, { name: "b" }], [{ name: "b", image: "b" }, { name: "a", image: "a" }]),
    "500 The order in patch list:\n[map[image:b name:b] map[image:a name:a]]\n doesn't match $setElementOrder list:\n[map[name:a] map[name:b]]\n",
  );
  assert.equal(
    order([{ name: "a" }], [{ name: "b" }]),
    "500 The order in patch list:\n[map[name:b]]\n doesn't match $setElementOrder list:\n[map[name:a]]\n",
  );
  assert.equal(order("a"), "500 expected a []interface {}, but received a string");
  assert.equal(order([{ name: "a" }], "a"), "500 expected a []interface {}, but received a string");
  assert.equal(order([{ image: "a" }], [{ name: "b" }]), "500 map: map[image:a] does not contain declared merge key: name");
  const other = (patch: Json) => refusal(() => merge(original, patch));
  assert.equal(
    other({ "$setElementOrder/nothings": [{ name: "a" }] }),
    '500 unable to find api field in struct PodSpec for the json field "nothings"',
  );
  assert.equal(other({ $setElementOrder: [{ name: "a" }] }), "400 invalid patch format of setElementOrder list");
  assert.equal(other({ "$setElementOrder/seconds": [1] }), "500 expected slice or array type, but got: struct");
  assert.equal(other({ "$setElementOrder/lists": [["a"]] }), "500 unexpected slice of slice");
});

test("strategicMerge() merges and orders sets of scalars, and removes items from any list of scalars", () => {
  const steps: readonly (readonly [patch: Json, finalizers: readonly string[] | undefined])[] = [
    [{ finalizers: ["b", "c"] }, ["a", "b", "c"]],
    [{ "$deleteFromPrimitiveList/finalizers": ["b", "zz"] }, ["a", "c"]],
    [{ "$setElementOrder/finalizers": ["d", "a"], "$deleteFromPrimitiveList/finalizers": ["c"], finalizers: ["d"] }, ["d", "a"]],
    [{ finalizers: [] }, ["d", "a"]],
    [{ finalizers: null }, undefined],
  ];
  let object: Json = { finalizers: ["a", "b"] };
  for (const [patch, finalizers] of steps) {
    object = merge(object, patch);
    assert.deepEqual(object, finalizers === undefined ? {} : { finalizers });
  }
  assert.deepEqual(merge({ modes: ["p", "q", "p"] }, { "$deleteFromPrimitiveList/modes": ["p"] }), { modes: ["q"] });
  assert.deepEqual(merge({ seconds: 1 }, { "$deleteFromPrimitiveList/modes": ["p"] }), { seconds: 1 });
  const bad = "400 invalid patch format of primitive list";
  assert.equal(refusal(() => merge({}, { $deleteFromPrimitiveList: ["p"] })), bad);
  assert.equal(refusal(() => merge({}, { $deleteFromPrimitiveListmodes: ["p"] })), bad);
  const deleted = () => merge({ containers: [{ name: "a" }] }, { "$deleteFromPrimitiveList/containers": ["a"] });
  assert.equal(refusal(deleted), "500 list element types are not identical: [[map[name:a]] [a]]");
  const lists = () => merge({ lists: [["a"]] }, { "$deleteFromPrimitiveList/lists": [["a"]] });
  assert.equal(refusal(lists), "500 unexpected slice of slice");
});

test("strategicMerge() drops nulls and directives from new values, and keeps them in replaced lists", () => {
  assert.deepEqual(
    merge({}, { nodeSelector: { k: null, l: "1" }, volumes: [{ name: "v", emptyDir: null }, { $patch: "delete", name: "w" }] }),
    {
      nodeSelector: { l: "1" },
      volumes: [{ name: "v" }],
    },
  );
  assert.deepEqual(merge({ nodeSelector: { a: "1" } }, { nodeSelector: { a: null, b: null } }), { nodeSelector: {} });
  assert.deepEqual(merge({ nodeSelector: { a: "1" } }, { nodeSelector: null }), {});
  const lists = { lists: [{ $patch: "delete" }] };
  assert.equal(refusal(() => merge({ lists: [["a"]] }, lists)), "500 unexpected slice of slice");
});

test("convertUntyped() converts as upstream does: whole floats are integers, large ones wrap around", () => {
  const cases: readonly (readonly [field: string, written: string, result: Json | string])[] = [
    ["seconds", "1e2", 100],
    ["seconds", "300e-2", 3],
    ["seconds", "4294967303", 7],
    ["seconds", "2147483648", -2147483648],
    ["seconds", "1e30", 0],
    ["seconds", "1.5", "decode cannot convert float64 to int32"],
    ["seconds", '"5"', "decode unrecognized type: int32"],
    ["generation", "9223372036854775807", 9223372036854775807n],
    ["generation", "9223372036854775808", -9223372036854775808n],
    ["generation", "true", "decode unrecognized type: int64"],
    ["weight", "2", 2],
    ["weight", '"2"', "decode unrecognized type: float64"],
    ["blob", '"YQ=="', "YQ=="],
    ["blob", "5", "decode cannot restore slice from int64"],
    ["blob", '"!"', "decode error decoding from json: illegal base64 data at input byte 0"],
    ["nodeSelector", '{"a":1}', "decode cannot convert int64 to string"],
    ["policy", "1", "decode cannot convert int64 to v1.Policy"],
    ["moment", "true", "decode json: cannot unmarshal bool into Go value of type string"],
    ["moment", "1.5", "decode json: cannot unmarshal number into Go value of type string"],
    ["nodeSelector", '{"a":1.5}', "decode unrecognized type: string"],
    ["nodeSelector", "[]", "decode cannot restore map from slice"],
    ["selector", '"x"', "decode cannot restore struct from: string"],
    ["modes", "{}", "decode cannot restore slice from map"],
    ["target", "5.0", 5],
  ];
  for (const [key, written, result] of cases) {
    const run = () => merge("{}", `{"${key}":${written}}`);
    if (typeof result === "string" && result.startsWith("decode")) assert.equal(refusal(run), result, `${key} ${written}`);
    else assert.deepEqual(run(), { [key]: result }, `${key} ${written}`);
  }
});

test("convertUntyped() keeps unknown fields for the decoder to report", () => {
  const tree = convertUntyped(mapOf('{"zz":1,"selector":{"$patch":"x","a":"1"},"constructor":[1.0]}'), PodSpec);
  const findings: string[] = [];
  decoder(PodSpec)(tree, { reader: "json", findings });
  assert.deepEqual(findings.toSorted(), ['unknown field "constructor"', 'unknown field "selector.$patch"', 'unknown field "zz"']);
});

test("goText() prints as Go does", () => {
  const text = '{"b":[1,"x",null,true],"a":{"d":1.5,"c":1e6},"é":[],"z":{},"m":-0.0001,"n":0.00001,"big":1e20,"int":10000000}';
  assert.equal(goText(mapOf(text)), "map[a:map[c:1e+06 d:1.5] b:[1 x <nil> true] big:1e+20 int:10000000 m:-0.0001 n:1e-05 z:map[] é:[]]");
});

test("readStrategicPatch() rejects invalid documents with Go's messages, and reads null as an empty patch", () => {
  const read = (text: string) => readStrategicPatch(new TextEncoder().encode(text), true);
  assert.deepEqual(read("null").tree.keys, []);
  assert.deepEqual(read('{"a":{"b":1,"b":2},"a":3}').findings, ['duplicate field "a.b"', 'duplicate field "a"']);
  const cases: readonly (readonly [text: string, why: string])[] = [
    ["", "400 unexpected end of JSON input"],
    ["[]", "400 json: cannot unmarshal array into Go value of type map[string]interface {}"],
    ['{"a":[1e400]}', "400 json: cannot unmarshal number 1e400 into Go value of type float64"],
  ];
  for (const [text, why] of cases) assert.equal(refusal(() => read(text)), why);
});

test("strategicMerge() merges ten thousand levels of untyped values, and rejects them for a recursive schema", () => {
  const deep = '{"a":'.repeat(9_990) + "[null]" + "}".repeat(9_990);
  const patch = `{"unknown":${deep}}`;
  const merged = strategicMerge(mapOf("{}"), mapOf(patch), shapeOf(PodSpec));
  assert.deepEqual(goText(merged).slice(0, 26), "map[unknown:map[a:map[a:ma");
  convertUntyped(merged, PodSpec);
  const Self: Typed<unknown> = struct("Self", { a: field(1, lazy(() => Self), "Itself.", { pointer: true }) });
  assert.equal(refusal(() => convertUntyped(mapOf(deep), Self)), "decode exceeded max depth");
});

test("strategicMerge() changes own members only, such as __proto__", () => {
  const merged = merge(
    '{"nodeSelector":{"__proto__":"x"}}',
    '{"nodeSelector":{"__proto__":"y","constructor":"z"},"__proto__":{"polluted":true}}',
  );
  assert.equal(JSON.stringify(merged), '{"nodeSelector":{"__proto__":"y","constructor":"z"},"__proto__":{"polluted":true}}');
  assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
  for (const key of ["constructor", "toString", "__proto__"]) {
    const patch = `{"$setElementOrder/${key}":[]}`;
    assert.equal(refusal(() => merge("{}", patch)), `500 unable to find api field in struct PodSpec for the json field "${key}"`);
  }
});
