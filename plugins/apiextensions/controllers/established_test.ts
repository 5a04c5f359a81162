import assert from "node:assert/strict";
import { test } from "node:test";
import { testDefinition } from "../test-definition.ts";
import { KnownDefinitions } from "./established.ts";

test("KnownDefinitions checks the schemas of a definition once for each generation", () => {
  const checked: string[] = [];
  const known = new KnownDefinitions(({ metadata }) => {
    checked.push(`${metadata.name} ${metadata.generation}`);
    return undefined;
  });
  const definitionOf = (name: string, generation: number) => {
    const definition = testDefinition();
    return { ...definition, metadata: { ...definition.metadata, name, uid: name, generation } };
  };
  for (const name of ["a.example.com", "b.example.com"]) {
    known.set(name, definitionOf(name, 1));
    known.nonStructural(name);
    // Events that change the status only.
    for (let event = 0; event < 3; event++) {
      known.set(name, definitionOf(name, 1));
      known.nonStructural(name);
    }
  }
  assert.deepEqual(checked, ["a.example.com 1", "b.example.com 1"]);
  known.set("a.example.com", definitionOf("a.example.com", 2));
  known.nonStructural("a.example.com");
  known.nonStructural("b.example.com");
  assert.deepEqual(checked.slice(2), ["a.example.com 2"]);
});

test("KnownDefinitions does not check an established definition without the condition again", () => {
  let checks = 0;
  const known = new KnownDefinitions(() => void checks++);
  const status = (...types: readonly string[]) => ({
    ...testDefinition().status,
    conditions: types.map((type) => ({ type, status: "True", reason: "", message: "", lastTransitionTime: "2024-01-02T03:04:05Z" })),
  });
  for (const [types, wanted] of [[["Established"], 0], [["NamesAccepted"], 1], [["Established", "NonStructuralSchema"], 2]] as const) {
    const definition = testDefinition(), name = `${types.join("-").toLowerCase()}.example.com`;
    known.set(name, { ...definition, metadata: { ...definition.metadata, name, uid: name }, status: status(...types) });
    known.nonStructural(name);
    assert.equal(checks, wanted);
  }
});

test("KnownDefinitions returns the definitions of a group only", () => {
  const known = new KnownDefinitions();
  for (const name of ["as.one.example.com", "bs.two.example.com", "cs.two.example.com"]) known.set(name, testDefinition());
  assert.equal([...known.ofGroup("two.example.com")].length, 2);
  known.delete("bs.two.example.com");
  known.delete("cs.two.example.com");
  assert.equal([...known.ofGroup("two.example.com")].length, 0);
  assert.equal(known.get("bs.two.example.com"), undefined);
  assert.notEqual(known.get("as.one.example.com"), undefined);
});
