/** The query of a URL, parsed as by Go: `+` is a space; pairs that cannot be decoded or contain a semicolon are ignored. */
import { type ParsedFieldSelector, parseFieldSelector } from "../selectors/field.ts";
import { type ParsedLabelSelector, parseLabelSelector } from "../selectors/label.ts";
import { percentDecode, percentDecodeBytes } from "./percent.ts";

export class Query {
  readonly #values: ReadonlyMap<string, readonly string[]>;
  #labels: ParsedLabelSelector | undefined;
  #fields: ParsedFieldSelector | undefined;
  constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.#values = values;
  }
  /** The first value, or "" if the key is absent. */
  first(key: string): string {
    return this.#values.get(key)?.[0] ?? "";
  }
  all(key: string): readonly string[] {
    return this.#values.get(key) ?? [];
  }
  has(key: string): boolean {
    return this.#values.has(key);
  }
  /** `labelSelector`, parsed once for authorization and the list: it may be long. */
  get labelSelector(): ParsedLabelSelector {
    return this.#labels ??= parseLabelSelector(this.first("labelSelector"));
  }
  /** `fieldSelector`, parsed once. */
  get fieldSelector(): ParsedFieldSelector {
    return this.#fields ??= parseFieldSelector(this.first("fieldSelector"));
  }
}

const none = new Query(new Map());

export function parseQuery(text: string): Query {
  if (text === "") return none;
  const values = new Map<string, string[]>();
  for (const pair of text.split("&")) {
    if (pair === "" || pair.includes(";")) continue;
    const equals = pair.indexOf("=");
    const key = percentDecode((equals < 0 ? pair : pair.slice(0, equals)).replaceAll("+", " "));
    const value = equals < 0 ? "" : percentDecodeBytes(pair.slice(equals + 1).replaceAll("+", " "));
    if (key === undefined || value === undefined) continue;
    const known = values.get(key);
    if (known === undefined) values.set(key, [value]);
    else known.push(value);
  }
  return new Query(values);
}
