/** The documents of this server with those of others: discovery of all groups, the list of OpenAPI v3 documents, and the OpenAPI v2 document. */
import { once } from "../../core/async.ts";
import type { Delegate } from "../../core/delegate.ts";
import { isObject, type Json, type JsonObject } from "../../core/json.ts";
import { encodeMessage } from "../../core/openapi/protobuf.ts";
import { v2Message } from "../../core/openapi/v2-messages.ts";
import { plainJson } from "../../core/tree/plain-json.ts";
import { specIn } from "./remote-discovery.ts";
import { valueText } from "../../core/value-text.ts";
import type { Catalog } from "../../kernel/catalog/catalog.ts";
import { documentOf, type OpenapiDocument, type OpenapiDocuments, v3Address } from "../../kernel/nonresource/openapi/documents.ts";
import { ConvertedDocuments } from "./converted-documents.ts";
import { mergedCatalog } from "./merged-catalog.ts";
import { withRemoteSpec } from "./merged-v2.ts";
import type { RemoteDocuments } from "./remote-documents.ts";

export interface ShownDocuments {
  /** The catalog with which a path outside of resources is answered. */
  catalog(catalog: Catalog, path: string): Catalog;
  openapi(own: OpenapiDocuments): OpenapiDocuments;
}

/** `remote` are the documents of the servers that `delegate` knows. */
export function shownDocuments(
  delegate: Pick<Delegate, "versions">,
  remote: Pick<RemoteDocuments, "state" | "described" | "hashes" | "specs" | "legacySpecs">,
  logError: (sentence: string, error?: unknown) => void,
): ShownDocuments {
  const converted = new ConvertedDocuments(logError);
  const merged = latest((catalog: Catalog) => mergedCatalog(catalog, delegate.versions(), (version) => remote.described(version)));
  const openapi = latest((own: OpenapiDocuments) => mergedOpenapi(own, remote, converted, logError));
  return {
    catalog: (catalog, path) => listsGroups(path) ? merged(catalog, [delegate.versions(), remote.state]) : catalog,
    openapi: (own) => openapi(own, [remote.state]),
  };
}

/** Whether the reply at a path depends on all groups: the index, `/api`, `/apis`, and `/apis/GROUP`. */
function listsGroups(path: string): boolean {
  if (path === "/" || path === "/index.html") return true;
  const [, prefix, , version = ""] = path.split("/", 4);
  return (prefix === "api" || prefix === "apis") && version === "";
}

/** Keeps the last result, while neither the argument nor what it depends on changes. */
function latest<Of extends object, Result>(make: (of: Of) => Result): (of: Of, on: readonly unknown[]) => Result {
  let last: { readonly of: Of; readonly on: readonly unknown[]; readonly result: Result } | undefined;
  return (of, on) => {
    if (last === undefined || last.of !== of || last.on.some((each, i) => each !== on[i])) last = { of, on, result: make(of) };
    return last.result;
  };
}

function mergedOpenapi(
  own: OpenapiDocuments,
  remote: Pick<RemoteDocuments, "hashes" | "specs" | "legacySpecs">,
  converted: ConvertedDocuments,
  logError: (sentence: string, error?: unknown) => void,
): OpenapiDocuments {
  const hashes = remote.hashes(), specs = remote.specs(), old = remote.legacySpecs();
  const legacy = once(() => converted.of(old));
  return {
    v3: (name) => own.v3(name) ?? legacy().get(name),
    index: hashes.size + old.length === 0 ? () => own.index() : once(async () => {
      const made = await Promise.all(
        [...legacy()].map(async ([name, document]) => [name.slice("apis/".length), (await document).hash] as const),
      );
      return await withRemoteIndex(await own.index(), new Map([...hashes, ...made]));
    }),
    v2: specs.length === 0 ? () => own.v2() : once(async () => await withRemoteSpecs(await own.v2(), specs, logError)),
  };
}

async function withRemoteIndex({ json }: OpenapiDocument, hashes: ReadonlyMap<string, string>): Promise<OpenapiDocument> {
  const index = plainJson(new TextDecoder().decode(json)) as { readonly paths: JsonObject }; // our own document
  // The document of a group of this server stays.
  const others = [...hashes].filter(([name]) => name.includes("/") || !Object.hasOwn(index.paths, `apis/${name}`)).map((
    [name, hash],
  ): [string, Json] => [`apis/${name}`, { serverRelativeURL: v3Address(`apis/${name}`, hash) }]);
  return await documentOf(valueText({ paths: { ...index.paths, ...Object.fromEntries(others) } }), undefined);
}

async function withRemoteSpecs(
  own: OpenapiDocument,
  specs: ReturnType<RemoteDocuments["specs"]>,
  logError: (sentence: string, error?: unknown) => void,
): Promise<OpenapiDocument> {
  let merged = plainJson(new TextDecoder().decode(own.json)) as JsonObject; // our own document
  for (const { versions, text } of specs) {
    try {
      const spec = specIn(text);
      if (!isObject(spec)) throw new Error("the document is no object");
      const remote = { prefixes: versions.map(({ group, version }) => `/apis/${group}/${version}/`), spec };
      encodeMessage(v2Message, withRemoteSpec({}, remote)); // a document that has no form in protobuf is left out of both
      merged = withRemoteSpec(merged, remote);
    } catch (error) {
      logError(`the OpenAPI document of ${versions[0]?.server} cannot be used`, error);
    }
  }
  return await documentOf(valueText(merged), v2Message);
}
