/**
 * The server's log, for people and log collectors: one line per entry, as klog's text or as JSON. In the text a stack trace keeps its lines. A line belongs to a module and to a
 * verbosity level; it is written if the module's level is at least the line's.
 */
import { printable } from "../../core/printable.ts";
import { StatusError } from "../../core/status-error.ts";
import { StoreError } from "../store/store.ts";
import { valueText } from "../../core/value-text.ts";
import { logTextLengthMax } from "../../core/bounds.ts";

/** Further values of a line of the log, by name, such as `{ port: 6443 }`. Members that are undefined are left out. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The server's log. A line has a message, further values and a verbosity level, which is 0 for `info` and `error`. */
export interface Log {
  /** Writes a line: a sentence without a full stop, and further values. */
  info(message: string, more?: LogFields): void;
  /** Written at every verbosity. */
  error(message: string, more?: LogFields): void;
  /** The sink of lines at this level, or undefined if the level is disabled: then no text is built. */
  at(level: number): Pick<Log, "info"> | undefined;
  /** The log of a part of the server, with its own level. */
  module(name: string): Log;
}

/** The levels: `v` everywhere, and other levels for modules whose names match a pattern (`*` and `?`); the first match counts. */
export interface Verbosity {
  /** The level of modules without another one. 0: lines of operators only. */
  readonly v: number;
  /** The levels of modules, such as `{ pattern: "http*", level: 3 }`. */
  readonly modules: readonly { readonly pattern: string; readonly level: number }[];
}

/** `text` is the format of klog; `json` has one object per line. */
export type LogFormat = "text" | "json";
const quiet: Verbosity = { v: 0, modules: [] };

/** A log that passes each line of JSON, without its line end, to `write`. `now` is in milliseconds since the epoch. Default verbosity: 0. */
export function jsonLog(write: (line: string) => void, now: () => number, verbosity: Verbosity = quiet): Log {
  return openLog("json", write, now, verbosity);
}

/**
 * A log that passes each line, without its line end, to `write`. `now` is in milliseconds since the epoch. `process` is the process id that the
 * text format shows, and `worker` the number of the worker that JSON shows; absent on a server without workers.
 */
export function openLog(
  format: LogFormat,
  write: (line: string) => void,
  now: () => number,
  verbosity: Verbosity,
  process = 0,
  worker?: number,
): Log {
  const line = format === "json" ? jsonLine : textLine;
  const of = (module: string): Log => {
    const level = levelOf(module, verbosity);
    const at = (v: number) => (message: string, more: LogFields = {}) =>
      write(line({ severity: "I", v, module, process, worker, at: now() }, message, more));
    return Object.freeze({
      info: at(0),
      error: (message: string, more: LogFields = {}) =>
        write(line({ severity: "E", v: 0, module, process, worker, at: now() }, message, more)),
      at: (v: number) => v <= level ? { info: at(v) } : undefined,
      module: of,
    });
  };
  return of("");
}

/** A log that drops every line. */
export const silentLog: Log = Object.freeze({ info() {}, error() {}, at: () => undefined, module: () => silentLog });

interface Head {
  readonly severity: "I" | "E";
  readonly v: number;
  readonly module: string;
  readonly process: number;
  readonly worker: number | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

function jsonLine({ severity, v, module, worker, at }: Head, message: string, more: LogFields): string {
  const head = { time: new Date(at).toISOString(), level: severity === "E" ? "error" : "info", v };
  const origin = { ...(worker === undefined ? {} : { worker }), ...(module === "" ? {} : { logger: module }) };
  return written({ ...head, ...origin, message, ...more });
}

/** `I1121 17:34:27.123000    4711 httplog] "HTTP" verb="GET" resp=200`: klog's header (in UTC), then keys and values. */
function textLine({ severity, module, process, at }: Head, message: string, more: LogFields): string {
  const [, month, day, time] = /^\d+-(\d\d)-(\d\d)T(.*)Z$/.exec(new Date(at).toISOString())!;
  const head = `${severity}${month}${day} ${time}000 ${String(process).padStart(7)} ${module === "" ? "server" : module}]`;
  const pairs = Object.entries(more).filter(([, value]) => value !== undefined).map(([key, value]) =>
    ` ${key}=${key === stackField && typeof value === "string" ? writtenLines(value) : written(value)}`
  );
  return `${head} ${written(message)}${pairs.join("")}`;
}

/** The field of an error's stack trace. Its message may be input of clients. */
export const stackField = "stack";

/** As klog writes a value of several lines: each is indented, so that none looks like an entry of the log. */
function writtenLines(value: string): string {
  const lines = shorten(value).split("\n").map((line) => `\n\t${printable(line)}`);
  return `<${lines.join("")}\n >`;
}

function shorten(text: string): string {
  if (text.length <= logTextLengthMax) return text;
  return `${text.slice(0, logTextLengthMax)}... (${text.length - logTextLengthMax} more)`;
}

/** Quoted and truncated, so that input of clients can neither start a new line nor fill the disk. */
function written(value: unknown): string {
  try {
    return JSON.stringify(value, (_key, each) => {
      if (typeof each === "bigint") return String(each);
      return typeof each === "string" ? shorten(each) : each;
    }) ?? "null";
  } catch (error) {
    return JSON.stringify(`(this cannot be written: ${error instanceof Error ? error.message : "unknown"})`);
  }
}

function levelOf(module: string, { v, modules }: Verbosity): number {
  return modules.find(({ pattern }) => matches(pattern, module))?.level ?? v;
}

/** Matches a pattern of `*` and `?` without backtracking: each star matches as little as possible. */
function matches(pattern: string, text: string): boolean {
  let at = 0, star = -1, resume = 0, i = 0;
  while (i < text.length) {
    if (at < pattern.length && pattern[at] !== "*" && (pattern[at] === "?" || pattern[at] === text[i])) {
      at++;
      i++;
    } else if (pattern[at] === "*") {
      star = at++;
      resume = i;
    } else if (star >= 0) {
      at = star + 1;
      i = ++resume;
    } else return false;
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}

/** The fields of an error: its message, cause and stack. */
export function describe(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: String(error) };
  const cause = error.cause === undefined ? {} : { cause: error.cause instanceof Error ? error.cause.message : String(error.cause) };
  // Expected errors have no stack: a StatusError, or a store that does not respond.
  const isExpected = error instanceof StatusError || error instanceof StoreError;
  return { error: error.message, ...cause, ...(isExpected ? {} : { [stackField]: error.stack }) };
}

/** The verbosity of the settings. Errors in `--vmodule` are added to `mistakes`. */
export function verbosityOf(v: number, vmodule: readonly string[], mistakes: string[]): Verbosity {
  const modules = vmodule.flatMap((word) => {
    const [, pattern, level] = /^([^=]+)=(\d{1,3})$/.exec(word) ?? [];
    if (pattern === undefined) mistakes.push(`flag "--vmodule": ${valueText(word)} is not module=level, such as httplog=3`);
    return pattern === undefined ? [] : [{ pattern, level: Number(level) }];
  });
  return { v, modules };
}
