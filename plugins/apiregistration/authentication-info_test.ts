import assert from "node:assert/strict";
import { test } from "node:test";
import { mergedData } from "./authentication-info.ts";

const pem = (text: string) => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
const settings: Readonly<Record<string, readonly string[]>> = {
  "requestheader-username-headers": ["X-Remote-User"],
  "requestheader-allowed-names": ["front"],
};
const listOf = (name: string) => settings[name] ?? [];

test("what this server trusts is published; without front proxies nothing is said of headers", () => {
  assert.deepEqual(mergedData({}, { clientCa: `a comment\n${pem("a")}`, frontProxyCa: "" }, listOf), { "client-ca-file": pem("a") });
  assert.deepEqual(mergedData({}, { clientCa: "", frontProxyCa: pem("b") }, listOf), {
    "requestheader-client-ca-file": pem("b"),
    "requestheader-username-headers": '["X-Remote-User"]',
    "requestheader-group-headers": "[]",
    "requestheader-extra-headers-prefix": "[]",
    "requestheader-allowed-names": '["front"]',
  });
});

test("what other servers have published stays, each value once; lists that are none are replaced", () => {
  const found = {
    "client-ca-file": pem("x") + pem("a"),
    "requestheader-client-ca-file": pem("b"),
    "requestheader-username-headers": '["X-Who","X-Remote-User"]',
    "requestheader-group-headers": "nothing",
    "requestheader-allowed-names": "[1]",
    "other": "stays",
  };
  assert.deepEqual(mergedData(found, { clientCa: pem("a"), frontProxyCa: pem("c").replaceAll("\n", "\r\n") }, listOf), {
    "client-ca-file": pem("x") + pem("a"),
    "requestheader-client-ca-file": pem("b") + pem("c"),
    "requestheader-username-headers": '["X-Who","X-Remote-User"]',
    "requestheader-group-headers": "[]",
    "requestheader-extra-headers-prefix": "[]",
    "requestheader-allowed-names": '["front"]',
    "other": "stays",
  });
});
