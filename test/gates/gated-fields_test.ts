// Every gated field in four cases: gate off and on, field absent from and present in the stored object.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { gateTable, kernelGates } from "../../core/released/gates.ts";
import { plugins } from "../../plugins/mod.ts";
import { inFolder, served } from "../flags/served.ts";
import { startSkipped } from "../real-server.ts";
import { type FieldCase, fieldCases, otherGates, ownCases } from "./cases.ts";
import { type Place, whileOff, whileOn } from "./four-ways.ts";
import { gatedFields, gatesNow } from "./walk.ts";

const fields = gatedFields();
const locked = gatesNow().filter(({ stage }) => stage.locked === true);
const switchable = gatesNow().filter(({ stage, ofPlugin }) => ofPlugin && stage.locked !== true).map(({ gate }) => gate);

/** The fields of a gate with their cases. */
function casesOf(gate: string): readonly (readonly [field: string, of: FieldCase])[] {
  return [
    ...Object.entries(fieldCases).filter(([field]) => fields.get(field) === gate),
    ...Object.entries(ownCases).filter(([, own]) => own.gate === gate),
  ];
}

/** A gate without effect here that others depend on. */
const needed = "NodeDeclaredFeatures=true";
const dependencies: Readonly<Record<string, readonly string[]>> = Object.assign(
  {},
  ...plugins.map(({ gateDependencies = {} }) => gateDependencies),
);
/** All gates on, but for one and those that need it. */
function settings(off = ""): string {
  const values = switchable.map((gate) => `${gate}=${gate !== off && !(dependencies[gate] ?? []).includes(off)}`);
  return `--feature-gates=${[needed, ...values].join(",")}`;
}

const tried = switchable.filter((gate) => !Object.hasOwn(otherGates, gate) && casesOf(gate).length > 0);

// Gates act in core/ and kernel/, on both runtimes alike.
test(
  "off drops the fields of a gate unless they are stored; on keeps them",
  { skip: startSkipped("deno") },
  (context) =>
    inFolder(async (folder) => {
      const each = (args: string, gates: readonly string[], use: (place: Place) => Promise<void>) =>
        served([`--data-dir=${join(folder, "data")}`, args], async ({ client }) => {
          for (const gate of gates) {
            for (const [i, [field, of]] of casesOf(gate).entries()) {
              await use({ client, of, field, prefix: `${gate.toLowerCase()}-${i}` }).catch((cause) => {
                throw new Error(`${field} with ${args}: ${cause.message}`, { cause });
              });
            }
          }
        });
      // One server with all gates on writes the objects of all; each gate is then off in a server of its own.
      await each(settings(), tried, whileOn);
      for (const gate of tried) await context.test(gate, () => each(settings(gate), [gate], whileOff));
    }),
);

test("every gated field and every gate that can be switched has a case", () => {
  // The spec of a pod is that of a template, and hardly changes; test/pods tries its status. The templates of workloads are those of PodTemplate.
  const tried = [...fields.keys()].filter((field) =>
    !field.startsWith("v1/Pod ") && !/ spec\.((jobTemplate\.spec\.)?template|volumeClaimTemplates\[\])\./.test(field)
  );
  assert.deepEqual(Object.keys(fieldCases).sort(), tried.sort());
  const gates = [...fields.values(), ...Object.values(ownCases).map(({ gate }) => gate), ...Object.keys(otherGates)];
  assert.deepEqual([...new Set(gates)].sort(), switchable.toSorted());
});

test("every kind with its own code for dropping fields has a case", () => {
  const own = plugins.flatMap(({ resources = [] }) => resources).filter(({ dropDisabled }) => dropDisabled !== undefined);
  assert.deepEqual(own.map(({ kind }) => kind), []);
});

test("a locked gate accepts its default and rejects the other value", () => {
  assert.ok(locked.length > 0);
  const ladders = Object.assign({}, kernelGates, ...plugins.map(({ featureGates = {} }) => featureGates));
  for (const { gate, stage } of locked) {
    const mistakesWith = (on: boolean): readonly string[] => {
      const mistakes: string[] = [];
      gateTable({ ladders }, new Map([[gate, on]]), mistakes);
      return mistakes;
    };
    assert.deepEqual(mistakesWith(stage.default), [], gate);
    assert.deepEqual(mistakesWith(!stage.default).length, 1, gate);
    assert.match(mistakesWith(!stage.default)[0]!, new RegExp(`cannot set feature gate ${gate} to ${!stage.default}`));
  }
});
