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
  const text = JSON.stringify(object, (key, value) => {
    if (own.includes(key) || key === "time" || isTable && key === "description") return undefined;
    // They are ordered by times, which the two servers' clocks cut into seconds at different moments.
    if (key === "managedFields" && Array.isArray(value)) return [...value].sort(byText);
    return key === "sources" && Array.isArray(value) ? value.filter((source: Json) => !isOfOpenShift(source)) : value;
  });
  const named = (uid === undefined ? text : text.replaceAll(uid, "<uid>")).replace(/"20[0-9-]{8}T[0-9:.]+Z"/g, '"<time>"');
  const { generateName, name } = (object["metadata"] ?? {}) as { readonly generateName?: string; readonly name?: string };
  const unnamed = generateName !== undefined && name?.length === generateName.length + suffixLength && name.startsWith(generateName)
    ? (text: string) => text.replaceAll(JSON.stringify(name), JSON.stringify(`${generateName}<suffix>`))
    : (text: string) => text;
  return JSON.parse(
    unnamed(isTable ? withoutIdentities(named).replace(/"[0-9]+[smh]([0-9]+s)?"/g, '"<age>"') : named).replace(
      /kube-api-access-[a-z0-9]{5}/g,
      "kube-api-access-<suffix>",
    ).replace(
      /"(clusterIP|nodePort|healthCheckNodePort)":("[0-9a-f.:]+"|[1-9][0-9]*)/g,
      '"$1":"<allocated>"',
    ).replace(/"clusterIPs":\["[0-9a-f.:]+"/g, '"clusterIPs":["<allocated>"'),
  ) as JsonObject;
}

/** Characters that a server adds to `generateName`. */
const suffixLength = 5;

function byText(one: Json, other: Json): number {
  const [left, right] = [JSON.stringify(withoutTime(one)), JSON.stringify(withoutTime(other))];
  return left < right ? -1 : left > right ? 1 : 0;
}

function withoutTime(entry: Json): Json {
  return isObject(entry) ? Object.fromEntries(Object.entries(entry).filter(([key]) => key !== "time")) : entry;
}

/** A source of the tokens' volume that only builds of OpenShift add. */
function isOfOpenShift(source: Json): boolean {
  return isObject(source) && isObject(source["configMap"]) && source["configMap"]["name"] === "openshift-service-ca.crt";
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key]!)]));
}
