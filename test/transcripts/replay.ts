/** Replays one recorded scenario and says where the answers differ. */
import { type Answer, type Client, openClient } from "./client.ts";
import { claimsOf } from "./claims.ts";
import { generatedNames, normalise } from "./normalise.ts";
import { type Case, type Json, type JsonObject, parseJson, type Scenario, type Step } from "./recording.ts";
import { cut, decodedText, differences, dig, dump, fill, fillString, isObject, ownersInOneSecond, same, without } from "./values.ts";

/** Fields that are left out of the comparison everywhere: none. */
export const leftOut: readonly string[] = [];

/** The server that is asked, as `thole/testing` starts it. */
export interface Server {
  readonly url: string;
  /** PEM. */
  readonly ca?: string;
  readonly tokens: Readonly<Record<string, string>>;
}

export interface Difference {
  /** Index of the step; undefined for relations between answers. */
  readonly step: number | undefined;
  readonly text: string;
}

export interface Outcome {
  readonly case: Case;
  readonly differences: readonly Difference[];
  /** What was answered, normalised, as far as the scenario came. */
  readonly answers: readonly JsonObject[];
}

const keptHeaders = [
  "content-type",
  "content-encoding",
  "warning",
  "retry-after",
  "location",
  "allow",
  "www-authenticate",
  "x-content-type-options",
  "cache-control",
  "accept-patch",
];
const withoutText = new Set([
  "application/vnd.kubernetes.protobuf",
  "application/cbor",
  "application/cbor-seq",
  "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
  "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
]);
const timeoutMs = 60_000;
const untilTries = 40;
/** Once an answer has differed, what `until` waits for hardly comes: a failing scenario is not to take minutes. */
const untilTriesAfterDifference = 4;
const untilPauseMs = 250;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function shownHeaders(headers: Answer["headers"]): JsonObject {
  return Object.fromEntries(keptHeaders.flatMap((name) => {
    const values = headers.get(name);
    return values === undefined ? [] : [[name, name === "warning" ? values : values.join(", ")]];
  }));
}

/** The body as the recordings show it: `{json}`, `{events}`, `{bytes}` or `{text}`. */
function shownBody(body: Uint8Array, contentType: Json | undefined, events: boolean): JsonObject {
  const kind = typeof contentType === "string" ? contentType.split(";")[0] ?? "" : "";
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
  if (kind === "application/json" && body.length > 0) {
    if (events) return { events: text.split("\n").filter((line) => line.trim() !== "").map(parseJson) };
    try {
      return { json: parseJson(text) };
    } catch {
      return { text }; // an answer that is not what it says it is differs by itself
    }
  }
  return withoutText.has(kind) ? { bytes: body.length } : { text };
}

function requestHeaders(step: Step, names: ReadonlyMap<string, Json>, tokens: Server["tokens"]): (readonly [string, string])[] {
  const headers = new Map<string, string | null>([["User-Agent", "transcript/1.0"], ["Accept", "application/json"]]);
  for (const [name, value] of Object.entries(step.headers ?? {})) {
    headers.set(name, value === null ? null : fillString(typeof value === "string" ? value : dump(value), names));
  }
  if (step.body !== undefined && !headers.has("Content-Type")) headers.set("Content-Type", "application/json");
  const who = step.as ?? "admin";
  const token = who === "badtoken" ? "not-a-token" : tokens[who];
  if (token !== undefined && !headers.has("Authorization")) headers.set("Authorization", `Bearer ${token}`);
  return [...headers].filter((entry): entry is [string, string] => entry[1] !== null);
}

function requestBody(step: Step, names: ReadonlyMap<string, Json>): Uint8Array | undefined {
  if (step.body !== undefined) return new TextEncoder().encode(dump(fill(step.body, names)));
  if (step.raw !== undefined) return new TextEncoder().encode(fillString(step.raw, names));
  return step.base64 === undefined ? undefined : Uint8Array.from(atob(step.base64), (letter) => letter.charCodeAt(0));
}

/** Splits `METHOD /path` and fills both. */
function requestLine(text: string, names: ReadonlyMap<string, Json>): { method: string; path: string } {
  const space = text.indexOf(" ");
  const path = fillString(text.slice(space + 1), names).replaceAll(" ", "%20");
  return { method: fillString(text.slice(0, space), names), path };
}

/** One scenario under way: what it saved, what the server generated, every body as it came. */
interface Talk {
  readonly client: Client;
  readonly tokens: Server["tokens"];
  readonly names: Map<string, Json>;
  readonly generated: Map<string, string>;
  readonly received: Received[];
}

/** What paths look into. */
interface Received {
  readonly status: number;
  readonly headers: Answer["headers"];
  /** The body as JSON, or in its shown form. */
  readonly whole: Json;
}
interface Asked extends Received {
  readonly head: JsonObject;
  readonly parsed: JsonObject;
}

/** The value at a path of `save`, `until`, `claims` or `relate`: within the body, or `status()`, `header(Name)`, `base64(path)`. */
export function look({ status, headers, whole }: Received, path: string): Json {
  const [, what = "", argument = ""] = /^(status|header|base64)\((.*)\)$/s.exec(path) ?? [];
  if (what === "status") return status;
  if (what === "header") return headers.get(argument.toLowerCase())?.join(", ") ?? null;
  return what === "base64" ? decodedText(dig(whole, argument)) : dig(whole, path);
}

/** Recorded watches last a second; this many where a busy machine did not get as far within it. */
const stretchedSeconds = 20;

/**
 * The same watch with more time, where it ended with its time before all was there that was recorded, else undefined. It ends with the last
 * recorded event, and begins where the first try began: what it shows is the same, only later.
 */
function stretched(step: Step, want: JsonObject, { parsed }: Asked): Step | undefined {
  const { events } = want, { events: got } = parsed;
  if (!Array.isArray(events) || !Array.isArray(got) || got.length >= events.length) return undefined;
  const line = step.do.replace(/([?&]timeoutSeconds=)[1-9]\d*(?=&|$)/, `$1${stretchedSeconds}`);
  return line === step.do ? undefined : { ...step, do: line, events: events.length, timeout: stretchedSeconds + timeoutMs / 1000 };
}

/** Asks once, or as often as `until` needs. The head and the body in shown form, not yet normalised. */
async function ask(talk: Talk, step: Step, tries: number): Promise<Asked> {
  for (let left = step.until === undefined ? 1 : tries;; left--) {
    const { status, headers, body } = await talk.client.send({
      ...requestLine(step.do, talk.names),
      headers: requestHeaders(step, talk.names, talk.tokens),
      body: requestBody(step, talk.names),
      lines: step.events ?? 0,
      timeoutMs: step.timeout === undefined ? timeoutMs : step.timeout * 1000,
    });
    const shown = shownHeaders(headers);
    const parsed = shownBody(body, shown["content-type"], (step.events ?? 0) > 0);
    const whole = parsed["json"] ?? parsed;
    const reached = Object.entries(step.until ?? {}).every(([path, want]) =>
      same(look({ status, headers, whole }, path), fill(want, talk.names))
    );
    if (reached || left <= 1) return { head: { status, headers: shown }, parsed, whole, status, headers };
    await pause(untilPauseMs);
  }
}

/** The answer to one step in the form of the recordings. */
async function answer(talk: Talk, step: Step, want: JsonObject, tries: number): Promise<JsonObject> {
  if (step.sleep !== undefined) await pause(step.sleep * 1000);
  const first = await ask(talk, step, tries);
  const longer = stretched(step, want, first);
  const asked = longer === undefined ? first : await ask(talk, longer, tries);
  const { head, parsed, whole } = asked;
  talk.received.push(asked);
  for (const [name, path] of Object.entries(step.save ?? {})) talk.names.set(name, look(asked, path));
  for (const [made, display] of generatedNames(whole)) talk.generated.set(made, display);
  const normal = (value: Json): Json => normalise(value, talk.names, talk.generated);
  const headersToo = Object.fromEntries((step.headersToo ?? []).map((name) => [name, normal(look(asked, `header(${name})`))]));
  const shown = {
    status: head["status"] ?? null,
    headers: { ...objectOf(normal(head["headers"] ?? {})), ...headersToo },
    ...(step.claims === undefined ? {} : { claims: normal(claimsOf(look(asked, step.claims))) }),
  };
  if (step.headersOnly) return shown;
  if (step.keep === undefined) return { ...shown, ...objectOf(normal(parsed)) };
  // The paths themselves are normalised as keys, as they were when recorded.
  return {
    ...shown,
    kept: normal(Object.fromEntries(step.keep.map((path) => [fillString(path, talk.names), dig(whole, fillString(path, talk.names))]))),
  };
}

const objectOf = (value: Json): JsonObject => isObject(value) ? value : {};

/** The differences of one step's answer, by the step's own leniency. */
function stepDifferences(step: Step, want: JsonObject, got: JsonObject): string[] {
  const compared = (answer: JsonObject): Json => {
    if (step.loose) return { status: answer["status"] ?? null };
    const left = (step.ignore ?? []).reduce<Json>(
      (rest, path) => cut(rest, path.split(".").map((part) => part.replaceAll("\\_", "."))),
      without(answer, leftOut),
    );
    return ownersInOneSecond(left);
  };
  return differences(compared(want), compared(got));
}

function related([left, op, right]: readonly [Json, string, Json], received: readonly Received[]): boolean | null {
  const pick = (ref: Json): Json => {
    const found = typeof ref === "string" ? /^\$(\d+)\.?(.*)$/s.exec(ref) : null;
    const answer = received[Number(found?.[1])];
    return found === null ? ref : answer === undefined ? null : look(answer, found[2] ?? "");
  };
  const [x, y] = [pick(left), pick(right)];
  if (op === "==") return same(x, y);
  if (op === "!=") return !same(x, y);
  const [a, b] = [x, y].map((value) => /^-?\d+$/.test(String(value)) ? BigInt(String(value)) : undefined);
  if (a === undefined || b === undefined) return null;
  return { "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b }[op] ?? null;
}

function randomWord(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => String.fromCharCode(97 + byte % 26)).join("");
}

/** Sends what only prepares or tidies up; what is answered does not matter, a broken connection does not either. */
async function quietly(talk: Talk, text: string, body?: Json): Promise<void> {
  const step: Step = { do: text, ...(body === undefined ? {} : { body }) };
  try {
    await ask(talk, step, 1);
  } catch {
    // The steps themselves say what is wrong.
  }
}

async function steps(scenario: Scenario, talk: Talk, answers: JsonObject[]): Promise<Difference[]> {
  const wrong: Difference[] = [];
  for (const [index, step] of scenario.steps.entries()) {
    try {
      const got = await answer(talk, step, scenario.answers[index] ?? {}, wrong.length === 0 ? untilTries : untilTriesAfterDifference);
      answers.push(got);
      wrong.push(...stepDifferences(step, scenario.answers[index] ?? {}, got).map((text) => ({ step: index, text })));
    } catch (problem) {
      // A dropped connection is a result too, and ends the scenario.
      return [...wrong, { step: index, text: `: no answer: ${problem instanceof Error ? problem.message : String(problem)}` }];
    }
  }
  for (const [index, relation] of (scenario.relate ?? []).entries()) {
    const [want, got] = [scenario.truths?.[index] ?? null, related(relation, talk.received)];
    if (want !== got) wrong.push({ step: undefined, text: `relation ${dump(relation)}: want ${want} got ${got}` });
  }
  return wrong;
}

/** Replays the scenario against the server, and tidies up after it whatever happened. */
export async function replay(one: Case, server: Server): Promise<Outcome> {
  const { scenario } = one;
  const client = openClient(server.url, server.ca);
  const token = randomWord();
  const names = new Map<string, Json>([["ns", `t-${token}`], ["id", `x${token}`]]);
  const talk: Talk = { client, tokens: server.tokens, names, generated: new Map(), received: [] };
  const namespaced = scenario.namespace ?? true;
  const answers: JsonObject[] = [];
  try {
    if (namespaced) await quietly(talk, "POST /api/v1/namespaces", { metadata: { name: `t-${token}`, ...scenario.namespaceMetadata } });
    return { case: one, differences: await steps(scenario, talk, answers), answers };
  } finally {
    for (const step of scenario.cleanup ?? []) await quietly(talk, step);
    if (namespaced) await quietly(talk, `DELETE /api/v1/namespaces/t-${token}`);
    client.close();
  }
}

/** A difference as a line, with the request that it belongs to. */
export function showDifference({ scenario }: Case, { step, text }: Difference): string {
  return step === undefined ? text : `step ${step} ${scenario.steps[step]?.do ?? ""} ${text}`;
}
