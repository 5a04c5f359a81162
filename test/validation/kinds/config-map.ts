import { type KindRules, rule } from "../rule.ts";

const mebibyte = 1024 * 1024;
const frozen = { immutable: true, data: { a: "1" }, binaryData: { b: "AA==" } };
const touched = { metadata: { labels: { touched: "yes" } } };

export const configMap: KindRules = {
  kind: "v1/ConfigMap",
  path: "/api/v1/namespaces/default/configmaps",
  valid: {},
  rules: [
    rule(
      ["data[k]", "create+update", "Invalid", "key configMapKey"],
      { at: "data[a/b]", reason: "Invalid", broken: { data: { "a/b": "" } }, held: { data: { "-._a": "" } } },
      { at: "data[..a]", reason: "Invalid", broken: { data: { "..a": "" } }, held: { data: { ".a": "" } } },
      {
        at: `data[${"k".repeat(254)}]`,
        reason: "Invalid",
        broken: { data: { ["k".repeat(254)]: "" } },
        held: { data: { ["k".repeat(253)]: "" } },
      },
    ),
    rule(
      ["binaryData[k]", "create+update", "Invalid", "key configMapKey"],
      { at: "binaryData[a b]", reason: "Invalid", broken: { binaryData: { "a b": "AA==" } }, held: { binaryData: { "a.b": "AA==" } } },
    ),
    rule(
      ["data[k]", "create+update", "Invalid", "key also in binaryData"],
      {
        at: "data[a]",
        reason: "Invalid",
        broken: { data: { a: "" }, binaryData: { a: "AA==" } },
        held: { data: { a: "" }, binaryData: { b: "AA==" } },
      },
    ),
    rule(
      ['"" (root)', "create+update", "TooLong", "total value bytes of data+binaryData <= 1048576 (keys not counted)"],
      {
        at: "[]",
        reason: "TooLong",
        broken: { data: { a: "x".repeat(mebibyte) }, binaryData: { b: "AA==" } },
        held: { data: { a: "x".repeat(mebibyte - 1) }, binaryData: { b: "AA==" } },
      },
    ),
    rule(
      ["immutable", "update", "Forbidden", "old true: must stay true"],
      { at: "immutable", reason: "Forbidden", prior: frozen, broken: { immutable: false }, held: touched },
      { at: "immutable", reason: "Forbidden", prior: frozen, broken: { immutable: null }, held: touched },
    ),
    rule(
      ["data", "update", "Forbidden", "old immutable true: unchanged"],
      { at: "data", reason: "Forbidden", prior: frozen, broken: { data: { a: "2" } }, held: touched },
      { at: "data", reason: "Forbidden", prior: frozen, broken: { data: { c: "" } }, held: touched },
    ),
    rule(
      ["binaryData", "update", "Forbidden", "old immutable true: unchanged"],
      { at: "binaryData", reason: "Forbidden", prior: frozen, broken: { binaryData: { b: "AQ==" } }, held: touched },
    ),
  ],
};
