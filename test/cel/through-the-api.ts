/** Runs recorded rules through the API of a server: the definition is created, then its object is created or updated. */
import { isObject, type Json, type JsonObject } from "../../core/json.ts";
import { until } from "../real-server.ts";
import { type RuleCase, textOf } from "./cases.ts";

/** A server that handles requests. `body` is JSON. */
export interface Target {
  send(method: string, path: string, body?: string): Promise<Answer>;
}
export interface Answer {
  readonly status: number;
  readonly body: any;
  /** The texts of the warnings. */
  readonly warnings: readonly string[];
}
/** The responses to the requests of a case. */
export interface Answers {
  readonly definition: Answer;
  /** Of creating the object, or of replacing the old one. Absent if it was not sent. */
  readonly object?: Answer;
  /** Of creating the old object under the rules, as a dry run. */
  readonly oldObject?: Answer;
}

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const groupOf = ({ id }: RuleCase) => `c${id}.example.com`;
const things = (given: RuleCase) => `/apis/${groupOf(given)}/v1/namespaces/default/things`;

/** Runs cases at the same time in one server. Each has a group of its own. */
export async function runThroughTheApi(target: Target, cases: readonly RuleCase[]): Promise<ReadonlyMap<RuleCase, Answers>> {
  const created = new Map<RuleCase, Answer>();
  for (const each of cases) created.set(each, await target.send("POST", definitions, definitionText(each, each.schema)));
  const accepted = cases.filter((each) => created.get(each)!.status === 201 && each.object !== undefined);
  const updates = accepted.filter(({ oldObject }) => oldObject !== undefined);
  // Old objects may violate the rules, which are added later.
  for (const each of updates) await replaceDefinition(target, each, withoutRules(each.schema) as JsonObject, "old");
  for (const each of accepted) await served(target, each, each.oldObject === undefined ? undefined : "old");
  const old = new Map<RuleCase, Answer>();
  for (const each of updates) old.set(each, await target.send("POST", things(each), objectText(each, "oldObject")));
  for (const each of updates) await replaceDefinition(target, each, each.schema as JsonObject, "new");
  for (const each of updates) await served(target, each, "new");
  const result = new Map<RuleCase, Answers>();
  for (const each of cases) {
    const definition = created.get(each)!, before = old.get(each);
    if (!accepted.includes(each)) result.set(each, { definition });
    else if (before === undefined) {
      result.set(each, { definition, object: await target.send("POST", things(each), objectText(each, "object")) });
    } else result.set(each, { definition, ...await update(target, each, before) });
  }
  return result;
}

async function update(target: Target, given: RuleCase, before: Answer): Promise<Omit<Answers, "definition">> {
  const { name = "", resourceVersion } = before.body.metadata ?? {};
  const oldObject = await target.send("POST", `${things(given)}?dryRun=All`, objectText(given, "oldObject", { name: "another" }));
  if (before.status !== 201) return { object: before, oldObject };
  return {
    object: await target.send("PUT", `${things(given)}/${name}`, objectText(given, "object", { name, resourceVersion })),
    oldObject,
  };
}

function definitionText(given: RuleCase, schema: object, changes: object = {}, shortNames: readonly string[] = []): string {
  return JSON.stringify({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `things.${groupOf(given)}`, ...changes },
    spec: {
      group: groupOf(given),
      names: { plural: "things", kind: "Thing", shortNames },
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  });
}

async function replaceDefinition(target: Target, given: RuleCase, schema: object, shortName: string): Promise<void> {
  await until(async () => {
    const path = `${definitions}/things.${groupOf(given)}`, { body } = await target.send("GET", path);
    const { resourceVersion } = body.metadata;
    const { status, body: answer } = await target.send("PUT", path, definitionText(given, schema, { resourceVersion }, [shortName]));
    if (status !== 200) throw new Error(`the definition of ${given.id} is not replaced: ${JSON.stringify(answer)}`);
  });
}

/** Waits until discovery has the resource, with its short name. */
async function served(target: Target, given: RuleCase, shortName: string | undefined): Promise<void> {
  await until(async () => {
    const { status, body } = await target.send("GET", `/apis/${groupOf(given)}/v1`);
    const found = status === 200 && body.resources.find(({ name }: { name: string }) => name === "things");
    if (!found || shortName !== undefined && found.shortNames?.[0] !== shortName) throw new Error(`${given.id} is not served`);
  });
}

/** The schema without its rules, for objects that violate them. */
function withoutRules(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutRules);
  if (!isObject(schema)) return schema;
  const kept = Object.entries(schema).filter(([key, value]) => key !== "x-kubernetes-validations" || !Array.isArray(value));
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutRules(value)]));
}

/** The object as JSON text: numbers are as they were recorded. */
function objectText(given: RuleCase, field: "object" | "oldObject", metadata: JsonObject = {}): string {
  const object = given[field] as { readonly metadata?: JsonObject };
  const identity = {
    apiVersion: `${groupOf(given)}/v1`,
    kind: "Thing",
    metadata: { ...object.metadata ?? { name: "thing", namespace: "default" }, ...metadata },
  };
  const text = textOf(given, field);
  const contents = text === undefined ? JSON.stringify({ ...object, metadata: undefined }) : text.trim();
  const inner = contents.slice(1, -1).trim(); // `{...}`
  return `${JSON.stringify(identity).slice(0, -1)}${inner === "" ? "" : `,${inner}`}}`;
}

/** The differences between the recorded errors and the answers, as text. */
export function differencesThroughTheApi(given: RuleCase, { definition, object, oldObject }: Answers): readonly string[] {
  // The fields as the README of the vectors describes them.
  const expect = given.expect as {
    readonly crdErrors?: readonly Cause[];
    readonly errors?: readonly Cause[];
    readonly ratcheted?: readonly string[];
    readonly oldAccepted?: boolean;
  };
  const found = [...answerDifferences("definition", definition, 201, expect.crdErrors ?? [], {
    name: `things.${groupOf(given)}`,
    group: "apiextensions.k8s.io",
    kind: "CustomResourceDefinition",
  })];
  if (object === undefined || expect.errors === undefined) return found;
  const name = (given.object as { metadata?: { name?: string } }).metadata?.name ?? "thing";
  found.push(
    ...answerDifferences("object", object, oldObject === undefined ? 201 : 200, expect.errors, {
      name,
      group: groupOf(given),
      kind: "Thing",
    }),
  );
  const { ratcheted = [], oldAccepted } = expect;
  // The objects of some cases have fields that are pruned.
  const warnings = object.warnings.filter((each) => !each.startsWith("unknown field "));
  if (!same([...ratcheted].sort(), [...warnings].sort())) {
    found.push(`warnings: expected ${JSON.stringify(ratcheted)}, got ${JSON.stringify(warnings)}`);
  }
  if (oldObject !== undefined && (oldObject.status === 201) !== oldAccepted) {
    found.push(`old object: expected ${oldAccepted ? "201" : "422"}, got ${oldObject.status} ${oldObject.body.message}`);
  }
  return found;
}

interface Cause {
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

function* answerDifferences(
  what: string,
  { status, body }: Answer,
  success: number,
  errors: readonly Cause[],
  details: { readonly name: string; readonly group: string; readonly kind: string },
): Generator<string> {
  if (errors.length === 0) {
    if (status !== success) yield `${what}: expected ${success}, got ${status} ${body.message}`;
    return;
  }
  const expected = errors.map(plain).sort(), causes = (body.details?.causes ?? []) as readonly Cause[], actual = causes.map(plain).sort();
  if (!same(expected, actual)) yield `${what}: expected ${expected.join("\n    ")}\n  got ${status} ${actual.join("\n    ")}`;
  // Aggregated messages name each error once.
  const texts = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))];
  const all = texts.length === 1 ? texts[0]! : `[${texts.join(", ")}]`;
  const { name, group, kind } = details;
  const { details: { causes: _, ...about } = {}, ...rest } = body;
  const whole = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `${kind}.${group} "${name}" is invalid: ${all}`,
    reason: "Invalid",
    code: 422,
  };
  if (!same(rest, whole) || !same(about, details)) yield `${what}: expected status ${JSON.stringify(whole)}, got ${JSON.stringify(rest)}`;
}

/** The name of the type of `self` is new for each compilation. */
function plain({ reason, field, message }: Cause): string {
  return `${reason} ${field} ${message.replace(/selfType[0-9]+/g, "selfType#")}`;
}
function same(first: unknown, second: unknown): boolean {
  return JSON.stringify(first as Json) === JSON.stringify(second as Json);
}
