/** Sends the requests of a recording to a test server, and compares the answers. */
import { systemClock } from "../../core/async.ts";
import { bound } from "../../core/bound.ts";
import { isObject, type Json } from "../../core/json.ts";
import type { UserInfo } from "../../core/user-info.ts";
import { valueText } from "../../core/value-text.ts";
import { concat } from "../../kernel/objects/chunks.ts";
import { Correspondence, type ValueDifference } from "./correspondence.ts";
import { contentOf, eventsOf, type RecordedRequest } from "./recorded-request.ts";
import { secretPlaceholder, sensitivityOf } from "./without-secrets.ts";

/** Differences that one replay keeps, and those of one answer. */
const differencesMax = bound(1_000), differencesOfAnswerMax = bound(50);
/** Bytes of one answer. */
const answerBytesMax = bound(16 * 1024 * 1024);
/** Milliseconds after the last request in which watches have sent their events. */
const watchMsMax = bound(2_000);
/** Watches of a replay that are open at once. The oldest one is compared with what it has when there are more. */
const watchesMax = bound(100);
/** Characters of a value in the text of a report. */
const shownMax = bound(200);

/** An answer of the replay that differs from the recorded one in one place. */
export interface ReplayDifference extends ValueDifference {
  /** The number of the request in the recording, from 1 on. */
  readonly request: number;
  /** Its user, method and URL. */
  readonly title: string;
}

/** What a replay has found. */
export interface ReplayReport {
  /** Requests that were sent. */
  readonly sent: number;
  /** Requests that were not sent, because the recording lacks what they need. */
  readonly skipped: readonly { readonly request: number; readonly title: string; readonly why: string }[];
  /** Where answers differ: in their code or in a value. Uids, times, revisions and generated names differ in every run and do not count. */
  readonly differences: readonly ReplayDifference[];
  /** All of it for people. */
  text(): string;
}

/** Sends a request as a user; null is the anonymous one. */
export type Send = (request: Request, user: UserInfo | null) => Promise<Response>;

/** Sends the requests in their order, each after the answer to the one before; watches go on beside them. */
export async function replayRequests(requests: readonly RecordedRequest[], send: Send): Promise<ReplayReport> {
  const replay = new Replay(send);
  for (const [index, request] of requests.entries()) await replay.send(request, index + 1);
  return await replay.report();
}

/** A watch of the replay. */
interface OpenWatch {
  readonly request: RecordedRequest;
  readonly number: number;
  readonly chunks: Uint8Array[];
  /** Events that were recorded. */
  readonly wanted: number;
  end(): Promise<void>;
  readonly done: Promise<void>;
}

class Replay {
  readonly #send: Send;
  readonly #known = new Correspondence();
  readonly #skipped: { readonly request: number; readonly title: string; readonly why: string }[] = [];
  readonly #differences: ReplayDifference[] = [];
  readonly #watches: OpenWatch[] = [];
  #sent = 0;

  constructor(send: Send) {
    this.#send = send;
  }

  async send(request: RecordedRequest, number: number): Promise<void> {
    const why = unsendable(request);
    if (why !== undefined) return void this.#skipped.push({ request: number, title: titleOf(request), why });
    this.#sent++;
    const ending = new AbortController(), { method, user, groups } = request;
    const asked = new Request(new URL(this.#known.translatedUrl(request.url), "https://replay"), {
      method,
      signal: ending.signal,
      headers: headersOf(request),
      ...(request.body === undefined || method === "GET" || method === "HEAD"
        ? {}
        : { body: bodyOf(this.#known.translated(request.body), request) }),
    });
    const by = user === "" || user === "system:anonymous" ? null : { name: user, groups: groups ?? ["system:authenticated"] };
    const response = await this.#send(asked, by);
    if (response.status !== request.status) {
      this.#add(number, request, [{ place: "status", recorded: request.status, replayed: response.status }]);
    }
    const { body } = response;
    if (request.verb === "watch" && response.ok && body !== null) return await this.#follow(request, number, body, ending);
    const bytes = await bytesOf(body);
    const answer = contentOf(bytes, response.headers.get("content-type") ?? "", sensitivityOf(request.method, request.url));
    this.#compare(number, request, answer);
  }

  async report(): Promise<ReplayReport> {
    const until = systemClock.elapsed() + watchMsMax;
    while (this.#watches.some((each) => linesOf(each.chunks) < each.wanted) && systemClock.elapsed() < until) {
      await new Promise<void>((resolve) => void systemClock.after(5, resolve));
    }
    while (this.#watches.length > 0) await this.#endOldest();
    const differences = this.#differences, skipped = this.#skipped, sent = this.#sent;
    return { sent, skipped, differences, text: () => reportText(sent, skipped, differences) };
  }

  async #follow(request: RecordedRequest, number: number, body: ReadableStream<Uint8Array>, ending: AbortController): Promise<void> {
    const chunks: Uint8Array[] = [], wanted = Array.isArray(request.answer) ? request.answer.length : 0;
    const done = (async () => {
      for await (const chunk of body) chunks.push(chunk);
    })().catch(() => {});
    const end = async (): Promise<void> => {
      ending.abort();
      await done;
    };
    this.#watches.push({ request, number, chunks, wanted, end, done });
    if (this.#watches.length > watchesMax) await this.#endOldest();
  }

  async #endOldest(): Promise<void> {
    const { request, number, chunks, end } = this.#watches.shift()!; // callers know of one
    await end();
    const all = eventsOf(concat(chunks), sensitivityOf(request.method, request.url)), recorded = withoutBookmarks(request.answer);
    // A watch of the replay ends later than the recorded one.
    const replayed = withoutBookmarks(all)?.slice(0, recorded?.length ?? 0);
    this.#add(number, request, this.#known.compare(recorded, replayed, differencesOfAnswerMax));
  }

  #compare(number: number, request: RecordedRequest, answer: Json | undefined): void {
    this.#add(number, request, this.#known.compare(request.answer, answer, differencesOfAnswerMax));
  }

  #add(number: number, request: RecordedRequest, found: readonly ValueDifference[]): void {
    for (const each of found) {
      if (this.#differences.length < differencesMax) this.#differences.push({ request: number, title: titleOf(request), ...each });
    }
  }
}

/** Why a request cannot be sent again; undefined if it can. */
function unsendable({ method, url, status, body, type, verb, answer }: RecordedRequest): string | undefined {
  if (!isOfResource(url)) return "it is for no resource: discovery, OpenAPI documents and versions are the program's own";
  if (status === 0) return "its connection was dropped";
  if (followsLog(url)) return "it follows a log, whose answer has no end";
  if (status === 101) return "it changed the protocol of its connection";
  if (method === "CONNECT") return "it changed the protocol of its connection";
  if (typeof body === "string" && / bytes of /.test(body)) return `its body in ${type ?? "another encoding"} is not in the recording`;
  if (verb === "watch" && typeof answer === "string") return "its events are in another encoding than JSON";
  if (isObject(body ?? null) && hasToken(body as Json)) return "its token is not in the recording";
  return undefined;
}
/** `/api/v1/nodes`, `/apis/apps/v1/deployments` and below. */
function isOfResource(url: string): boolean {
  const [, prefix, ...rest] = new URL(url, "https://replay").pathname.split("/");
  return prefix === "api" && rest.length > 1 || prefix === "apis" && rest.length > 2;
}

/** `/api/v1/namespaces/default/pods/web/log?follow=true`. */
function followsLog(url: string): boolean {
  const { pathname, searchParams } = new URL(url, "https://replay");
  return pathname.endsWith("/log") && ["true", "1", ""].includes(searchParams.get("follow") ?? "false");
}

/** Whether a body has lost a token. Values of Secrets can be replaced by others. */
function hasToken(body: Json): boolean {
  return isObject(body) && isObject(body.spec) && body.spec.token === secretPlaceholder;
}

function headersOf({ body, type, accept }: RecordedRequest): Record<string, string> {
  return { ...(body === undefined ? {} : { "content-type": type ?? "application/json" }), ...(accept === undefined ? {} : { accept }) };
}

/** Values of Secrets, which the recording lacks, are replaced by its placeholder. */
function bodyOf(body: Json, request: RecordedRequest): string {
  return valueText(sensitivityOf(request.method, request.url) === "secret" ? withValues(body) : body);
}
const placeholderValue = btoa(secretPlaceholder);
function withValues(value: Json, key = ""): Json {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map((each) => withValues(each));
  if (!isObject(value)) return value;
  const isData = key === "data";
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, isData && each === secretPlaceholder ? placeholderValue : withValues(each, name)]),
  );
}

async function bytesOf(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > answerBytesMax) break;
    chunks.push(chunk);
  }
  return concat(chunks);
}
function linesOf(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.filter((byte) => byte === 0x0a).length, 0);
}
function withoutBookmarks(events: Json | undefined): Json[] | undefined {
  return Array.isArray(events) ? events.filter((each) => !(isObject(each) && each.type === "BOOKMARK")) : undefined;
}

function titleOf({ user, method, url }: RecordedRequest): string {
  return `${user === "" ? "anonymous" : user}: ${method} ${url}`;
}

function reportText(sent: number, skipped: ReplayReport["skipped"], differences: readonly ReplayDifference[]): string {
  const shown = (value: Json | undefined) => {
    const text = value === undefined ? "nothing" : valueText(value);
    return text.length > shownMax ? `${text.slice(0, shownMax)}...` : text;
  };
  const lines = [`${sent} requests sent, ${skipped.length} skipped, ${differences.length} differences`];
  for (const { request, title, why } of skipped) lines.push(`request ${request} (${title}) was skipped: ${why}`);
  let last = 0;
  for (const { request, title, place, recorded, replayed } of differences) {
    if (request !== last) lines.push(`request ${request} (${title}):`);
    last = request;
    lines.push(`  ${place}: recorded ${shown(recorded)}, replayed ${shown(replayed)}`);
  }
  return `${lines.join("\n")}\n`;
}
