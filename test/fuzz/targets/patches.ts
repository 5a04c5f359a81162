import assert from "node:assert/strict";
import { type Target, unless, unlessRefused } from "../fuzz.ts";
import { jsonGrammar } from "./json.ts";

const document =
  '{"metadata":{"name":"a","labels":{"x":"1"}},"items":[{"name":"a","value":"1"},{"name":"b"}],"set":["a","b"],"data":{"k":"v"},"count":1}';

/** Patches of each dialect on one object. The document is an object, or a list of operations. */
export const patches: Target = {
  name: "patches",
  grammar: {
    ...jsonGrammar,
    patch: ["<operations>", "<merge>", "<strategic>", "<value>"],
    operations: [(w) => `[${w.many("operation", ",")}]`, "<doubling>"],
    // Copies of a value into itself, as patches of webhooks and policies may hold them too.
    doubling: [
      (w) =>
        `[{"op":"add","path":"/data","value":{}}${
          Array.from({ length: w.below(6) }, (_, at) => `,{"op":"copy","from":"/data","path":"/data/${at}"}`).join("")
        }]`,
      (w) => `[{"op":"add","path":"/set","value":[<value>]}${',{"op":"copy","from":"/set","path":"/set/-"}'.repeat(w.below(6))}]`,
      (w) =>
        `[{"op":"add","path":"/set","value":[]}${
          ',{"op":"move","from":"/items","path":"/set/0"},{"op":"move","from":"/set/0","path":"/items"}'.repeat(w.below(6))
        }]`,
    ],
    operation: [
      '{"op":"add","path":<pointer>,"value":<value>}',
      '{"op":"remove","path":<pointer>}',
      '{"op":"replace","path":<pointer>,"value":<value>}',
      '{"op":"move","from":<pointer>,"path":<pointer>}',
      '{"op":"copy","from":<pointer>,"path":<pointer>}',
      '{"op":"test","path":<pointer>,"value":<value>}',
      '{"op":"nothing","path":1}',
      '{"value":null}',
    ],
    pointer: [
      '"/data/k"',
      '"/items/0"',
      '"/items/-"',
      '"/items/-1"',
      '"/items/9"',
      '""',
      '"/"',
      '"/~0~1~2"',
      '"/metadata/labels"',
      '"x/y"',
      '"/new"',
    ],
    merge: [(w) => `{${w.many("merge-member", ",")}}`],
    "merge-member": ['"data":<value>', '"metadata":{"labels":{"x":null,"y":<value>}}', '"items":<value>', '"count":null', "<member>"],
    strategic: [(w) => `{${w.many("strategic-member", ",")}}`],
    "strategic-member": [
      '"items":[<list-item>]',
      '"items":[<list-item>,<list-item>]',
      '"$setElementOrder/items":[{"name":"b"},{"name":"a"}]',
      '"$setElementOrder/set":["b","a"]',
      '"$deleteFromPrimitiveList/set":["a",<value>]',
      '"$retainKeys":["items",<string>]',
      '"$patch":"replace"',
      '"$patch":<value>',
      '"data":{"$patch":"delete"}',
      '"data":{"k":<value>}',
      '"set":["c",<value>]',
    ],
    "list-item": [
      '{"name":"a","value":<value>}',
      '{"name":"c"}',
      '{"$patch":"delete","name":"a"}',
      '{"$patch":"replace"}',
      "<value>",
      "{}",
    ],
  },
  start: "patch",
  binary: false,
  stepsPerCharacter: 200,
  async open(code) {
    const { load } = code;
    const s = await load("core/schema.ts");
    const { readWrittenJson, readJson, jsonFromTree } = await load("core/tree/json.ts");
    const { readJsonPatch, applyJsonPatch } = await load("core/patch/json-patch.ts");
    const { readMergePatch, mergePatch } = await load("core/patch/merge.ts");
    const { readStrategicPatch, strategicMerge } = await load("core/patch/strategic.ts");
    const { shapeOf } = await load("core/patch/strategic-shape.ts");
    const { untypedOf, treeOfUntyped } = await load("core/patch/untyped.ts");
    const { plainTree } = await load("core/patch/written.ts");
    const { StatusError } = await load("core/status-error.ts");
    const { atomOf, fieldSetOf, typeProblems, readFieldSet, writeFieldSet, compare } = await load("core/apply/mod.ts");
    const { merge } = await load("core/apply/merge.ts");
    const Item = s.struct("Item", { name: s.field(1, s.string, "Name."), value: s.field(2, s.string, "Value.") });
    const Thing = s.struct("Thing", {
      metadata: s.field(1, s.struct("Meta", { name: s.field(1, s.string, "N."), labels: s.field(2, s.record(s.string), "L.") }), "Meta."),
      items: s.field(2, s.mapBy(["name"], Item), "Items.", { patch: { strategy: ["merge"], mergeKey: "name" } }),
      set: s.field(3, s.setOf(s.string), "Set.", { patch: { strategy: ["merge"] } }),
      data: s.field(4, s.record(s.string), "Data.", { patch: { strategy: ["retainKeys"] } }),
      count: s.field(5, s.int32, "Count."),
    });
    const shape = shapeOf(Thing), atom = atomOf(Thing);
    const live = jsonFromTree(readJson(document).tree);
    return (input) => {
      const bytes = new TextEncoder().encode(input.toWellFormed());
      for (const validates of [false, true]) {
        unless([StatusError], () => {
          const { operations } = readJsonPatch(bytes, validates);
          jsonFromTree(plainTree(applyJsonPatch(readWrittenJson(document).tree, operations)));
        });
        unless([StatusError], () => {
          const { tree } = readMergePatch(bytes, validates);
          jsonFromTree(plainTree(mergePatch(readWrittenJson(document).tree, tree)));
        });
        unless([StatusError], () => {
          const { tree } = readStrategicPatch(bytes, validates);
          treeOfUntyped(strategicMerge(untypedOf(readJson(document).tree), untypedOf(tree), shape));
        });
      }
      const read = readJson(bytes);
      if (!read.ok) return;
      const config = jsonFromTree(read.tree);
      unlessRefused(() => readFieldSet(config));
      if (typeof config !== "object" || config === null || Array.isArray(config) || typeProblems(atom, config).length > 0) return;
      const set = fieldSetOf(atom, config);
      assert.deepEqual(writeFieldSet(readFieldSet(writeFieldSet(set))), writeFieldSet(set));
      const merged = merge(atom, live, config);
      assert.deepEqual(merge(atom, merged, config), merged, "applying again changes nothing");
      compare(atom, live, merged);
    };
  },
};
