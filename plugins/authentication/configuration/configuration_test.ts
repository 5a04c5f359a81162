import assert from "node:assert/strict";
import { test } from "node:test";
import { issuerOfFlags } from "./oidc-flags.ts";
import { readAuthenticationConfiguration } from "./read.ts";
import { jwtIssuersMax, validateReload } from "./validate.ts";

const context = {
  disallowedIssuers: ["https://kubernetes.default.svc"],
  checkCertificates(pem: string) {
    if (!pem.includes("BEGIN CERTIFICATE")) throw new Error("data does not contain any valid RSA or ECDSA certificates");
  },
};
const good = {
  issuer: { url: "https://a.example.com", audiences: ["x"] },
  claimMappings: { username: { claim: "sub", prefix: "" } },
};

/** The mistakes of a configuration; "" if it is valid. */
function wrong(more: object, version = "v1"): string {
  const configuration = { apiVersion: `apiserver.config.k8s.io/${version}`, kind: "AuthenticationConfiguration", ...more };
  try {
    readAuthenticationConfiguration(JSON.stringify(configuration), "k8s.io", context);
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
const issuer = (more: object) => wrong({ jwt: [{ ...good, issuer: { ...good.issuer, ...more } }] });
const mapped = (more: object) => wrong({ jwt: [{ ...good, claimMappings: { ...good.claimMappings, ...more } }] });
const ruled = (...claimValidationRules: readonly object[]) => wrong({ jwt: [{ ...good, claimValidationRules }] });

test("readAuthenticationConfiguration() reads every version, with YAML and without issuers", () => {
  for (const version of ["v1", "v1beta1", "v1alpha1"]) assert.equal(wrong({ jwt: [good] }, version), "");
  assert.equal(wrong({}), "");
  assert.equal(wrong({ jwt: [], anonymous: { enabled: true, conditions: [{ path: "/livez" }] } }), "");
  const yaml = "apiVersion: apiserver.config.example.com/v1\nkind: AuthenticationConfiguration\njwt: []\nanonymous:\n  enabled: false\n";
  const { anonymous } = readAuthenticationConfiguration(yaml, "example.com", context);
  assert.equal(anonymous?.enabled, false);
});

test("readAuthenticationConfiguration() rejects other kinds, versions, types, unknown and duplicate fields", () => {
  const refused = (text: string) => {
    try {
      readAuthenticationConfiguration(text, "k8s.io", context);
    } catch (error) {
      return error instanceof Error ? error.message : "";
    }
    return "";
  };
  assert.equal(refused(""), "empty config data");
  assert.match(refused("[]"), /expected an object/);
  assert.match(refused("a: 1"), /Object 'Kind' is missing/);
  assert.match(wrong({}, "v2"), /no kind "AuthenticationConfiguration" is registered for version "apiserver.config.k8s.io\/v2"/);
  assert.match(wrong({ kind: "Config" }), /no kind "Config" is registered/);
  assert.equal(wrong({ jwt: [{ ...good, a: 1 }], b: 2 }), 'strict decoding error: unknown field "jwt[0].a", unknown field "b"');
  assert.match(wrong({ jwt: [{ ...good, issuer: "x" }] }), /json: cannot unmarshal string into Go struct field/);
  assert.match(wrong({ jwt: { a: good } }), /json: cannot unmarshal object/);
  assert.match(
    refused("apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt: []\njwt: []\n"),
    /key "jwt" already set/,
  );
});

test("an issuer is an https URL without user, query or fragment, and unique", () => {
  const at = 'jwt[0].issuer.url: Invalid value: "';
  assert.equal(issuer({ url: "" }), "jwt[0].issuer.url: Required value");
  assert.equal(issuer({ url: "http://a" }), `${at}http://a": URL scheme must be https`);
  assert.equal(issuer({ url: "a" }), `${at}a": URL scheme must be https`);
  assert.equal(issuer({ url: "https://u:p@a" }), `${at}https://u:p@a": URL must not contain a username or password`);
  assert.equal(issuer({ url: "https://a?b" }), `${at}https://a?b": URL must not contain a query`);
  assert.equal(issuer({ url: "https://a#b" }), `${at}https://a#b": URL must not contain a fragment`);
  assert.match(
    issuer({ url: "https://kubernetes.default.svc" }),
    /URL must not overlap with disallowed issuers: \[https:\/\/kubernetes.default.svc\]/,
  );
  assert.equal(wrong({ jwt: [good, good] }), 'jwt[1].issuer.url: Duplicate value: "https://a.example.com"');
  const discoveryURL = "https://b.example.com/x";
  const other = (url: string) => ({ ...good, issuer: { ...good.issuer, url, discoveryURL } });
  assert.equal(wrong({ jwt: [other("https://a"), other("https://c")] }), `jwt[1].issuer.discoveryURL: Duplicate value: "${discoveryURL}"`);
  assert.match(issuer({ discoveryURL: "https://a.example.com/" }), /discoveryURL must be different from URL/);
  assert.match(issuer({ discoveryURL: "http://b" }), /jwt\[0\].issuer.discoveryURL: Invalid value: "http:\/\/b": URL scheme must be https/);
  assert.match(
    issuer({ certificateAuthority: "x" }),
    /jwt\[0\].issuer.certificateAuthority: Invalid value: "<omitted>": data does not contain/,
  );
  assert.match(
    issuer({ egressSelectorType: "cluster" }),
    /jwt\[0\].issuer.egressSelectorType: Invalid value: "cluster": egress selectors are not supported/,
  );
  const many = Array.from({ length: jwtIssuersMax + 1 }, (_, i) => ({ ...good, issuer: { ...good.issuer, url: `https://i${i}` } }));
  assert.equal(wrong({ jwt: many.slice(1) }), "");
  assert.equal(wrong({ jwt: many }), "jwt: Too many: 65: must have at most 64 items");
});

test("audiences are distinct, and several need the match policy", () => {
  assert.equal(issuer({ audiences: [] }), "jwt[0].issuer.audiences: Required value: at least one jwt[0].issuer.audiences is required");
  assert.equal(issuer({ audiences: [""] }), "jwt[0].issuer.audiences[0]: Required value");
  assert.equal(
    issuer({ audiences: ["a", "a"], audienceMatchPolicy: "MatchAny" }),
    'jwt[0].issuer.audiences[1]: Duplicate value: "a"',
  );
  assert.match(
    issuer({ audiences: ["a", "b"] }),
    /audienceMatchPolicy: Invalid value: "": audienceMatchPolicy must be MatchAny for multiple audiences/,
  );
  assert.match(issuer({ audienceMatchPolicy: "All" }), /audienceMatchPolicy must be empty or MatchAny for single audience/);
  assert.equal(issuer({ audiences: ["a", "b"], audienceMatchPolicy: "MatchAny" }), "");
});

test("a mapping has a claim with a prefix, or an expression", () => {
  const at = "jwt[0].claimMappings";
  assert.equal(mapped({ username: {} }), `${at}.username: Required value: claim or expression is required`);
  const prefix = "prefix is required when claim is set. It can be set to an empty string to disable prefixing";
  assert.equal(
    mapped({ username: { claim: "a" }, groups: { claim: "b" } }),
    `[${at}.username.prefix: Required value: ${prefix}, ${at}.groups.prefix: Required value: ${prefix}]`,
  );
  assert.equal(
    mapped({ username: { claim: "a", expression: "b" } }),
    `${at}.username: Invalid value: "": claim and expression can't both be set`,
  );
  assert.equal(mapped({ uid: { claim: "a", expression: "b" } }), `${at}.uid: Invalid value: "": claim and expression can't both be set`);
  assert.match(mapped({ username: { expression: "claims.sub", prefix: "" } }), /username.prefix: Invalid value: "": may not be specified/);
});

test("expressions of claims are compiled, with upstream's messages", () => {
  const at = "jwt[0].claimMappings";
  assert.equal(mapped({ username: { expression: "'a:' + claims.sub" }, uid: { expression: "claims.?uid.orValue('')" } }), "");
  assert.equal(mapped({ groups: { expression: "claims.roles.split(',')" } }), "");
  assert.equal(
    mapped({ username: { expression: "claims.sub +" } }),
    `${at}.username.expression: Invalid value: "claims.sub +": compilation failed: ERROR: <input>:1:13: Syntax error: mismatched input '<EOF>' ` +
      "expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n" +
      " | claims.sub +\n | ............^",
  );
  assert.match(mapped({ uid: { expression: "user.uid" } }), /uid.expression: .*undeclared reference to 'user'/s);
  assert.match(
    mapped({ groups: { expression: "'a'.matches(')')" } }),
    /groups.expression: .*invalid matches argument/s,
  );
});

test("an expression that uses the email must come with one that uses its verification", () => {
  const wanted = /^jwt\[0\].claimMappings.username.expression: Invalid value: "claims.?.?email": claims.email_verified must be used in /;
  const username = { expression: "claims.email" };
  assert.match(mapped({ username }), wanted);
  assert.match(mapped({ username: { expression: "claims.?email" } }), wanted);
  assert.equal(mapped({ username, extra: [{ key: "a.b/c", valueExpression: "string(claims.email_verified)" }] }), "");
  assert.equal(mapped({ username: { expression: "claims.?email_verified.orValue(true) ? claims.email : claims.sub" } }), "");
  const rule = { expression: "claims.?email_verified.orValue(true) == true" };
  assert.equal(wrong({ jwt: [{ ...good, claimMappings: { username }, claimValidationRules: [rule] }] }), "");
});

test("extra values have a key with a domain of its own, and an expression", () => {
  const at = "jwt[0].claimMappings.extra[0]";
  const keyed = (key: string) => mapped({ extra: [{ key, valueExpression: "claims.x" }] });
  assert.equal(keyed("a.b/c"), "");
  assert.equal(keyed(""), `${at}.key: Required value`);
  assert.equal(keyed("a"), `${at}.key: Invalid value: "a": must be a domain-prefixed path (such as "acme.io/foo")`);
  assert.equal(keyed("a/"), `${at}.key: Invalid value: "a/": must be a domain-prefixed path (such as "acme.io/foo")`);
  assert.equal(keyed("a.b/C"), `${at}.key: Invalid value: "a.b/C": must be lowercase`);
  assert.match(keyed("a_b/c"), /key: Invalid value: "a_b": a lowercase RFC 1123 subdomain must consist of/);
  assert.match(keyed("a.b/c d"), /key: Invalid value: "c d": Invalid path \(regex used for validation is '\[A-Za-z0-9\//);
  for (const domain of ["k8s.io", "a.k8s.io", "kubernetes.io", "a.kubernetes.io"]) {
    assert.match(keyed(`${domain}/a`), /key: .*: k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use/);
  }
  const twice = { key: "a.b/c", valueExpression: "claims.x" };
  assert.equal(mapped({ extra: [twice, twice] }), 'jwt[0].claimMappings.extra[1].key: Duplicate value: "a.b/c"');
  assert.equal(mapped({ extra: [{ key: "a.b/c" }] }), `${at}.valueExpression: Required value`);
});

test("rules are expressions that are true or false, about claims or about the user", () => {
  const user = (...userValidationRules: readonly object[]) => wrong({ jwt: [{ ...good, userValidationRules }] });
  const at = "jwt[0].userValidationRules[0].expression";
  assert.equal(user({ expression: "!user.username.startsWith('system:')", message: "reserved" }), "");
  assert.equal(user({ expression: "'a' in user.groups && user.extra.all(key, user.extra[key].size() < 9) && user.uid != ''" }), "");
  assert.equal(user({ message: "a" }), `${at}: Required value`);
  assert.equal(user({ expression: "user.username" }), `${at}: Invalid value: "user.username": must evaluate to bool`);
  assert.match(user({ expression: "user.name == ''" }), /undefined field 'name'/);
  assert.match(user({ expression: "true" }, { expression: "true" }), /userValidationRules\[1\].expression: Duplicate value: "true"/);
  assert.equal(ruled({ expression: "claims.hd == 'a'", message: "b" }), "");
  assert.match(
    ruled({ expression: "claims.hd" }),
    /claimValidationRules\[0\].expression: Invalid value: "claims.hd": must evaluate to bool$/,
  );
  assert.match(ruled({ expression: "true" }, { expression: "true" }), /claimValidationRules\[1\].expression: Duplicate value: "true"/);
});

test("a rule has a claim with a value", () => {
  const at = "jwt[0].claimValidationRules";
  assert.equal(ruled({ claim: "hd", requiredValue: "a" }, { claim: "x" }), "");
  assert.equal(ruled({}), `${at}[0]: Required value: claim or expression is required`);
  assert.equal(ruled({ claim: "a", expression: "b" }), `${at}[0]: Invalid value: "a": claim and expression can't both be set`);
  assert.equal(ruled({ claim: "a" }, { claim: "a" }), `${at}[1].claim: Duplicate value: "a"`);
  assert.equal(ruled({ claim: "a", message: "b" }), `${at}[0].message: Invalid value: "b": may not be specified when claim is set`);
  assert.match(
    ruled({ expression: "a", requiredValue: "b" }),
    /requiredValue: Invalid value: "b": may not be specified when expression is set, .*undeclared reference to 'a'/s,
  );
});

test("anonymous requests have conditions only while they are enabled, and do not change at a reload", () => {
  assert.match(
    wrong({ anonymous: { enabled: false, conditions: [{ path: "/a" }] } }),
    /anonymous.conditions: Invalid value: .*enabled should be set to true/,
  );
  const anonymous = { enabled: true, conditions: [{ path: "/a" }] };
  assert.deepEqual(validateReload({ anonymous }, { anonymous }), []);
  for (const next of [{}, { anonymous: { enabled: true } }, { anonymous: { ...anonymous, enabled: false } }]) {
    assert.equal(validateReload(next, { anonymous })[0]?.detail, "changed from initial configuration file");
  }
});

test("issuerOfFlags() prefixes user names with the issuer, except email addresses", () => {
  const flags = {
    "oidc-issuer-url": "https://a",
    "oidc-client-id": "x",
    "oidc-username-claim": "sub",
    "oidc-username-prefix": "",
    "oidc-groups-claim": "",
    "oidc-groups-prefix": "g:",
    "oidc-required-claim": new Map([["hd", "b"]]),
  };
  const { claimMappings, claimValidationRules, issuer: { audiences } } = issuerOfFlags(flags, "");
  assert.deepEqual(claimMappings, { username: { claim: "sub", prefix: "https://a#" }, groups: {}, uid: {} });
  assert.deepEqual([claimValidationRules, audiences], [[{ claim: "hd", requiredValue: "b" }], ["x"]]);
  const prefixOf = (more: object) => issuerOfFlags({ ...flags, ...more }, "").claimMappings.username.prefix;
  assert.deepEqual([prefixOf({ "oidc-username-claim": "email" }), prefixOf({ "oidc-username-prefix": "-" })], ["", ""]);
  assert.equal(prefixOf({ "oidc-username-prefix": "p:" }), "p:");
});
