import assert from "node:assert/strict";
import { type Target, unless } from "../fuzz.ts";

/** Paths and queries of a request line. */
export const paths: Target = {
  name: "paths",
  grammar: {
    url: ["<path>", "<path>?<query>"],
    path: [(w) => `/${w.write("segment")}${w.many("next")}`, "/api/v1/<rest>", "/apis/<segment>/v1/<rest>", "/api/v1/watch/<rest>"],
    rest: ["<segment>", "namespaces/<segment>/<segment>", "namespaces/<segment>/<segment>/<segment>/<segment>", "namespaces/<segment>"],
    next: ["/<segment>"],
    segment: ["pods", "", ".", "..", "%2e%2E", "%2F", "a%", "%zz", "%ff", "é", "a+b", "proxy", "watch", "namespaces", "status", "finalize"],
    query: [(w) => w.write("pair") + w.many("next-pair")],
    "next-pair": ["&<pair>", "&&", "&"],
    pair: ["watch=true", "<name>=<value>", "<name>", "=<value>", "a;b=c", "limit=<value>", "fieldSelector=<selector>", "continue=<value>"],
    name: ["a", "resourceVersion", "%41", "%", "+", "timeoutSeconds", "pretty"],
    value: ["1", "", "a%20b", "%ff%fe", "==", "99999999999999999999", "-1", "true", "%", (w) => "9".repeat(w.below(60))],
    selector: ["metadata.name=a", "metadata.name%3Da", "metadata.name!=a,b=c"],
  },
  start: "url",
  binary: false,
  stepsPerCharacter: 120,
  async open(code) {
    const { requestInfo } = await code.load("kernel/request/request-info.ts");
    const { percentDecode } = await code.load("core/net/percent.ts");
    const { parseInt64, writeOptions } = await code.load("kernel/request/options.ts");
    const { StatusError } = await code.load("core/status-error.ts");
    const { defaultNames } = await code.load("core/names.ts");
    return (input) => {
      for (const method of ["GET", "POST", "DELETE", "PATCH", "X"]) {
        const info = requestInfo(method, input);
        if (info === undefined) continue;
        unless([StatusError], () => writeOptions(info.query, "PatchOptions", defaultNames, true));
        unless([StatusError], () => parseInt64(info.query.first("limit")));
      }
      const decoded = percentDecode(input.toWellFormed());
      try {
        const expected = decodeURIComponent(input.toWellFormed());
        assert.equal(decoded, expected);
      } catch (error) {
        if (!(error instanceof URIError)) throw error;
      }
    };
  },
};

/** Accept and Content-Type. */
export const mediaTypes: Target = {
  name: "media-types",
  grammar: {
    header: [(w) => w.write("clause") + w.many("next")],
    next: [",<clause>", ", <clause>", ",", ";"],
    clause: ["<type>", "<type><parameters>"],
    type: [
      "application/json",
      "*/*",
      "application/*",
      "*",
      "text/html",
      "application/vnd.kubernetes.protobuf",
      "a/b/c",
      "",
      "/",
      "application/cbor",
    ],
    parameters: [(w) => w.write("parameter") + w.many("parameter")],
    parameter: [";q=<quality>", ";as=Table", ";g=meta.k8s.io", ";v=v1", ";stream=watch", "; a = b ", ";a==b", ";q", ";", ";as=<type>"],
    quality: ["1", "0.5", "0", "-1", "1e9", "NaN", "", "Infinity", "0x1"],
  },
  start: "header",
  binary: false,
  stepsPerCharacter: 300,
  async open(code) {
    const { bodyEncoding, checkProduced, mediaOf, negotiate, negotiateError } = await code.load("core/codec/negotiate.ts");
    const { parseAccept } = await code.load("core/codec/accept.ts");
    const { StatusError } = await code.load("core/status-error.ts");
    const { defaultNames } = await code.load("core/names.ts");
    const media = mediaOf(defaultNames, true);
    return (input) => {
      const clauses = parseAccept(input);
      assert.ok(clauses.length <= input.split(",").length);
      assert.ok(clauses.every(({ quality }: { quality: number }) => !Number.isNaN(quality)));
      unless([StatusError], () => negotiate(input, media));
      unless([StatusError], () => checkProduced(input, media.types));
      unless([StatusError], () => bodyEncoding(input, media));
      negotiateError(input, media);
    };
  },
};

/** Label selectors, field selectors, and the continue tokens of lists. */
export const selectors: Target = {
  name: "selectors",
  grammar: {
    selector: ["<label-selector>", "<field-selector>", ""],
    "label-selector": [(w) => w.write("requirement") + w.many("next")],
    next: [",<requirement>", ", ", ","],
    requirement: [
      "<key>",
      "!<key>",
      "<key><operator><value>",
      "<key> in (<values>)",
      "<key> notin (<values>)",
      "<key> > <value>",
      "<key>\0",
    ],
    operator: ["=", "==", "!=", " = ", "<lt>", ">", "=!"],
    lt: ["<"],
    key: ["a", "example.com/b", "in", "notin", "-", "", "a/b/c", "é", (w) => "k".repeat(60 + w.below(10))],
    value: ["x", "", "1", "-9223372036854775809", "in", "a b", "(", (w) => "9".repeat(w.below(50))],
    values: [(w) => w.many("value", ","), ",", "<value>,", ",,"],
    "field-selector": [(w) => w.write("term") + w.many("next-term")],
    "next-term": [",<term>", ","],
    term: ["metadata.name=a", "<field>!=<text>", "<field>==<text>", "<field>", "="],
    field: ["metadata.namespace", "spec.x", ""],
    text: ["a\\,b", "\\=", "\\", "a\\\\", "x=y", ""],
  },
  start: "selector",
  binary: false,
  stepsPerCharacter: 100,
  async open(code) {
    const { parseLabelSelector, matchesLabels } = await code.load("core/selectors/label.ts");
    const { parseFieldSelector, matchesFields } = await code.load("core/selectors/field.ts");
    return (input) => {
      const labels = parseLabelSelector(input);
      if (labels.ok) {
        assert.equal(
          matchesLabels(labels.requirements, { a: "x" }),
          labels.requirements.every((one: unknown) => matchesLabels([one], { a: "x" })),
        );
      } else assert.ok(labels.error.length < 10 * input.length + 2000, "an error of bounded length");
      const fields = parseFieldSelector(input);
      if (fields.ok) matchesFields(fields.requirements, () => "a");
      else assert.ok(fields.error.length < 3 * input.length + 200, "an error of bounded length");
    };
  },
};

/** Continue tokens: base64url around JSON. */
export const tokens: Target = {
  name: "continue-tokens",
  grammar: {
    token: ["<valid>", (w) => btoa(w.write("json")).replaceAll("+", "-").replaceAll("/", "_"), "<digits>"],
    valid: [(w) => btoa(w.write("json")).replaceAll("=", "")],
    json: [(w) => `{${w.many("member", ",")}}`, '{"v":"meta.k8s.io/v1","rv":<number>,"start":<start>}', "null", "[]"],
    member: ['"v":"meta.k8s.io/v1"', '"rv":<number>', '"start":<start>', '"x":1', '"v":1'],
    number: ["1", "-1", "0", "9223372036854775808", "1.5", '"1"'],
    start: ['"a"', '"/a/b"', '"../a"', '""', '"a//b"', '"\\u0000"', "null"],
    digits: ["", "a", "=", "%", "\n", "é", (w) => "QUFB".repeat(w.below(50))],
  },
  start: "token",
  binary: false,
  stepsPerCharacter: 100,
  async open(code) {
    const { readContinue, writeContinue } = await code.load("kernel/reads/continue-token.ts");
    const { StatusError } = await code.load("core/status-error.ts");
    const { defaultNames } = await code.load("core/names.ts");
    return (input) => {
      const point = unless([StatusError], () => readContinue(input, defaultNames));
      if (point !== undefined) assert.deepEqual(readContinue(writeContinue(point, defaultNames), defaultNames), point);
    };
  },
};
