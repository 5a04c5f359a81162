// Lists in every encoding and form are encoded item by item, with the same bytes as a list encoded at once.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { prettyJson } from "../core/tree/json-text.ts";
import { readEnvelope, writeListField } from "../core/codec/protobuf.ts";
import { writeYaml } from "../core/codec/yaml.ts";
import { openTestServer, type TestServer } from "../testing.ts";
import { ask, done, refused as refusal } from "./requests.ts";

const path = "/api/v1/namespaces/default/configmaps";
/** Large enough that a list of all objects is not kept as a whole. */
const count = 40, textBytes = 60_000;
const nameOf = (at: number) => `large-${String(at).padStart(2, "0")}`;
let server: TestServer;
/** The resourceVersion of all lists, because other writes of the server can happen between them. */
let revision: string;

before(async () => {
  server = await openTestServer();
  for (let at = 0; at < count; at++) {
    revision = (await done(server, "POST", path, {
      metadata: { name: nameOf(at) },
      data: { text: `a line\n${"x".repeat(textBytes)}`, at: String(at) },
    })).metadata.resourceVersion;
  }
});
after(() => server.close());

const chosen = () => `&fieldSelector=metadata.name!=kube-root-ca.crt&resourceVersion=${revision}&resourceVersionMatch=Exact`;
async function get(query: string, accept: string): Promise<Uint8Array> {
  const { status, bytes } = await ask(server, "GET", query, undefined, { accept });
  assert.equal(status, 200);
  return bytes;
}
/** A fixed time, for the ages in tables. */
const text = async (query: string, accept: string) =>
  new TextDecoder().decode(await get(query, accept)).replaceAll(/\b(\d+m)?\d+s\b/g, "AGE");
const as = (kind: string) => `application/json;as=${kind};g=meta.k8s.io;v=v1`;

for (
  const [what, accept] of [
    ["objects", "application/json"],
    ["tables", as("Table")],
    ["metadata", as("PartialObjectMetadataList")],
  ] as const
) {
  for (const query of ["", "&limit=3", "&labelSelector=none"]) {
    test(`a list of ${what} is the same in JSON, pretty JSON and YAML (${query || "all"})`, async () => {
      const compact = await text(`${path}?includeObject=Object${chosen()}${query}`, accept);
      const value = JSON.parse(compact);
      const elements = value.items ?? value.rows ?? [];
      assert.equal(elements.length, query === "" ? count : query === "&limit=3" ? 3 : 0);
      assert.equal(await text(`${path}?pretty=1&includeObject=Object${chosen()}${query}`, accept), prettyJson(compact.trimEnd()));
      const yaml = accept.replace("json", "yaml");
      assert.equal(await text(`${path}?includeObject=Object${chosen()}${query}`, yaml), writeYaml(value));
    });
  }
}

test("an empty table has no rows if the kind has columns, and null otherwise", async () => {
  const rows = async (path: string, accept = as("Table")) =>
    JSON.parse(await text(`${path}?fieldSelector=metadata.name=none`, accept)).rows;
  assert.deepEqual(await rows(path), []);
  assert.equal(await rows("/apis/storage.k8s.io/v1/namespaces/default/csistoragecapacities"), null);
});

test("errors show invalid numeric options as in Go", async () => {
  const refused = async (query: string) => {
    const [code, message] = await refusal(server, "GET", `${path}?${query}`);
    assert.equal(code, 400);
    return message;
  };
  const syntax = (text: string) => `strconv.ParseInt: parsing ${text}: invalid syntax`;
  assert.equal(await refused("limit=%00"), syntax('"\\x00"'));
  assert.match(await refused("resourceVersion=a%00"), /resourceVersion: Invalid value: "a\\x00": strconv.ParseUint: parsing "a\\x00": /);
});

test("the error of an invalid includeObject shows it as JSON", async () => {
  const [, message] = await refusal(server, "GET", `${path}?includeObject=a%00`, undefined, { accept: as("Table") });
  assert.match(message, /includeObject: Invalid value: "a\\u0000": must be/);
});

test("the items of a list are equal to the responses of gets", async () => {
  const { items } = JSON.parse(await text(`${path}?${chosen()}`, "application/json"));
  for (const at of [0, 7, count - 1]) {
    const { kind: _, apiVersion: __, ...object } = JSON.parse(await text(`${path}/${nameOf(at)}`, "application/json"));
    assert.deepEqual(items[at], object);
  }
});

test("the items of a protobuf list are equal to the responses of gets, also items that are encoded twice", async () => {
  const protobuf = "application/vnd.kubernetes.protobuf";
  for (const [list, object] of [[protobuf, protobuf], [as("PartialObjectMetadataList"), as("PartialObjectMetadata")]] as const) {
    const of = (accept: string) => accept.replace("application/json", protobuf);
    const { raw, kind } = readEnvelope(await get(`${path}?${chosen()}`, of(list)));
    const items = await Promise.all(
      Array.from({ length: count }, async (_, at) => readEnvelope(await get(`${path}/${nameOf(at)}`, of(object))).raw),
    );
    const version = new TextEncoder().encode(revision);
    const metadata = Uint8Array.of(0x0a, 0, 0x12, version.length, ...version, 0x1a, 0);
    const expected = [writeListField("metadata", metadata), ...items.map((item) => writeListField("items", item))];
    assert.equal(kind, list === protobuf ? "ConfigMapList" : "PartialObjectMetadataList");
    assert.deepEqual(Buffer.from(raw), Buffer.concat(expected));
  }
});
