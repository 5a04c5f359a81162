/** Rules of faults: the requests that they concern, and what happens to them. */
import { statusCodes, type StatusDetails, StatusError, type StatusReason } from "../../core/status-error.ts";
import type { RequestInfo } from "../../kernel/request/request-info.ts";
import { millisecondsOf } from "../milliseconds.ts";

/** What a request does. `apply` is a patch of server-side apply, which is a `patch`, too. */
export type RequestVerb = "get" | "list" | "watch" | "create" | "update" | "patch" | "apply" | "delete" | "deletecollection";

/** The requests that a rule concerns. A member that is absent matches all. */
export interface RequestMatch {
  /** The name of the user. */
  readonly user?: string;
  /** One or several verbs. */
  readonly verb?: RequestVerb | readonly RequestVerb[];
  /** `widgets`, `widgets.example.com`, `widgets/status`, or `widgets/*` for the resource with all of its subresources. */
  readonly resource?: string;
  /** The namespace in the path. */
  readonly namespace?: string;
  /** The name in the path. A create has none. */
  readonly name?: string;
}

/** An error of the server. Either of code and reason gives the other. */
export interface FaultAnswer {
  /** The HTTP code, from 400 to 599. */
  readonly code?: number;
  /** The reason for programs, such as `Conflict`. */
  readonly reason?: StatusReason;
  /** The text for people. Default: one that says that a test has injected it. */
  readonly message?: string;
  /** Seconds in the header Retry-After and in the details. */
  readonly retryAfterSeconds?: number;
}

/** How a watch ends: with a 410 as its last event, as a server ends it in time, or by a connection that breaks within an event. */
export type WatchEnd = "expired" | "closed" | "half an event";

/** The lag of reads that see the state when their rule was added. */
export const frozen = "frozen";

/** What happens to a request. A delay can be combined with another fault. */
export interface FaultEffect {
  /** Milliseconds, or a duration of Go, by the clock of the server. */
  readonly delay?: number | string;
  /** The answer in place of the request, after authentication and authorization. */
  readonly answer?: FaultAnswer;
  /** The connection breaks before the request has done anything, or after its write was done. */
  readonly drop?: "before" | "after";
  /**
   * For gets and lists that ask for no certain revision: an older state, as a cache that lags would answer. Milliseconds or a duration, by the clock of
   * the server and at least; or "frozen", the state when the rule was added.
   */
  readonly lag?: number | string;
  /** For watches: how they end, and after how many events. Default of `afterEvents`: 0, at the first opportunity. */
  readonly endWatch?: { readonly how: WatchEnd; readonly afterEvents?: number };
}

/** A rule: which requests, which of them, and what happens. Of several rules that match, the first that is due has effect. */
export interface FaultRule extends RequestMatch, FaultEffect {
  /** Only the n-th request that matches, from 1 on. */
  readonly nth?: number;
  /** At most so many requests. Default: 1 with `nth`, else all. */
  readonly times?: number;
}

/** A request of which the user is known. */
export interface KnownRequest {
  readonly user: string;
  readonly groups?: readonly string[];
  readonly info: Pick<RequestInfo, "verb" | "group" | "resource" | "subresource" | "namespace" | "name" | "path">;
  /** Whether it is a patch of server-side apply. */
  readonly applies: boolean;
}

/** Whether a rule concerns a request. */
export function matches({ user, verb, resource, namespace, name }: RequestMatch, request: KnownRequest): boolean {
  const { info } = request;
  if (user !== undefined && user !== request.user) return false;
  if (verb !== undefined && !verbsOf(verb).some((each) => each === "apply" ? request.applies : each === info.verb)) return false;
  if (resource !== undefined && !isResource(resource, info)) return false;
  if (namespace !== undefined && namespace !== info.namespace) return false;
  return name === undefined || name === info.name;
}

function verbsOf(verb: NonNullable<RequestMatch["verb"]>): readonly RequestVerb[] {
  return typeof verb === "string" ? [verb] : verb;
}

function isResource(wanted: string, { resource, group, subresource }: KnownRequest["info"]): boolean {
  const slash = wanted.indexOf("/"), whole = slash < 0 ? wanted : wanted.slice(0, slash), part = slash < 0 ? "" : wanted.slice(slash + 1);
  if (part !== "*" && part !== subresource) return false;
  const dot = whole.indexOf(".");
  return dot < 0 ? whole === resource : whole.slice(0, dot) === resource && whole.slice(dot + 1) === group;
}

/** Throws for a rule that could never have an effect, so that a test with a mistake does not pass. */
export function checkRule(rule: FaultRule): void {
  const { delay, answer, drop, lag, endWatch, nth, times } = rule;
  const effects = [answer, drop, lag, endWatch].filter((each) => each !== undefined);
  if (effects.length === 0 && delay === undefined) throw new Error("a rule needs an effect: delay, answer, drop, lag or endWatch");
  if (effects.length > 1) throw new Error("a rule has one effect besides a delay: answer, drop, lag or endWatch");
  if (delay !== undefined) millisecondsOf(delay);
  if (lag !== undefined && lag !== frozen) millisecondsOf(lag);
  if (answer !== undefined) errorOf(answer);
  if (nth !== undefined && times !== undefined) throw new Error("a rule has either nth or times");
  for (const [name, count] of Object.entries({ nth, times })) {
    if (count !== undefined && !(Number.isSafeInteger(count) && count > 0)) {
      throw new RangeError(`${name} is a positive integer, not ${count}`);
    }
  }
  checkVerbs(rule);
}

function checkVerbs({ verb, lag, endWatch }: FaultRule): void {
  if (verb === undefined) return;
  const verbs = verbsOf(verb), fits = (able: readonly RequestVerb[]) => verbs.some((each) => able.includes(each));
  if (endWatch !== undefined && !fits(["watch"])) throw new Error("endWatch is for the verb watch");
  if (lag !== undefined && !fits(["get", "list"])) throw new Error("lag is for the verbs get and list");
}

/** The verbs to which an effect applies; undefined for all. */
export function verbsWith({ lag, endWatch }: FaultEffect): readonly string[] | undefined {
  if (endWatch !== undefined) return ["watch"];
  return lag === undefined ? undefined : ["get", "list"];
}

/** The error of an answer. */
export function errorOf({ code, reason, message, retryAfterSeconds }: FaultAnswer): StatusError {
  const known = reason ?? reasonOfCode(code);
  if (code !== undefined && !(Number.isInteger(code) && code >= 400 && code <= 599)) throw new RangeError(`${code} is no code of an error`);
  const details: StatusDetails | undefined = retryAfterSeconds === undefined ? undefined : { retryAfterSeconds };
  return new StatusError(known, message ?? `injected by a test: ${known}`, {
    ...(code === undefined ? {} : { code }),
    ...(details === undefined ? {} : { details }),
  });
}

/** The reason that a server gives with a code. Of several reasons of one code: that of most answers. */
function reasonOfCode(code: number | undefined): StatusReason {
  if (code === 409) return "Conflict";
  if (code === 410) return "Expired";
  if (code === undefined || code === 500) return "InternalError";
  const found = Object.entries(statusCodes).find(([, each]) => each === code);
  return found === undefined ? "Unknown" : found[0] as StatusReason; // the keys of the table are the reasons
}

/** What a fault is, for the list of those that were injected. */
export function effectText({ delay, answer, drop, lag, endWatch }: FaultEffect): string {
  const error = answer && errorOf(answer);
  return [
    ...(delay === undefined ? [] : [`delayed by ${durationText(delay)}`]),
    ...(error === undefined ? [] : [`answered with ${error.code} ${error.reason}`]),
    ...(drop === undefined ? [] : [`connection dropped ${drop === "before" ? "before the request" : "after the request was done"}`]),
    ...(lag === undefined ? [] : [lag === frozen ? "read a frozen state" : `read a state of ${durationText(lag)} ago`]),
    ...(endWatch === undefined ? [] : [`watch ended: ${endWatch.how}`]),
  ].join(", ");
}

function durationText(duration: number | string): string {
  return typeof duration === "number" ? `${duration} ms` : duration;
}
