// In Deno's suite only: documents are values.
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentOf, type OpenapiDocuments } from "../../kernel/nonresource/openapi/documents.ts";
import { madeDocument, type MakeDocument } from "./made-documents.ts";
import { shownDocuments } from "./shown-documents.ts";

const own: OpenapiDocuments = {
  v2: () => documentOf('{"paths":{"/own":{}}}', undefined),
  v3: () => undefined,
  index: () => documentOf('{"paths":{}}', undefined),
};
const version = { group: "g", version: "v1", server: "s" } as never; // Only these are read.

/** The documents of this server, and one more whose v2 document has this text; its v3 documents are made of it. */
function shown(text: string, makeDocument: MakeDocument) {
  const errors: string[] = [], specs = [{ versions: [version], text, etag: "" }];
  const remote = { state: {}, described: () => undefined, hashes: () => new Map(), specs: () => specs, legacySpecs: () => specs };
  const { openapi } = shownDocuments({ versions: () => [] }, remote as never, { // Only these are used.
    ...{ makeDocument, signal: new AbortController().signal },
    logError: (sentence) => void errors.push(sentence),
  });
  return { documents: () => openapi(own), errors };
}
const paths = async (documents: OpenapiDocuments) =>
  Object.keys(JSON.parse(new TextDecoder().decode((await documents.v2()).json)).paths as object);

test("shownDocuments() answers with the own document while the merged one cannot be made, and tries again", async () => {
  let isBusy = true, made = 0;
  const { documents, errors } = shown('{"paths":{"/apis/g/v1/x":{}}}', async (work) => {
    made++;
    if (isBusy) throw new Error("busy");
    return await Promise.resolve(madeDocument(work));
  });
  assert.deepEqual(await paths(documents()), ["/own"]);
  isBusy = false;
  assert.deepEqual(await paths(documents()), ["/apis/g/v1/x", "/own"]);
  assert.deepEqual(await paths(documents()), ["/apis/g/v1/x", "/own"]);
  assert.deepEqual([made, errors], [2, ["the OpenAPI documents of other servers cannot be merged"]]);
});

test("shownDocuments() leaves out documents that cannot be used, and names their servers", async () => {
  const { documents, errors } = shown("5", (work) => Promise.resolve().then(() => madeDocument(work)));
  assert.deepEqual(await paths(documents()), ["/own"]);
  assert.deepEqual(errors, ["the OpenAPI document of s cannot be used: the document is no object"]);
  assert.equal(await documents().v3("apis/g/v1"), undefined);
  const index = JSON.parse(new TextDecoder().decode((await documents().index()).json)) as unknown;
  assert.deepEqual(index, { paths: {} });
  assert.equal(errors.at(-1), "the OpenAPI document of s cannot be converted");
});
