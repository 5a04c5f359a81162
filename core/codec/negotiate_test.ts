import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames as names } from "../names.ts";
import { StatusError } from "../status-error.ts";
import { bodyEncoding, checkProduced, type Forms, mediaOf, negotiate, negotiateError, prefersPretty, watchMediaType } from "./negotiate.ts";

const media = mediaOf(names, false);
const table = "application/json;as=Table;v=v1;g=meta.k8s.io";

test("negotiate() prefers the highest quality, then the order; q=0 does not exclude", () => {
  const encoding = (accept: string) => negotiate(accept, media).encoding;
  assert.equal(encoding(""), "json");
  assert.equal(encoding("*/*"), "json");
  assert.equal(encoding("application/json;q=0.1, application/yaml;q=0.9"), "yaml");
  assert.equal(encoding("application/yaml, application/json"), "yaml");
  assert.equal(encoding("application/json;q=0"), "json");
  assert.equal(encoding("application/yaml;q=0.5, application/vnd.kubernetes.protobuf;q=0.2, */*"), "json");
  assert.equal(encoding("*/*, application/yaml;q=0.5"), "yaml", "a named type precedes a wildcard");
  assert.equal(encoding("application/json;q= 1, application/yaml;q=0.5"), "yaml", "a quality with a blank is 0");
  assert.equal(encoding("application/json;q=0.5;q=0.1, application/yaml;q=0.3"), "yaml", "the last quality counts");
});

test("negotiate() accepts `*` as the type only with `*` as the subtype, and rejects an empty subtype", () => {
  for (const bad of ["*/json", "application/", "application", "/json", "application/json/x", ","]) {
    assert.throws(() => negotiate(bad, media), (error) => error instanceof StatusError && error.code === 406, bad);
  }
  for (const good of ["*", "application/*", "application/json/", "text/html, application/json"]) {
    assert.equal(negotiate(good, media).encoding, "json", good);
  }
});

test("negotiate() reads `pretty` of a clause and skips a clause with a version of the server", () => {
  assert.equal(negotiate("application/json;pretty=1", media).pretty, true);
  assert.equal(negotiate("application/json;pretty=true", media).pretty, undefined);
  assert.equal(negotiate("application/json;sv=1, application/yaml;sv=", media).encoding, "yaml");
});

test("negotiate() skips an unknown transformation and returns 406 if no other clause matches", () => {
  assert.deepEqual(negotiate(table, media).transform, { as: "Table", version: "v1" });
  assert.deepEqual(negotiate(`application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io, ${table}`, media).transform, {
    as: "Table",
    version: "v1",
  });
  assert.deepEqual(negotiate("application/json;as=Table;v=v2;g=meta.k8s.io, application/json", media).transform, { as: "object" });
  for (
    const bad of ["application/json;as=Table;v=v1", "application/json;v=v1;g=meta.k8s.io", "application/json;as=Nothing;v=v1;g=meta.k8s.io"]
  ) {
    assert.throws(() => negotiate(bad, media), (error) => error instanceof StatusError && error.code === 406, bad);
  }
});

test("negotiate() skips an encoding without frames for a clause with a stream, also for errors", () => {
  assert.equal(negotiate("application/yaml;stream=watch, application/vnd.kubernetes.protobuf;stream=watch", media).encoding, "protobuf");
  assert.equal(negotiate("application/yaml;stream=", media).encoding, "yaml");
  assert.equal(negotiateError("application/yaml;stream=watch", media), undefined);
  for (const refused of ["application/yaml;stream=watch", "application/json;stream=other"]) {
    assert.throws(() => negotiate(refused, media), (error) => error instanceof StatusError && error.code === 406, refused);
  }
});

test("negotiate() offers metadata without a Table to `withoutTable`, and no transformation to `none`", () => {
  const metadata = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
  const form = (accept: string, forms: Forms) => negotiate(accept, media, forms).transform.as;
  assert.deepEqual([form(`${table}, ${metadata}`, "withoutTable"), form(`${table}, ${metadata}`, "all")], [
    "PartialObjectMetadata",
    "Table",
  ]);
  assert.equal(form(`${table}, ${metadata}, application/json`, "none"), "object");
  for (const [accept, forms] of [[table, "withoutTable"], [metadata, "none"]] as const) {
    assert.throws(() => form(accept, forms), (error) => error instanceof StatusError && error.code === 406);
  }
});

test("negotiate() offers metadata in protobuf to `custom`, and no objects", () => {
  const protobuf = "application/vnd.kubernetes.protobuf", metadata = `${protobuf};as=PartialObjectMetadata;v=v1;g=meta.k8s.io`;
  assert.deepEqual(negotiate(`${protobuf}, application/json`, media, "custom"), { encoding: "json", transform: { as: "object" } });
  assert.deepEqual(negotiate(metadata, media, "custom"), {
    encoding: "protobuf",
    transform: { as: "PartialObjectMetadata", version: "v1" },
  });
  for (const accept of [protobuf, `${protobuf};pretty=1`, `${protobuf};stream=watch`]) {
    assert.throws(() => negotiate(accept, media, "custom"), { reason: "NotAcceptable" });
  }
});

test("negotiate() uses the configured group domain and platform name", () => {
  const other = { domain: "example.org", platform: "thole" };
  assert.equal(negotiate("application/vnd.thole.protobuf", mediaOf(other, false)).encoding, "protobuf");
  assert.deepEqual(negotiate("application/json;as=Table;v=v1;g=meta.example.org", mediaOf(other, false)).transform, {
    as: "Table",
    version: "v1",
  });
});

test("negotiateError() never transforms", () => {
  assert.equal(negotiateError(table, media), undefined);
  assert.equal(negotiateError("application/yaml;as=Table;v=v1;g=meta.k8s.io", media), undefined);
  assert.equal(negotiateError("text/plain", media), undefined);
  assert.equal(negotiateError(`${table}, application/yaml`, media)?.encoding, "yaml");
});

test("checkProduced() rejects with the router's message unless a produced type is listed", () => {
  checkProduced("text/html, */*;q=0.1", media.types);
  checkProduced("application/json;as=Nothing", media.types);
  assert.throws(
    () => checkProduced("text/html", media.types),
    /406: Not Acceptable\n\nAvailable representations: application\/json, /,
  );
  for (const bad of [",", "application/*", "application/cbor-seq", "text/html;x, image/png"]) {
    assert.throws(() => checkProduced(bad, media.listTypes), /^StatusError: 406: Not Acceptable/, bad);
  }
});

test("bodyEncoding() defaults to JSON, and ignores case and parameters", () => {
  assert.equal(bodyEncoding(undefined, media), "json");
  assert.equal(bodyEncoding("Application/JSON; charset=latin1", media), "json");
  for (
    const bad of [
      "text/plain",
      ";;",
      "application/json, text/plain",
      "application/cbor",
      "application/json; charset",
      "application/json;a=b;a=c",
    ]
  ) {
    assert.throws(() => bodyEncoding(bad, media), (error) => error instanceof StatusError && error.code === 415, bad);
  }
});

test("prefersPretty() uses the query before the user agent", () => {
  assert.equal(prefersPretty("", "curl/8.0"), true);
  assert.equal(prefersPretty("false", "curl/8.0"), false);
  assert.equal(prefersPretty("1", "kubectl"), true);
  assert.equal(prefersPretty("", "kubectl"), false);
});

test("mediaOf() includes CBOR only with its gate: for objects and watches, not for tables", () => {
  const withCbor = mediaOf(names, true);
  assert.deepEqual(withCbor.types, [...media.types, "application/cbor"]);
  assert.deepEqual(withCbor.streamTypes, [
    "application/json;stream=watch",
    "application/vnd.kubernetes.protobuf;stream=watch",
    "application/cbor-seq",
  ]);
  assert.deepEqual(media.streamTypes, withCbor.streamTypes.slice(0, 2));
  assert.equal(watchMediaType("cbor", names), "application/cbor-seq");
  assert.equal(watchMediaType("json", names), "application/json");
  assert.equal(negotiate("application/cbor", withCbor).encoding, "cbor");
  assert.equal(bodyEncoding("application/cbor", withCbor), "cbor");
  for (const refused of ["application/cbor-seq", "application/cbor;as=Table;v=v1;g=meta.k8s.io"]) {
    assert.throws(() => negotiate(refused, withCbor), (error) => error instanceof StatusError && error.code === 406, refused);
  }
});
