/** One object through requests in another version: an update without changes, patches of each dialect, applies. */
import { append } from "../../core/append.ts";
import { isObject, type Json, type JsonObject } from "../../core/json.ts";
import type { Endpoint } from "../../kernel/catalog/catalog.ts";
import { differences } from "./difference.ts";
import { valueText } from "../../core/value-text.ts";

/** Sends a request to the server and resolves with its response. A text is sent as it is. */
export type Ask = (method: string, path: string, body?: Json, type?: string) => Promise<{ readonly status: number; readonly body: Json }>;

/** The outcome for one object: it was rejected, or differences were found (none: nothing is lost). */
export type Outcome = { readonly rejected: string } | { readonly lost: readonly string[] };

/** The label that patches write. */
const mark = "round-trips.example.com/mark";
/** A value of the label: the name of a request without blanks. */
const valueOf = (request: string): string => request.replaceAll(" ", "-");
const managers = ["round-trips", "round-trips-other"] as const;
/** Begins the finding that a manager owns a field in one version only. */
export const otherOwner = "its manager does not own the field in";

/** What requests need to know of a version of a kind. */
export interface ServedVersion extends Pick<Endpoint, "group" | "apiVersion" | "kind" | "plural" | "namespaced" | "verbs"> {
  readonly resource: Pick<Endpoint["resource"], "custom">;
  readonly subresources: Pick<Endpoint["subresources"], "has">;
}

/** Creates an object in `from`, and reads and writes it in `through`. It is deleted at the end. */
export async function throughRequests(ask: Ask, from: ServedVersion, through: ServedVersion, sent: JsonObject): Promise<Outcome> {
  const name = nameOf(sent), collection = pathOf(from), path = `${collection}/${name}`, other = `${pathOf(through)}/${name}`;
  const made = await ask("POST", collection, sent);
  if (made.status !== 201) return { rejected: messageOf(made.body) };
  try {
    await withStatus(ask, from, path, sent, made.body);
    return { lost: await lostIn(new Trip(ask, path, other), through, from.group === through.group) };
  } finally {
    await remove(ask, path);
  }
}

/** Writes the status of the object, if the version has one. The server may refuse it. */
async function withStatus(ask: Ask, { subresources }: ServedVersion, path: string, sent: JsonObject, made: Json): Promise<void> {
  if (!subresources.has("status") || sent["status"] === undefined || !isObject(made)) return;
  await ask("PUT", `${path}/status`, { ...made, status: sent["status"] });
}

/** A trip of the object at `path`, whose other version is at `other`. */
class Trip {
  readonly lost: string[] = [];
  readonly #ask: Ask;
  readonly #path: string;
  readonly other: string;
  constructor(ask: Ask, path: string, other: string) {
    this.#ask = ask;
    this.#path = path;
    this.other = other;
  }
  read(path = this.#path): Promise<JsonObject> {
    return this.ok("GET", path);
  }
  /** A response of success, or an error that names the request. */
  async ok(method: string, path: string, body?: Json, type?: string): Promise<JsonObject> {
    const answer = await this.#ask(method, path, body, type);
    if (answer.status !== 200 || !isObject(answer.body)) {
      throw new Error(`${method} ${path} of an object of the server is answered with ${answer.status}: ${messageOf(answer.body)}`);
    }
    return answer.body;
  }
  /** Compares the object with the expected one. */
  async expect(how: string, expected: JsonObject, ignored: readonly string[] = []): Promise<JsonObject> {
    const now = await this.read();
    const found = differences(bare(expected, ignored), bare(now, ignored));
    append(this.lost, found.map((each) => `${how}: ${each}`));
    return now;
  }
  ask(method: string, path: string, body?: Json, type?: string): ReturnType<Ask> {
    return this.#ask(method, path, body, type);
  }
  get path(): string {
    return this.#path;
  }
}

async function lostIn(trip: Trip, through: ServedVersion, isSameGroup: boolean): Promise<readonly string[]> {
  const { verbs, resource, apiVersion } = through;
  const first = await trip.read();
  if (verbs.includes("update")) {
    await trip.ok("PUT", trip.other, await trip.read(trip.other));
    // As upstream, a write in another group drops the owners of this one.
    await trip.expect(`an update in ${apiVersion} that changes nothing`, first, isSameGroup ? [] : changedBy);
  }
  if (!verbs.includes("patch")) return trip.lost;
  const dialects: readonly (readonly [string, string, (value: string, now: JsonObject) => Json])[] = [
    ["JSON patch", "application/json-patch+json", jsonPatch],
    ["merge patch", "application/merge-patch+json", markValue],
    ...(resource.custom === true ? [] : [["strategic merge patch", "application/strategic-merge-patch+json", markValue] as const]),
  ];
  let before = first;
  for (const [dialect, type, patch] of dialects) {
    await trip.ok("PATCH", trip.other, patch(dialect, await trip.read(trip.other)), type);
    before = await trip.expect(`a ${dialect} in ${apiVersion}`, withMark(before, dialect), changedByMark);
  }
  await applyMarked(trip, through, before, isSameGroup);
  return trip.lost;
}

/** Metadata that every write changes. */
const changedBy = ["resourceVersion", "managedFields"];
/** Metadata that a write of the mark may change: some kinds count changes of labels. */
const changedByMark = [...changedBy, "generation"];

/** What one manager applies in the other version is its own in the first. */
async function applyMarked(trip: Trip, { apiVersion, kind }: ServedVersion, before: JsonObject, isSameGroup: boolean): Promise<void> {
  const [manager, stranger] = managers, { metadata } = before;
  const name = (metadata as JsonObject)["name"]!; // of an object of the server
  const apply = (path: string, by: string, body: JsonObject, force = "") =>
    trip.ask("PATCH", `${path}?fieldManager=${by}${force}`, body, "application/apply-patch+yaml");
  const configuration = (of: JsonObject, labels?: JsonObject): JsonObject => ({
    apiVersion: of["apiVersion"]!,
    kind,
    metadata: { name, ...(labels === undefined ? {} : { labels }) },
  });
  const own = { ...before, apiVersion };
  const how = `an apply in ${apiVersion}`;
  const first = await apply(trip.other, manager, configuration(own, { [mark]: "applied" }), "&force=true");
  if (first.status !== 200) throw new Error(`${how} is answered with ${first.status}: ${messageOf(first.body)}`);
  await trip.expect(how, withMark(before, "applied"), changedByMark);
  if (!isSameGroup) return;
  const refused = await apply(trip.path, stranger, configuration(before, { [mark]: "other" }));
  if (refused.status !== 409 || !messageOf(refused.body).includes(`"${manager}"`)) {
    trip.lost.push(`${how}: ${otherOwner} ${before["apiVersion"]}: ${refused.status} ${messageOf(refused.body)}`);
  }
  // The manager gives the field up in the first version.
  const last = await apply(trip.path, manager, configuration(before));
  if (last.status !== 200) throw new Error(`an apply is answered with ${last.status}: ${messageOf(last.body)}`);
  await trip.expect(`${how}, then without the field`, withMark(before, undefined), changedByMark);
}

function jsonPatch(value: string, { metadata }: JsonObject): Json {
  const pointer = `/metadata/labels/${mark.replaceAll("/", "~1")}`;
  const { labels } = metadata as JsonObject; // of an object of the server
  return labels === undefined
    ? [{ op: "add", path: "/metadata/labels", value: { [mark]: valueOf(value) } }]
    : [{ op: "add", path: pointer, value: valueOf(value) }];
}
function markValue(value: string): Json {
  return { metadata: { labels: { [mark]: valueOf(value) } } };
}

/** The object with this value of the label, or without it. */
function withMark(object: JsonObject, value: string | undefined): JsonObject {
  const { labels, ...metadata } = object["metadata"] as JsonObject; // of an object of the server
  const { [mark]: _, ...others } = (labels ?? {}) as JsonObject;
  const all = value === undefined ? others : { ...others, [mark]: valueOf(value) };
  return { ...object, metadata: { ...metadata, ...(Object.keys(all).length === 0 ? {} : { labels: all }) } };
}

/** The object without some of its metadata. */
function bare(object: JsonObject, ignored: readonly string[]): JsonObject {
  const metadata = Object.entries(object["metadata"] as JsonObject).filter(([key]) => !ignored.includes(key));
  return { ...object, metadata: Object.fromEntries(metadata) };
}

/** Deletes the object, also if it has finalizers. */
async function remove(ask: Ask, path: string): Promise<void> {
  await ask("DELETE", path);
  await ask("PATCH", path, { metadata: { finalizers: null } }, "application/merge-patch+json");
}

/** The collection of new objects. */
function pathOf({ apiVersion, plural, namespaced }: ServedVersion): string {
  return `/${apiVersion.includes("/") ? "apis" : "api"}/${apiVersion}${namespaced ? "/namespaces/default" : ""}/${plural}`;
}

function nameOf(object: JsonObject): string {
  const { metadata } = object;
  const name = isObject(metadata) ? metadata["name"] : undefined;
  if (typeof name !== "string") throw new Error("a generated object has no name");
  return name;
}

function messageOf(body: Json): string {
  return isObject(body) && typeof body["message"] === "string" ? body["message"] : valueText(body);
}
