// Every way to write an object does the same: PUT, the three dialects of PATCH and apply change, remove and refuse each field of each kind
// alike, unknown fields are found in each, a dry run answers as the write, and a table has a cell for each column.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isObject, type Json, type JsonObject } from "../../core/json.ts";
import { openTestServer } from "../../testing.ts";
import { type Answer, ask } from "../requests.ts";
import { namedBy, validMembers } from "../rounds/valid-objects.ts";
import { merged } from "../validation/rule.ts";

/** Members of metadata and status that differ between two equal writes, and addresses that a dry run does not take. */
const ofOneWrite = ["uid", "creationTimestamp", "resourceVersion", "time", "clusterIP", "clusterIPs", "lastPhaseTransitionTime"];
/** Kinds without a stored object of their own, or whose objects end with their creation. */
const notStored = /review|^bindings$/;

interface Served {
  readonly apiVersion: string;
  readonly kind: string;
  readonly collection: string;
}

test("each field of each kind is written and refused alike in every way", async () => {
  await using server = await openTestServer({
    settings: { "runtime-config": { "api/all": true }, "disable-admission-plugins": ["ServiceAccount"] },
  });
  const read = async (path: string) => (await ask(server, "GET", path)).body;
  const { groups } = await read("/apis"), differences: string[] = [];
  const kinds: Served[] = [];
  for (const apiVersion of ["v1", ...groups.flatMap(({ versions }: any) => versions.map(({ groupVersion }: any) => groupVersion))]) {
    const root = `/${apiVersion.includes("/") ? "apis" : "api"}/${apiVersion}`;
    for (const { name, namespaced, kind, verbs } of (await read(root)).resources) {
      const isWritten = ["create", "update", "patch"].every((verb) => verbs.includes(verb));
      if (isWritten && !name.includes("/") && !notStored.test(name)) {
        kinds.push({ apiVersion, kind, collection: `${root}${namespaced ? "/namespaces/default" : ""}/${name}` });
      }
    }
  }
  let compared = 0;
  for (const { apiVersion, kind, collection } of kinds) {
    const about = `${apiVersion} ${kind}`,
      name = namedBy[kind] ?? `ways-${apiVersion.replace("/", "-").replaceAll(".", "-")}`,
      path = `${collection}/${name}`;
    const object = { apiVersion, kind, metadata: { name, labels: { a: "b" }, annotations: { c: "d" } }, ...validMembers(apiVersion, kind) };
    const tried = await ask(server, "POST", `${collection}?dryRun=All`, object), made = await ask(server, "POST", collection, object);
    assert.equal(made.status, 201, `${about}: ${made.text}`);
    assert.equal(outcome(tried), outcome(made), `${about}: a dry run`);
    const table = (await ask(server, "GET", collection, undefined, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" })).body;
    for (const { cells } of table.rows) assert.equal(cells.length, table.columnDefinitions.length, about);

    let stored: JsonObject = made.body;
    for (const { what, change, isRemoved } of changesOf(stored)) {
      if (isWrittenByControllers(kind)) stored = (await ask(server, "GET", path)).body;
      const next = merged(stored as never, change as never) as JsonObject;
      const pointer = `/${what.map((step) => step.replaceAll("~", "~0").replaceAll("/", "~1")).join("/")}`;
      const operation = isRemoved ? { op: "remove", path: pointer } : { op: "replace", path: pointer, value: at(change, what) };
      const write = (method: string, body: unknown, type: string, query = "") =>
        ask(server, method, `${path}?dryRun=All&fieldManager=ways${query}`, body, type);
      const expected = outcome(await write("PUT", next, "application/json"));
      const others: [string, Answer][] = [
        ["merge patch", await write("PATCH", change, "application/merge-patch+json")],
        ["JSON patch", await write("PATCH", [operation], "application/json-patch+json")],
        ["strategic patch", await write("PATCH", change, "application/strategic-merge-patch+json")],
      ];
      if (!isRemoved) others.push(["apply", await write("PATCH", applied(next), "application/apply-patch+yaml", "&force=true")]);
      for (const [way, answer] of others) {
        compared++;
        const actual = outcome(answer);
        if (expected !== actual) {
          differences.push(`${about} ${what.join(".")}${isRemoved ? " removed" : ""}: PUT ${expected}\n${way} ${actual}`);
        }
      }
    }
    if (isWrittenByControllers(kind)) stored = (await ask(server, "GET", path)).body;
    for (const [method, body, type] of withUnknown(stored)) {
      const write = (validation: string) =>
        ask(server, method, `${path}?dryRun=All&fieldManager=ways&fieldValidation=${validation}`, body, type);
      const isApply = type.includes("apply"),
        message = isApply ? ".unknownOne: field not declared in schema" : 'unknown field "unknownOne"';
      const strict = await write("Strict"), warned = await write("Warn");
      const answered = [
        strict.status,
        strict.body.message.includes(message),
        warned.status,
        warned.headers.get("warning")?.includes("unknownOne") === true,
      ];
      const expected = isApply ? [500, true, 500, false] : [type === "application/json" ? 400 : 422, true, 200, true];
      assert.deepEqual(answered, expected, `${about} ${type} ${strict.text}`);
    }
    await ask(server, "DELETE", path);
  }
  assert.deepEqual(differences, [], differences.join("\n"));
  assert.ok(compared > 1_000, `${compared} answers`);
});

/** Writes with a member that no kind has. Upstream refuses it in an apply always, and elsewhere as the client asks. */
function withUnknown(stored: JsonObject): readonly (readonly [method: string, body: Json, type: string])[] {
  const unknown = { unknownOne: 1 };
  return [
    ["PUT", { ...stored, ...unknown }, "application/json"],
    ["PATCH", unknown, "application/merge-patch+json"],
    ["PATCH", [{ op: "add", path: "/unknownOne", value: 1 }], "application/json-patch+json"],
    ["PATCH", unknown, "application/strategic-merge-patch+json"],
    ["PATCH", { ...applied(stored), ...unknown }, "application/apply-patch+yaml"],
  ];
}

/** An object as a manager applies it: only what it may own. */
function applied({ metadata, status: _, ...contents }: JsonObject): JsonObject {
  const { name, labels, annotations } = metadata as JsonObject;
  return { ...contents, metadata: { name: name!, labels: labels ?? {}, annotations: annotations ?? {} } };
}

/** What two equal writes have in common: the object without its fields of one write and its managers, or the causes of a refusal. */
function outcome({ status, body }: Answer): string {
  if (isUndecodable(status, body)) return "undecodable";
  if (status >= 400) {
    return JSON.stringify({
      status,
      reason: body.reason,
      causes: body.details?.causes?.map(({ field, reason }: any) => `${field} ${reason}`),
    });
  }
  const text = JSON.stringify(common(body));
  return body.metadata.uid === undefined ? text : text.replaceAll(body.metadata.uid, "UID");
}
/** The answers to a value that its field cannot hold: to a PUT, to a patch, to an apply. */
function isUndecodable(status: number, { details }: any): boolean {
  return status === 400 || status === 500 || (status === 422 && details?.causes?.[0]?.field === "patch");
}
function common(value: Json): Json {
  if (Array.isArray(value)) return value.map(common);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([key]) => key !== "managedFields" && !ofOneWrite.includes(key)).map(([key, each]) => [key, common(each)]),
  );
}

interface FieldChange {
  readonly what: readonly string[];
  /** As a merge patch. */
  readonly change: JsonObject;
  readonly isRemoved: boolean;
}

/** A merge patch for each field outside of lists, to three levels: its removal, and another value of a scalar. */
function changesOf(object: JsonObject): readonly FieldChange[] {
  const changes: FieldChange[] = [];
  const walk = (value: JsonObject, path: readonly string[]): void => {
    for (const [key, inner] of Object.entries(value)) {
      const what = [...path, key];
      if (path.length === 0 && (key === "kind" || key === "apiVersion" || key === "metadata" || key === "status")) continue;
      changes.push({ what, change: nested(what, null), isRemoved: true });
      const other = typeof inner === "string"
        ? `${inner}x`
        : typeof inner === "number"
        ? inner + 1
        : typeof inner === "boolean"
        ? !inner
        : undefined;
      if (other !== undefined) changes.push({ what, change: nested(what, other), isRemoved: false });
      if (isObject(inner) && path.length < 2) walk(inner, what);
    }
  };
  walk(object, []);
  walk({ labels: { a: "b" }, annotations: { c: "d" } }, ["metadata"]);
  return changes;
}
function nested([first, ...rest]: readonly string[], value: Json): JsonObject {
  return { [first!]: rest.length === 0 ? value : nested(rest, value) };
}
function at(value: Json, path: readonly string[]): Json {
  return path.reduce<Json>((inner, step) => (inner as JsonObject)[step]!, value);
}

/** Whether a controller of the server writes the status of new objects. */
function isWrittenByControllers(kind: string): boolean {
  return kind.endsWith("Policy") || kind === "CustomResourceDefinition" || kind === "APIService";
}
