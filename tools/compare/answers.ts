import { isObject, type Json, type JsonObject } from "../../core/json.ts";

/** What is compared of an answer: the meaning, and the texts that people read. */
export interface Comparable {
  readonly meaning: string;
  readonly text: string;
}

export interface Answer {
  readonly status: number;
  readonly body: Json | undefined;
}

/** Errors by code, reason and causes (field and type, each once, in any order: Go's maps have none); objects without what each server makes for itself. */
export function comparable({ status, body }: Answer): Comparable {
  if (!isObject(body)) return { meaning: `${status}`, text: "" };
  if (body["kind"] === "Status") {
    const { reason = "", message = "", details } = body as {
      reason?: string;
      message?: string;
      details?: { causes?: readonly JsonObject[] };
    };
    // Upstream checks metadata up to four times on some updates, and repeats the causes.
    const causes = [...new Set((details?.causes ?? []).map(({ field, reason }) => `${field}: ${reason}`))].sort();
    // Lines of the difference between two inner structures, which only upstream has.
    const text = withoutIdentities(message.split("\n").filter((line, index) => index === 0 || !/^[-+ @]/.test(line)).join(""));
    return { meaning: [`${status} ${reason}`, ...causes].join("\n"), text };
  }
  return { meaning: `${status} ${JSON.stringify(sorted(withoutOwn(body)), undefined, 1)}`, text: "" };
}

/** Members of metadata that each server makes for itself. */
const own = ["uid", "resourceVersion", "creationTimestamp"];

/** A message that may show an object, without what each server makes for itself. */
function withoutIdentities(text: string): string {
  return text.replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>").replace(/20[0-9-]{8}T[0-9:.]+Z/g, "<time>")
    .replace(/(resourceVersion\W{1,5})[0-9]+/g, "$1<version>");
}

/** An object without its identity, times and random names. */
function withoutOwn(object: JsonObject): JsonObject {
  const { uid } = (object["metadata"] ?? {}) as { readonly uid?: string };
  const isTable = object["kind"] === "Table";
  const text = JSON.stringify(
    object,
    (key, value) => own.includes(key) || key === "time" || isTable && key === "description" ? undefined : value,
  );
  const named = (uid === undefined ? text : text.replaceAll(uid, "<uid>")).replace(/"20[0-9-]{8}T[0-9:.]+Z"/g, '"<time>"');
  return JSON.parse(
    (isTable ? withoutIdentities(named).replace(/"[0-9]+[smh]([0-9]+s)?"/g, '"<age>"') : named).replace(
      /kube-api-access-[a-z0-9]{5}/g,
      "kube-api-access-<suffix>",
    ).replace(
      /"(clusterIP|nodePort|healthCheckNodePort)":("[0-9a-f.:]+"|[1-9][0-9]*)/g,
      '"$1":"<allocated>"',
    ).replace(/"clusterIPs":\["[0-9a-f.:]+"/g, '"clusterIPs":["<allocated>"'),
  ) as JsonObject;
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key]!)]));
}
