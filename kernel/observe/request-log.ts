/**
 * Log lines of requests: one for each at level 3 of `httplog`, and a trace of the steps of slow ones (`trace`, at every level). URLs come
 * from clients: values that may be secrets are not logged.
 */
import { header } from "../request/exchange.ts";
import type { Exchange } from "../request/exchange.ts";
import type { Log } from "./log.ts";
import { auditIdLoggedMax } from "./bounds.ts";

/** A completed request. Times are in milliseconds of one clock. */
export interface Finished {
  readonly exchange: Exchange;
  /** The verb label of metrics. */
  readonly verb: string;
  readonly auditId: string;
  /** Undefined before authentication. */
  readonly user: string | undefined;
  /** The impersonated user. */
  readonly impersonated?: string;
  readonly code: number;
  readonly bytes: number;
  readonly begun: number;
  readonly ended: number;
  /** Whether it is long-running by nature (a watch), and therefore never slow. */
  readonly lasting: boolean;
  /** Completed steps with their times, in order. */
  readonly steps: readonly Step[];
}
export interface Step {
  readonly what: string;
  readonly at: number;
}

/** `slowMs`: duration in milliseconds above which a request is slow; 0 disables the trace. */
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
    "audit-ID": auditId.slice(0, auditIdLoggedMax),
    srcIP: exchange.remote,
    user,
    ...(impersonated === undefined ? {} : { impersonated }),
    resp: code,
    bytes,
  };
}

/** `authenticated 1.2ms, body read 480ms, ...`: the duration of each step, the last one up to the end of the reply. */
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

/** A URL for the log, without the values of parameters whose names suggest secrets. */
export function loggedUrl(url: string): string {
  const mark = url.indexOf("?");
  if (mark < 0) return url;
  const pairs = url.slice(mark + 1).split("&").map((pair) => {
    const equals = pair.indexOf("=");
    return equals >= 0 && secretName.test(decodePart(pair.slice(0, equals))) ? `${pair.slice(0, equals)}=REDACTED` : pair;
  });
  return `${url.slice(0, mark)}?${pairs.join("&")}`;
}
const secretName = /token|secret|passw|credential|authoriz|api.?key|bearer/i;

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
