/**
 * Log lines of requests: one for each at level 3 of `httplog`, and a trace of the steps of slow ones (`trace`, always).
 * Clients write what they like into URLs: what may be a secret there is not repeated.
 */
import { limits } from "../../core/limits.ts";
import { header } from "../request/exchange.ts";
import type { Exchange } from "../request/exchange.ts";
import type { Log } from "./log.ts";

/** A request that is over. Times are in milliseconds of one clock. */
export interface Finished {
  readonly exchange: Exchange;
  /** As metrics call it. */
  readonly verb: string;
  readonly auditId: string;
  /** Undefined before authentication. */
  readonly user: string | undefined;
  /** The user that it acts as. */
  readonly impersonated?: string;
  readonly code: number;
  readonly bytes: number;
  readonly begun: number;
  readonly ended: number;
  /** It lasts by its nature, so that it is never slow. */
  readonly lasting: boolean;
  /** What was done by when, in order. */
  readonly steps: readonly Step[];
}
export interface Step {
  readonly what: string;
  readonly at: number;
}

/** `slowMs`: from when on a request is slow; 0 is never. */
export function requestLog(log: Log, slowMs: () => number): (finished: Finished) => void {
  const http = log.module("httplog"), trace = log.module("trace");
  return (finished) => {
    const { begun, ended, lasting } = finished;
    http.at(3)?.info("HTTP", fieldsOf(finished));
    const threshold = slowMs();
    if (!lasting && threshold > 0 && ended - begun >= threshold) {
      trace.info("a request was slow", { ...fieldsOf(finished), steps: stepTexts(finished) });
    }
  };
}

function fieldsOf({ exchange, verb, auditId, user, impersonated, code, bytes, begun, ended }: Finished): Readonly<Record<string, unknown>> {
  return {
    verb,
    URI: loggedUrl(exchange.url),
    latency: millisecondsText(ended - begun),
    userAgent: header(exchange, "user-agent"),
    "audit-ID": auditId.slice(0, limits.auditIdLoggedMax),
    srcIP: exchange.remote,
    user,
    ...(impersonated === undefined ? {} : { impersonated }),
    resp: code,
    bytes,
  };
}

/** `authenticated 1.2ms, body read 480ms, ...`: how long each step took, the last one up to the end of the answer. */
function stepTexts({ begun, ended, steps }: Finished): readonly string[] {
  let before = begun;
  const texts = steps.map(({ what, at }) => {
    const text = `${what} ${millisecondsText(at - before)}`;
    before = at;
    return text;
  });
  return [...texts, `answer sent ${millisecondsText(ended - before)}`];
}

function millisecondsText(milliseconds: number): string {
  return `${Number(milliseconds.toFixed(3))}ms`;
}

/** A URL for the log: values of parameters whose names speak of secrets are left out. */
export function loggedUrl(url: string): string {
  const mark = url.indexOf("?");
  if (mark < 0) return url;
  const pairs = url.slice(mark + 1).split("&").map((pair) => {
    const equals = pair.indexOf("=");
    return equals >= 0 && secretName.test(decoded(pair.slice(0, equals))) ? `${pair.slice(0, equals)}=REDACTED` : pair;
  });
  return `${url.slice(0, mark)}?${pairs.join("&")}`;
}
const secretName = /token|secret|passw|credential|authoriz|api.?key|bearer/i;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
