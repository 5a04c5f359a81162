/** URLs: `url("https://example.com/")`, upstream's library `kubernetes.urls`. */
import { Unreadable } from "../../../core/scalars/unreadable.ts";
import { scale, traversalFactor } from "../../cost/range.ts";
import type { FunctionDeclaration } from "../../declarations.ts";
import { boolType, listType, mapType, objectType, stringType, type Type } from "../../types.ts";
import { ArrayList, EntryMap } from "../../value/collections.ts";
import { spend } from "../../value/work.ts";
import { CelError, OpaqueValue, type Value } from "../../values.ts";
import { type Costs, declare, fixed, reading } from "../costs.ts";
import type { Library } from "../library.ts";
import { textOfBytes } from "../../../core/net/url/bytes.ts";
import { escapedPath, hostAndPort, parseUrl, queryValues, requestUriMistake, type Url, urlText } from "../../../core/net/url/parse.ts";

export const urlType = objectType("kubernetes.URL");

/** An absolute URL, or an absolute path with an optional query. */
export class UrlValue extends OpaqueValue {
  readonly type = "kubernetes.URL";
  readonly url: Url;
  /** Length of the text that was parsed. */
  readonly length: number;
  constructor(url: Url, length: number) {
    super();
    this.url = url;
    this.length = length;
  }
  override get text(): string {
    return urlText(this.url);
  }
  equals(other: Value): boolean | CelError {
    return other instanceof UrlValue ? other.text === this.text : new CelError("no such overload");
  }
}

/** Number of steps for reading one character of a URL. */
const readingSteps = 2;

function urlOf(text: string): UrlValue | CelError {
  spend(text.length * readingSteps);
  const url = parseUrl(text);
  if (url instanceof Unreadable) return new CelError(`URL parse error during conversion from string: ${url.error}`);
  return new UrlValue(url, text.length);
}

function isUrl(text: Value): Value {
  spend((text as string).length * readingSteps); // the signature demands this type
  return requestUriMistake(text as string) === undefined;
}

/** The costs of reading the argument once. The estimated size of the result is the argument's. */
const parsing: Costs = {
  ...reading(1),
  estimate: ({ args }, estimator) => {
    if (args[0] === undefined) return undefined;
    const resultSize = estimator.sizeOf(args[0]);
    return { cost: scale(resultSize, traversalFactor), resultSize };
  },
};

function declareProperty(name: string, id: string, call: (url: Url) => Value, result: Type = stringType): FunctionDeclaration {
  const read = (url: Value): Value => {
    spend((url as UrlValue).length * readingSteps); // the signature demands this type
    return call((url as UrlValue).url);
  };
  return declare(name, fixed(1), { id, member: true, args: [urlType], result, call: read });
}

function queryMap(url: Url): EntryMap {
  const map = new EntryMap();
  for (const [name, values] of queryValues(url)) map.set(name, new ArrayList(values));
  return map;
}

export const urlLibrary: Library = {
  name: "kubernetes.urls",
  since: 0,
  functions: [
    declare("url", parsing, {
      id: "string_to_url",
      member: false,
      args: [stringType],
      result: urlType,
      call: (text) => urlOf(text as string),
    }),
    // Upstream has no cost of its own for this function.
    declare("isURL", {}, {
      id: "is_url_string",
      member: false,
      args: [stringType],
      result: boolType,
      call: isUrl,
    }),
    declareProperty("getScheme", "url_get_scheme", ({ scheme }) => scheme),
    declareProperty("getHost", "url_get_host", ({ host }) => textOfBytes(host)),
    declareProperty("getHostname", "url_get_hostname", (url) => textOfBytes(hostAndPort(url).name)),
    declareProperty("getPort", "url_get_port", (url) => hostAndPort(url).port),
    declareProperty("getEscapedPath", "url_get_escaped_path", (url) => textOfBytes(escapedPath(url))),
    declareProperty(
      "getQuery",
      "url_get_query",
      queryMap,
      mapType(stringType, listType(stringType)),
    ),
  ],
};
