/** Writes the corpus of certificates: `npm run certificates`. Afterwards `go run test/certificates/verdicts.go` records Go's verdicts. */
import { Buffer } from "node:buffer";
import { writeFileSync } from "node:fs";
import { now } from "./build.ts";
import { chainCases } from "./cases-chains.ts";
import { encodingCases } from "./cases-encoding.ts";
import { extensionCases } from "./cases-extensions.ts";
import { keyCases } from "./cases-keys.ts";

/** Certificates are written once and named by their number. */
const certificates: string[] = [];
const numbers = new Map<string, number>();
function number(bytes: Uint8Array): number {
  const text = Buffer.from(bytes).toString("base64");
  let known = numbers.get(text);
  if (known === undefined) numbers.set(text, known = certificates.push(text) - 1);
  return known;
}
const cases = [...encodingCases, ...extensionCases, ...keyCases, ...chainCases].map(({ name, roots, chain }) => ({
  name,
  roots: roots.map(number),
  chain: chain.map(number),
}));
const names = cases.map((one) => one.name);
const repeated = names.filter((name, index) => names.indexOf(name) !== index);
if (repeated.length > 0) throw new Error(`two cases are named ${JSON.stringify(repeated)}`);
const lines = (all: readonly unknown[]) => `[\n${all.map((one) => `    ${JSON.stringify(one)}`).join(",\n")}\n  ]`;
const path = new URL("corpus.json", import.meta.url);
writeFileSync(path, `{\n  "now": ${now / 1000},\n  "certificates": ${lines(certificates)},\n  "cases": ${lines(cases)}\n}\n`);
console.log(`${cases.length} cases, ${certificates.length} certificates`);
