import assert from "node:assert/strict";
import { test } from "node:test";
import { noAlternativeNames } from "./alternative-names.ts";
import { nameConstraintComparisonsMax, namesAllowed, readNameConstraints } from "./name-constraints.ts";
import { der, derTag } from "./der.ts";

test("namesAllowed() compares at most as many names with constraints as its bound", () => {
  const base = der(derTag.sequence, der(0x82, new TextEncoder().encode("example")));
  const constraintsOf = (count: number) => readNameConstraints(der(derTag.sequence, der(0xa0, ...new Array<Uint8Array>(count).fill(base))));
  const chainOf = (names: number, constraints: number) => [
    { alternativeNames: { ...noAlternativeNames, dns: new Array<string>(names).fill("a.example") } },
    { nameConstraints: constraintsOf(constraints) },
  ];
  const count = 500;
  assert.equal(count * count, nameConstraintComparisonsMax);
  assert.equal(namesAllowed(chainOf(count, count)), true);
  assert.equal(namesAllowed(chainOf(count + 1, count)), false);
});
