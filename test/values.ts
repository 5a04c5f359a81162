/** Objects and a definition with numbers that JavaScript's numbers cannot hold, and requests that show replies with all digits. */
import assert from "node:assert/strict";
import type { Json } from "../core/json.ts";
import { randomOf } from "../core/random.ts";
import { jsonFromTree, readJson } from "../core/tree/json.ts";
import { goJson } from "../core/tree/json-text.ts";
import type { TestServer } from "../testing.ts";

/** The seed of generated objects: `THOLE_SEED`, else a random one, which failures show. */
export const seed = Number(process.env.THOLE_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** Generated objects for each way through the server: `THOLE_ROUNDS`, else a few. */
export const rounds = (few: number): number => Number(process.env.THOLE_ROUNDS ?? few);
export const random = randomOf(seed);

export const group = "wide.example.com";
export const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
export const path = (version = "v1") => `/apis/${group}/${version}/namespaces/default/wides`;
export const integers = [
  "0",
  "-1",
  "9007199254740993",
  "-9007199254740993",
  "9223372036854775807",
  "-9223372036854775808",
  "1000000000000000000",
];
export const spellings = [
  ...integers,
  "1e0",
  "1.0",
  "-0",
  "0.1",
  "5e-324",
  "1e-7",
  "1.7976931348623157e308",
  "1e21",
  "9223372036854775808",
  "1e19",
  "-9223372036854775809",
  "18446744073709551616",
  "123456789012345678901234567890",
  "2.2250738585072014e-308",
  "1e-400",
  "4503599627370497.5",
  "100e-2",
  "1.7976931348623157E+308",
];
/** Keys that JavaScript orders or reads in its own way. */
const odd = ["", "10", "9", "__proto__", "constructor", "toString", "\u00e9", "\ufffd"];

/** The value of a JSON text with all digits, as text. */
export function exact(text: string): string {
  const read = readJson(text);
  assert.ok(read.ok, text);
  return goJson(jsonFromTree(read.tree));
}
/** The part of a reply at a path of keys, as exact text. */
export function partOf(text: string, ...keys: readonly string[]): string {
  const read = readJson(text);
  assert.ok(read.ok, text);
  let part: any = jsonFromTree(read.tree);
  for (const key of keys) part = part?.[key];
  return part === undefined ? "undefined" : goJson(part as Json);
}

/** The reply to a request, in bytes and as text. */
export async function asked(
  server: TestServer,
  method: string,
  url: string,
  body?: string | Uint8Array<ArrayBuffer>,
  type?: string,
  accept?: string,
) {
  const headers = { accept: accept ?? "application/json", ...(body === undefined ? {} : { "content-type": type ?? "application/json" }) };
  const response = await server.handle(new Request(`https://test${url}`, { method, headers, ...(body === undefined ? {} : { body }) }));
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, bytes, text: new TextDecoder().decode(bytes) };
}
/** The reply to a request, which must have this status. */
export async function must(code: number, ...request: Parameters<typeof asked>): Promise<Awaited<ReturnType<typeof asked>>> {
  const reply = await asked(...request);
  assert.equal(reply.status, code, `seed ${seed}: ${request[1]} ${request[2]}: ${reply.text.slice(0, 500)}`);
  return reply;
}
export async function until(is: () => Promise<boolean>): Promise<void> {
  for (const end = AbortSignal.timeout(30_000); !await is();) {
    assert.ok(!end.aborted, "timed out");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A generated value, as JSON text in upstream's order of keys: wide or deep, with numbers of all spellings. */
export function generated(random: () => number): string {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const number = () => pick(spellings);
  const wide = Array.from({ length: 200 }, number).join();
  const deep = `${'{"d":['.repeat(60)}${number()}${"]}".repeat(60)}`;
  const keys = [...odd, ...Array.from({ length: 20 }, (_, at) => `k${String(at).padStart(2, "0")}`)].toSorted();
  const members = keys.map((key) => `${JSON.stringify(key)}:${number()}`).join();
  return `{"deep":${deep},"i":${pick(integers)},"members":{${members}},"n":${number()},"wide":[${wide}]}`;
}

export const big = "9223372036854775807";
const schema = `{"type":"object","properties":{"spec":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{
  "i":{"type":"integer","format":"int64","example":9007199254740993},"most":{"type":"integer","maximum":${big}},"n":{"type":"number","minimum":-1.7976931348623157e308},
  "def":{"type":"integer","default":9007199254740993},"one":{"type":"integer","enum":[1,${big}]},
  "text":{"type":"string","maxLength":${big}},"list":{"type":"array","maxItems":${big},"items":{"type":"integer"}},
  "multiple":{"type":"integer","multipleOf":9007199254740993},
  "inner":{"type":"object","default":{"a":${big}},"properties":{"a":{"type":"integer"}}}}}}}`;
/** The definition. `more`: further members of its spec. */
export function definition(storage = "v1", more = ""): string {
  const versions = ["v1", "v2"].map((name) =>
    `{"name":"${name}","served":true,"storage":${
      name === storage
    },"schema":{"openAPIV3Schema":${schema}},"selectableFields":[{"jsonPath":".spec.i"}],
    "additionalPrinterColumns":[{"name":"I","type":"integer","jsonPath":".spec.i"},{"name":"T","type":"string","jsonPath":".spec.i"}]}`
  );
  return `{"metadata":{"name":"wides.${group}"},"spec":{"group":"${group}","scope":"Namespaced",
    "names":{"plural":"wides","singular":"wide","kind":"Wide"},"versions":[${versions.join()}]${more}}}`;
}
export const object = (name: string, spec: string, version = "v1") =>
  `{"apiVersion":"${group}/${version}","kind":"Wide","metadata":{"name":"${name}"},"spec":${spec}}`;
/** What the server adds by the defaults of the schema. */
export const withDefaults = (spec: string) =>
  exact(spec.replace(',"i":', ',"def":9007199254740993,"i":').replace(',"members"', ',"inner":{"a":9223372036854775807},"members"'));
