/** Parses the text of a document with the package `js-yaml` into events, each with its position in the text. */

import { type Event, EVENT_ID, getScalarValue, parseEvents, SCALAR_STYLE, type ScalarEvent, YAMLException } from "js-yaml";
import { YamlProblem } from "./problem.ts";
import type { ScalarText } from "./resolve.ts";
import { bound } from "../../bound.ts";

/** Deepest nesting in the text of a YAML document. The library that parses it is recursive. */
export const yamlDepthMax = bound(500);
/** UTF-16 units of YAML that are parsed again because lines of brackets or quoted text are not indented. */
export const yamlIndentedLengthMax = bound(1024 * 1024);

/** A parsed document: its events, in the order of the text. The root is the event at `root`. */
export interface YamlDocument {
  readonly text: string;
  readonly events: readonly Event[];
  readonly root: number;
  /** The index of the target for an alias, and of the last event for a collection. */
  readonly links: Int32Array;
  /** The prefixes of tag handles. */
  readonly handles: ReadonlyMap<string, string>;
}

/** Parses the first document of a text; undefined if it has none. Throws YamlProblem. */
export function parseDocument(source: string): YamlDocument | undefined {
  const { text, events } = eventsOf(source);
  const [first] = events;
  if (first?.type !== EVENT_ID.DOCUMENT) return undefined;
  const handles = new Map([["!", "!"], ["!!", "tag:yaml.org,2002:"]]);
  for (const directive of first.directives) if (directive.kind === "tag") handles.set(directive.handle, directive.prefix);
  return { text, events, root: 1, links: linksOf(text, events), handles };
}

/**
 * The library follows YAML 1.2 and rejects lines within brackets or quotes that are not indented more than the key before, such as the last of
 * `command: [⏎  "sh"⏎]`. YAML 1.1 ignores their indentation, and such files are common. So these lines are indented and the text is parsed again,
 * within a bound: first one line, then twice as many after each success. A line after the closing bracket or quote that is indented as well is an
 * error of its own: the step is taken back, and from then on each step has half of the lines of the one before, down to one.
 */
function eventsOf(source: string): { readonly text: string; readonly events: readonly Event[] } {
  let text = source, parsed = 0, lines = 1, isGrowing = true;
  /** The lines that were indented last. `problem` is the error without that. */
  let step: { readonly before: string; readonly start: number; readonly end: number; readonly problem: YAMLException } | undefined;
  for (;;) {
    try {
      return { text, events: parseEvents(text, { maxDepth: yamlDepthMax }) };
    } catch (error) {
      if (!(error instanceof YAMLException)) throw error;
      parsed += text.length;
      const tooFar = step !== undefined && (error.mark?.position ?? 0) < step.end ? step : undefined, problem = tooFar?.problem ?? error;
      text = tooFar?.before ?? text;
      const start = tooFar?.start ?? deficientLine(text, error);
      if (start === undefined || parsed > yamlIndentedLengthMax) throw problemOf(problem);
      isGrowing = lines === 1 || (isGrowing && tooFar === undefined);
      if (step !== undefined) lines = isGrowing ? lines * 2 : lines / 2;
      const end = endOfLines(text, start, lines), indented = indent(text.slice(start, end));
      // One line alone is known to need it.
      step = { before: text, start, end: lines === 1 ? start : start + indented.length, problem };
      text = text.slice(0, start) + indented + text.slice(end);
    }
  }
}

/** Spaces that are added to a line at once: enough for objects of the API. */
const indentation = " ".repeat(32);
function indent(lines: string): string {
  return indentation + lines.replace(/(\n|\r(?!\n))(?!$)/g, `$1${indentation}`);
}

/** Returns the end of so many lines from `start` on. */
function endOfLines(text: string, start: number, lines: number): number {
  const lineBreak = /\n|\r(?!\n)/g;
  lineBreak.lastIndex = start;
  for (let line = 0; line < lines; line++) if (lineBreak.exec(text) === null) return text.length;
  return lineBreak.lastIndex;
}

/** Returns the start of the line whose indentation is the reason of an error; undefined for other errors. The library has no codes of errors. */
function deficientLine(text: string, { reason, mark }: YAMLException): number | undefined {
  if (reason !== "deficient indentation" || mark === undefined) return undefined;
  const start = mark.position - mark.column;
  return /^[ \t]*$/.test(text.slice(start, mark.position)) ? start : undefined; // tabs within a line are the other reason
}

function problemOf({ reason, mark }: YAMLException): YamlProblem {
  if (reason.startsWith("nesting exceeded")) return new YamlProblem(`exceeded max depth of ${yamlDepthMax}`);
  return new YamlProblem(mark === undefined ? reason : `line ${mark.line + 1}: ${reason}`);
}

/** Returns the links of the first document. Throws YamlProblem for an alias without a target. */
function linksOf(text: string, events: readonly Event[]): Int32Array {
  const links = new Int32Array(events.length), anchors = new Map<string, number>(), open: number[] = [];
  for (let at = 1; at < events.length; at++) {
    const event = events[at]!;
    switch (event.type) {
      case EVENT_ID.POP: {
        const start = open.pop();
        if (start === undefined) return links; // the end of the document
        links[start] = at;
        break;
      }
      case EVENT_ID.ALIAS: {
        const name = text.slice(event.anchorStart, event.anchorEnd), target = anchors.get(name);
        if (target === undefined) throw new YamlProblem(`unknown anchor '${name}' referenced`);
        links[at] = target;
        break;
      }
      case EVENT_ID.SCALAR:
      case EVENT_ID.SEQUENCE:
      case EVENT_ID.MAPPING:
        if (event.anchorStart >= 0) anchors.set(text.slice(event.anchorStart, event.anchorEnd), at);
        if (event.type !== EVENT_ID.SCALAR) open.push(at);
    }
  }
  return links;
}

/** Returns the text and the tag of a scalar. */
export function scalarTextOf({ text, handles }: YamlDocument, event: ScalarEvent): ScalarText {
  const tag = event.tagStart < 0 ? "" : tagOf(text.slice(event.tagStart, event.tagEnd), handles);
  return { text: valueOf(text, event), tag, implicit: tag === "" && event.style === SCALAR_STYLE.PLAIN };
}

function valueOf(text: string, event: ScalarEvent): string {
  const value = getScalarValue(text, event);
  switch (event.style) {
    case SCALAR_STYLE.DOUBLE_QUOTED:
      return value.toWellFormed(); // it may have escapes of surrogates
    case SCALAR_STYLE.LITERAL_BLOCK:
    case SCALAR_STYLE.FOLDED_BLOCK:
      // The library ends the last line of a text that has no line break.
      return event.valueEnd === text.length && !/[\r\n]$/.test(text) && value.endsWith("\n") ? value.slice(0, -1) : value;
    default:
      return value;
  }
}

/** Returns the whole tag, such as `tag:yaml.org,2002:int`. */
function tagOf(raw: string, handles: ReadonlyMap<string, string>): string {
  if (raw.startsWith("!<")) return unescapeTag(raw.slice(2, -1));
  const end = raw.indexOf("!", 1) + 1, handle = end === 0 ? "!" : raw.slice(0, end);
  return unescapeTag((handles.get(handle) ?? handle) + raw.slice(handle.length));
}

function unescapeTag(tag: string): string {
  try {
    return decodeURIComponent(tag);
  } catch { // its only error is bytes that are not UTF-8
    throw new YamlProblem("found an invalid escape in a tag");
  }
}

/** Returns the line of a node, from 1, by its event. */
export function lineFinder({ text, events }: YamlDocument): (at: number) => number {
  const breaks: number[] = [];
  for (const { index } of text.matchAll(/\n|\r(?!\n)/g)) breaks.push(index);
  const lines = new Int32Array(events.length);
  let line = 0;
  for (const [at, event] of events.entries()) {
    const position = positionOf(event);
    while (position !== undefined && line < breaks.length && breaks[line]! < position) line++;
    lines[at] = line + 1;
  }
  return (at) => lines[at]!;
}

/** Returns the position of a node, or of a character on its line. Undefined for empty values, which are on the line of their key. */
function positionOf(event: Event): number | undefined {
  switch (event.type) {
    case EVENT_ID.ALIAS:
      return event.anchorStart;
    case EVENT_ID.SEQUENCE:
    case EVENT_ID.MAPPING:
      return firstOf(event, event.start);
    case EVENT_ID.SCALAR: {
      const isBlock = event.style === SCALAR_STYLE.LITERAL_BLOCK || event.style === SCALAR_STYLE.FOLDED_BLOCK;
      // The text of a block begins on the line after its indicator.
      return firstOf(event, isBlock ? event.valueStart - 1 : event.valueStart);
    }
    default:
      return undefined;
  }
}

/** Returns the position of the first of anchor, tag and value; -1 is none. */
function firstOf(
  { anchorStart, tagStart }: { readonly anchorStart: number; readonly tagStart: number },
  start: number,
): number | undefined {
  const first = earlier(earlier(anchorStart, tagStart), start);
  return first < 0 ? undefined : first;
}

function earlier(a: number, b: number): number {
  return a < 0 ? b : b < 0 ? a : Math.min(a, b);
}
