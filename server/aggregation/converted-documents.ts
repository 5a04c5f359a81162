/** The OpenAPI v3 documents of servers that have v2 only. */
import type { RegisteredVersion } from "../../core/delegate.ts";
import { isObject } from "../../core/json.ts";
import { encodeMessage } from "../../core/openapi/protobuf.ts";
import { v3Message } from "../../core/openapi/v3-messages.ts";
import { specIn } from "./remote-discovery.ts";
import { valueText } from "../../core/value-text.ts";
import { documentOf, type OpenapiDocument } from "../../kernel/nonresource/openapi/documents.ts";
import { v3FromV2 } from "./v3-from-v2.ts";

/** The v2 document of a server. */
interface LegacySpec {
  readonly versions: readonly RegisteredVersion[];
  readonly text: string;
}
interface Converted {
  readonly text: string;
  /** Undefined if the document cannot be converted. */
  readonly document: Promise<OpenapiDocument> | undefined;
}

export class ConvertedDocuments {
  readonly #logError: (sentence: string, error?: unknown) => void;
  /** By server. */
  #known: ReadonlyMap<string, Converted> = new Map();

  constructor(logError: (sentence: string, error?: unknown) => void) {
    this.#logError = logError;
  }
  /** Returns the documents by their names, such as `apis/example.com/v1`. A text that is known already is not converted again. */
  of(specs: readonly LegacySpec[]): ReadonlyMap<string, Promise<OpenapiDocument>> {
    const known = new Map(specs.map(({ versions, text }): [string, Converted] => {
      const server = versions[0]?.server ?? "", before = this.#known.get(server);
      return [server, before?.text === text ? before : { text, document: this.#convert(server, text) }];
    }));
    this.#known = known;
    return new Map(specs.flatMap(({ versions }) =>
      versions.flatMap(({ server, group, version }): [string, Promise<OpenapiDocument>][] => {
        const document = known.get(server)?.document;
        return document === undefined ? [] : [[`apis/${group}/${version}`, document]];
      })
    ));
  }

  #convert(server: string, text: string): Promise<OpenapiDocument> | undefined {
    try {
      const spec = specIn(text);
      if (!isObject(spec)) throw new Error("the document is no object");
      const converted = v3FromV2(spec);
      return documentOf(valueText(converted), hasMessage(converted) ? v3Message : undefined);
    } catch (error) {
      this.#logError(`the OpenAPI document of ${server} cannot be converted`, error);
      return undefined;
    }
  }
}

/** Whether a document has a form in protobuf: other servers may use fields that this one does not. */
function hasMessage(document: Parameters<typeof encodeMessage>[1]): boolean {
  try {
    encodeMessage(v3Message, document);
    return true;
  } catch {
    return false;
  }
}
