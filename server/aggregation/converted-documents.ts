/** The OpenAPI v3 documents of servers that have v2 only. */
import type { RegisteredVersion } from "../../core/delegate.ts";
import { documentOfBytes, type OpenapiDocument } from "../../kernel/nonresource/openapi/documents.ts";
import type { MakeDocument } from "./made-documents.ts";

export interface DocumentNeeds {
  readonly makeDocument: MakeDocument;
  readonly logError: (sentence: string, error?: unknown) => void;
  /** Aborts when the server ends. */
  readonly signal: AbortSignal;
}
/** The v2 document of a server. */
interface LegacySpec {
  readonly versions: readonly RegisteredVersion[];
  readonly text: string;
}
interface Converted {
  readonly text: string;
  /** Resolves with undefined if the document cannot be converted. */
  readonly document: Promise<OpenapiDocument | undefined>;
}

export class ConvertedDocuments {
  readonly #needs: DocumentNeeds;
  /** By server. */
  #known: ReadonlyMap<string, Converted> = new Map();

  constructor(needs: DocumentNeeds) {
    this.#needs = needs;
  }
  /** Returns the documents by their names, such as `apis/example.com/v1`. A text that is known already is not converted again. */
  of(specs: readonly LegacySpec[]): ReadonlyMap<string, Promise<OpenapiDocument | undefined>> {
    const known = new Map(specs.map(({ versions, text }): [string, Converted] => {
      const server = versions[0]?.server ?? "", before = this.#known.get(server);
      return [server, before?.text === text ? before : { text, document: this.#convert(server, text) }];
    }));
    this.#known = known;
    return new Map(specs.flatMap(({ versions }) =>
      versions.flatMap(({ server, group, version }): [string, Converted["document"]][] => {
        const document = known.get(server)?.document;
        return document === undefined ? [] : [[`apis/${group}/${version}`, document]];
      })
    ));
  }

  async #convert(server: string, text: string): Promise<OpenapiDocument | undefined> {
    const { makeDocument, logError, signal } = this.#needs;
    try {
      const { chunks: [json, protobuf] } = await makeDocument({ op: "convert", text }, signal);
      return await documentOfBytes(json!, protobuf && (() => protobuf));
    } catch (error) {
      logError(`the OpenAPI document of ${server} cannot be converted`, error);
      return undefined;
    }
  }
}
