import { type Case, type Change, type KindRules, rule } from "../rule.ts";

const base64 = (text: string) => btoa(text);
const mebibyte = 1024 * 1024;
const frozen = { immutable: true, data: { a: base64("1") } };
const touched = { metadata: { labels: { touched: "yes" } } };
const owner = "kubernetes.io/service-account.name";

/** Violates a requirement of a type, which is immutable. */
function ofType(type: string, at: string, reason: Case["reason"], broken: Change, held: Change): Case {
  return { at, reason, broken: { type, ...broken }, held: { type, ...held } };
}
const docker = (type: string, key: string, broken: Change, reason: Case["reason"]) =>
  ofType(`kubernetes.io/${type}`, `data[${key}]`, reason, { data: broken }, { data: { [key]: base64('{"auths":{}}') } });
const pair = { "tls.crt": "", "tls.key": "" };

export const secret: KindRules = {
  kind: "v1/Secret",
  path: "/api/v1/namespaces/default/secrets",
  valid: {},
  rules: [
    rule(
      ["data[k]", "create+update", "Invalid", "key configMapKey"],
      { at: "data[a/b]", reason: "Invalid", broken: { data: { "a/b": "" } }, held: { data: { "-._a": "" } } },
      { at: "data[..]", reason: "Invalid", broken: { stringData: { "..": "" } }, held: { stringData: { ".a": "" } } },
    ),
    rule(
      ["data", "create+update", "TooLong", "total value bytes <= 1048576"],
      {
        at: "data",
        reason: "TooLong",
        broken: { stringData: { a: "x".repeat(mebibyte) }, data: { b: "AA==" } },
        held: { stringData: { a: "x".repeat(mebibyte - 1) }, data: { b: "AA==" } },
      },
    ),
    rule(
      ["type", "update", "Invalid", "immutable"],
      { at: "type", reason: "Invalid", prior: { type: "example.com/a" }, broken: { type: "example.com/b" }, held: touched },
    ),
    rule(
      ["immutable", "update", "Forbidden", "old true: must stay true"],
      { at: "immutable", reason: "Forbidden", prior: frozen, broken: { immutable: false }, held: touched },
      { at: "immutable", reason: "Forbidden", prior: frozen, broken: { immutable: null }, held: touched },
    ),
    rule(
      ["data", "update", "Forbidden", "old immutable true: unchanged"],
      { at: "data", reason: "Forbidden", prior: frozen, broken: { stringData: { a: "2" } }, held: { ...touched, stringData: { a: "1" } } },
      { at: "data", reason: "Forbidden", prior: frozen, broken: { data: { a: null } }, held: touched },
    ),
    rule(
      [
        `metadata.annotations[${owner}]`,
        "create+update",
        "Required",
        "type kubernetes.io/service-account-token: non-empty",
      ],
      ...[undefined, ""].map((name) =>
        ofType(
          "kubernetes.io/service-account-token",
          `metadata.annotations[${owner}]`,
          "Required",
          { metadata: { annotations: { [owner]: name ?? null } } },
          { metadata: { annotations: { [owner]: "default" } } },
        )
      ),
    ),
    rule(
      ["data[.dockercfg]", "create+update", "Required", "type kubernetes.io/dockercfg: present"],
      docker("dockercfg", ".dockercfg", {}, "Required"),
    ),
    rule(
      ["data[.dockercfg]", "create+update", "Invalid (value redacted as <secret contents redacted>)", "JSON object"],
      docker("dockercfg", ".dockercfg", { ".dockercfg": base64("[]") }, "Invalid"),
    ),
    rule(
      ["data[.dockerconfigjson]", "create+update", "Required", "type kubernetes.io/dockerconfigjson: present"],
      docker("dockerconfigjson", ".dockerconfigjson", {}, "Required"),
    ),
    rule(
      ["data[.dockerconfigjson]", "create+update", "Invalid (redacted)", "JSON object"],
      docker("dockerconfigjson", ".dockerconfigjson", { ".dockerconfigjson": base64("{") }, "Invalid"),
    ),
    rule(
      [
        "data[username], data[password]",
        "create+update",
        "Required",
        "type kubernetes.io/basic-auth: at least one (both errors when neither)",
      ],
      ...["username", "password"].map((key) =>
        ofType("kubernetes.io/basic-auth", `data[${key}]`, "Required", { data: { other: "" } }, { data: { [key]: "" } })
      ),
    ),
    rule(
      ["data[ssh-privatekey]", "create+update", "Required", "type kubernetes.io/ssh-auth: non-empty"],
      ...["", null].map((key) =>
        ofType("kubernetes.io/ssh-auth", "data[ssh-privatekey]", "Required", { data: { "ssh-privatekey": key } }, {
          data: { "ssh-privatekey": base64("key") },
        })
      ),
    ),
    ...["tls.crt", "tls.key"].map((key) =>
      rule(
        [`data[${key}]`, "create+update", "Required", "type kubernetes.io/tls: present (may be empty)"],
        ofType("kubernetes.io/tls", `data[${key}]`, "Required", { data: { ...pair, [key]: null } }, { data: pair }),
      )
    ),
  ],
};
