/** The documents of this server with those of others: discovery of all groups, the list of OpenAPI v3 documents, and the OpenAPI v2 document. */
import { once } from "../../core/async.ts";
import type { Delegate } from "../../core/delegate.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { plainJson } from "../../core/tree/plain-json.ts";
import { valueText } from "../../core/value-text.ts";
import type { Catalog } from "../../kernel/catalog/catalog.ts";
import {
  documentOf,
  documentOfBytes,
  type OpenapiDocument,
  type OpenapiDocuments,
  v3Address,
} from "../../kernel/nonresource/openapi/documents.ts";
import { ConvertedDocuments, type DocumentNeeds } from "./converted-documents.ts";
import { mergedCatalog } from "./merged-catalog.ts";
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
  needs: DocumentNeeds,
): ShownDocuments {
  const converted = new ConvertedDocuments(needs);
  const merged = latest((catalog: Catalog) => mergedCatalog(catalog, delegate.versions(), (version) => remote.described(version)));
  const openapi = latest((own: OpenapiDocuments) => mergedOpenapi(own, remote, converted, needs));
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
  needs: DocumentNeeds,
): OpenapiDocuments {
  const hashes = remote.hashes(), specs = remote.specs(), old = remote.legacySpecs();
  const legacy = once(() => converted.of(old));
  return {
    v3: (name) => own.v3(name) ?? legacy().get(name),
    index: hashes.size + old.length === 0 ? () => own.index() : once(async () => {
      const made = await Promise.all(
        [...legacy()].map(async ([name, document]) => [name.slice("apis/".length), (await document)?.hash] as const),
      );
      const found = made.filter((each): each is [string, string] => each[1] !== undefined);
      return await withRemoteIndex(await own.index(), new Map([...hashes, ...found]));
    }),
    v2: specs.length === 0 ? () => own.v2() : mergedV2(own, specs, needs),
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

/** Returns a function that makes the document once. While it cannot be made, the answer is this server's own one, and the next request tries again. */
function mergedV2(
  own: OpenapiDocuments,
  specs: ReturnType<RemoteDocuments["specs"]>,
  { makeDocument, logError, signal }: DocumentNeeds,
): () => Promise<OpenapiDocument> {
  const remote = specs.map(({ versions, text }) => ({
    server: versions[0]?.server ?? "",
    prefixes: versions.map(({ group, version }) => `/apis/${group}/${version}/`),
    text,
  }));
  const make = async () => {
    const { chunks: [json, protobuf], unusable } = await makeDocument({ op: "merge", own: (await own.v2()).json, remote }, signal);
    for (const { server, reason } of unusable) logError(`the OpenAPI document of ${server} cannot be used: ${reason}`);
    return await documentOfBytes(json!, () => protobuf!);
  };
  let made: Promise<OpenapiDocument> | undefined;
  return () =>
    made ??= make().catch((error) => {
      made = undefined;
      logError("the OpenAPI documents of other servers cannot be merged", error);
      return own.v2();
    });
}
