import assert from "node:assert/strict";
import { test } from "node:test";
import {
  conditionReason,
  configMapKey,
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  label1035Name,
  labelName,
  labelValue,
  type NameRule,
  pathSegmentName,
  portNumber,
  qualifiedName,
  subdomainName,
} from "./names.ts";

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const label1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const keyName =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const value =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const configKey =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

const long = (length: number) => "a".repeat(length);

/** For each rule: texts and their errors. */
const cases: readonly [string, (text: string) => readonly string[], Readonly<Record<string, readonly string[]>>][] = [
  ["dns1123Label()", dns1123Label, {
    a: [],
    "0-9": [],
    [long(63)]: [],
    [long(64)]: ["must be no more than 63 characters"],
    "a.b": ["must not contain dots"],
    "": [label],
    "-a": [label],
    "a-": [label],
    "-": [label],
    "a_b": [label],
    A: [label],
    "a..b": [label],
    ["é".repeat(32)]: ["must be no more than 63 characters", label],
  }],
  ["dns1123Subdomain()", dns1123Subdomain, {
    a: [],
    "a.b-c.1": [],
    [long(253)]: [],
    [long(254)]: ["must be no more than 253 characters"],
    "": [subdomain],
    ".": [subdomain],
    "a.": [subdomain],
    "a..b": [subdomain],
    "a.-b": [subdomain],
    "a-.b": [subdomain],
    Upper: [subdomain],
    "ä": [subdomain],
    constructor: [],
    ["__proto__"]: [subdomain],
    "\ud800": [subdomain],
  }],
  ["dns1035Label()", dns1035Label, {
    a: [],
    "a-1": [],
    [long(63)]: [],
    [long(64)]: ["must be no more than 63 characters"],
    "1a": [label1035],
    "a.b": [label1035],
    "a-": [label1035],
    "": [label1035],
  }],
  ["qualifiedName()", qualifiedName, {
    a: [],
    "A_b.c-D": [],
    "example.com/Name": [],
    [`${long(253)}/${long(63)}`]: [],
    [`${long(254)}/a`]: ["prefix part must be no more than 253 bytes"],
    [`a/${long(64)}`]: ["name part must be no more than 63 bytes"],
    "": ["name part must be non-empty", `name part ${keyName}`],
    "/b": ["prefix part must be non-empty"],
    "a/": ["name part must be non-empty", `name part ${keyName}`],
    "Example.com/b": [`prefix part ${subdomain}`],
    "a b": [`name part ${keyName}`],
    "-a": [`name part ${keyName}`],
    ["__proto__"]: [`name part ${keyName}`],
    "a/b/c": [`a valid label key ${keyName} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`],
    "bad name/-": [`prefix part ${subdomain}`, `name part ${keyName}`],
  }],
  ["labelValue()", labelValue, {
    "": [],
    a: [],
    "A.b_c-1": [],
    [long(63)]: [],
    [long(64)]: ["must be no more than 63 bytes"],
    "b c": [value],
    "-": [value],
    "a.": [value],
  }],
  ["configMapKey()", configMapKey, {
    a: [],
    "-._": [],
    ".a": [],
    "a..": [],
    [long(253)]: [],
    [long(254)]: ["must be no more than 253 characters"],
    "": [configKey],
    "a/b": [configKey],
    "ä": [configKey],
    ".": ["must not be '.'"],
    "..": ["must not be '..'"],
    "..a": ["must not start with '..'"],
    "../": [configKey, "must not start with '..'"],
  }],
];
for (const [name, rule, texts] of cases) {
  test(`${name} returns upstream's messages`, () => {
    for (const [text, wrong] of Object.entries(texts)) assert.deepEqual(rule(text), wrong, JSON.stringify(text));
  });
}

test("conditionReason() requires a letter first and no colon last", () => {
  for (const right of ["A", "a1", "A_", "A,b:c"]) assert.deepEqual(conditionReason(right), []);
  for (const wrong of ["", "1", "_a", "A:", "a b", "A,"]) assert.equal(conditionReason(wrong).length, 1, wrong);
});

test("portNumber() accepts 1 to 65535", () => {
  assert.deepEqual([0, 1, 65535, 65536].map((port) => portNumber(port).length), [1, 0, 0, 1]);
});

test("a name rule accepts a prefix that ends with a dash, and counts its full length", () => {
  const rules: readonly NameRule[] = [subdomainName, labelName, label1035Name];
  for (const rule of rules) {
    assert.deepEqual(rule("web-", true), []);
    assert.equal(rule("web-", false).length, 1);
    assert.equal(rule("-", true).length, 1);
    assert.equal(rule("Web-", true).length, 1);
  }
  // As upstream, the dash and the character before it become one character.
  assert.deepEqual(labelName(`${long(63)}-`, true), []);
  assert.deepEqual(labelName(`${long(64)}-`, true), ["must be no more than 63 characters"]);
  assert.equal(subdomainName("ends-with-a-dot.", true).length, 1);
});

test("pathSegmentName() accepts any path segment", () => {
  assert.deepEqual(pathSegmentName("A:b c", false), []);
  assert.deepEqual(pathSegmentName("..", false), ["may not be '..'"]);
  assert.deepEqual(pathSegmentName(".", false), ["may not be '.'"]);
  assert.deepEqual(pathSegmentName(".", true), []);
  assert.deepEqual(pathSegmentName("a/b%c", false), ["may not contain '/'", "may not contain '%'"]);
});

test("the rules scan megabytes of text in one pass", () => {
  const dashes = "a" + "-".repeat(3_000_000), labels = "a.".repeat(1_500_000);
  for (const rule of [dns1123Label, dns1123Subdomain, dns1035Label, qualifiedName, labelValue, configMapKey, conditionReason]) {
    assert.ok(rule(dashes).length > 0);
    assert.ok(rule(labels).length > 0);
  }
});
