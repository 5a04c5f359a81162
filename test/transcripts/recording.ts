/** The types of a recorded conversation, and the reader of its file. The format: README beside the recordings' source. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A number whose text JavaScript would not reproduce: `15.0`, `9223372036854775808`. */
export class NumberAsWritten {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Json = null | boolean | number | string | NumberAsWritten | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

export interface Step {
  /** Method, space, path with query. */
  readonly do: string;
  /** Null removes a default header. */
  readonly headers?: Readonly<Record<string, Json>>;
  readonly body?: Json;
  readonly raw?: string;
  readonly base64?: string;
  readonly as?: string;
  /** Lines of a watch to read. */
  readonly events?: number;
  /** Seconds. */
  readonly timeout?: number;
  readonly until?: JsonObject;
  readonly save?: Readonly<Record<string, string>>;
  readonly keep?: readonly string[];
  /** Further response headers to compare; null for an absent one. */
  readonly headersToo?: readonly string[];
  /** Path of a token whose header names and claims are compared. */
  readonly claims?: string;
  readonly headersOnly?: boolean;
  readonly loose?: boolean;
  readonly ignore?: readonly string[];
  /** Seconds. */
  readonly sleep?: number;
}

export interface Scenario {
  readonly name: string;
  readonly needs?: readonly string[];
  readonly namespace?: boolean;
  readonly namespaceMetadata?: JsonObject;
  readonly steps: readonly Step[];
  readonly answers: readonly JsonObject[];
  readonly relate?: readonly (readonly [Json, string, Json])[];
  readonly truths?: readonly (boolean | null)[];
  readonly cleanup?: readonly string[];
}

/** A scenario and its area. */
export interface Case {
  readonly area: string;
  readonly scenario: Scenario;
}

/** JSON with the text of every number; throws SyntaxError. */
export function parseJson(text: string): Json {
  // `as`: the reviver returns Json only.
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
    const source = context?.source;
    return typeof value === "number" && source !== undefined && String(value) !== source ? new NumberAsWritten(source) : value;
  }) as Json;
}

const folder = fileURLToPath(new URL("recorded/", import.meta.url));

/** The recorded areas, in alphabetical order. */
export function recordedAreas(): string[] {
  return readdirSync(folder).filter((file) => file.endsWith(".json")).sort().map((file) => file.slice(0, -".json".length));
}

/** Every recorded scenario of the areas. */
export function readCases(areas: readonly string[] = recordedAreas()): Case[] {
  return areas.flatMap((area) => {
    // `as`: the files are part of the repository; a wrong shape fails the tests.
    const { scenarios } = parseJson(readFileSync(`${folder}/${area}.json`, "utf8")) as unknown as { scenarios: Scenario[] };
    return scenarios.map((scenario) => ({ area, scenario }));
  });
}
