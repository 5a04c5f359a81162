// In Deno's suite only: the parsers of certificates are tested on both runtimes, and rules of kinds use nothing else of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { issueCertificate } from "../../protocols/x509/certificate.ts";
import { clusterTrustBundles, trustBundleBytesMax, validateTrustBundle } from "./cluster-trust-bundle.ts";
import { hookContext, now, texts } from "./test-context.ts";

const times = { notBefore: 0, notAfter: 4_000_000_000_000 };
const root = issueCertificate({ usage: "ca", commonName: "root", ...times }).cert;
const other = issueCertificate({ usage: "ca", commonName: "other", ...times }).cert;
const leaf = issueCertificate({ usage: "client", commonName: "a", ...times }).cert;
const make = (name: string, signerName: string, trustBundle = root): any => ({
  metadata: { name, uid: "u", creationTimestamp: now, resourceVersion: "1" },
  spec: { ...(signerName === "" ? {} : { signerName }), trustBundle },
});
const wrong = (text: string) => `spec.trustBundle: Invalid value: "<value omitted>": ${text}`;

test("each entry of a bundle is the certificate of an authority, once", () => {
  const cases: readonly (readonly [string, ...string[]])[] = [
    [root],
    [`text\n${root}between\n${other}`],
    ["", wrong("at least one trust anchor must be provided")],
    [leaf, wrong("entry 0 does not have the CA bit set")],
    [root + root.replaceAll("CERTIFICATE", "PUBLIC KEY"), wrong("entry 1 has bad block type: PUBLIC KEY")],
    [root.replace("-----\n", "-----\nA: b\n"), wrong("entry 0 has PEM block headers")],
    ["-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", wrong("entry 0 does not parse as X.509")],
    [root + other + root, wrong("duplicate trust anchor (indices [0 2])")],
  ];
  for (const [text, ...errors] of cases) assert.deepEqual(texts(validateTrustBundle(text)), errors);
});

test("the text of a bundle has a maximum size", () => {
  const padding = " ".repeat(trustBundleBytesMax - root.length);
  assert.deepEqual(validateTrustBundle(root + padding), []);
  assert.deepEqual(texts(validateTrustBundle(`${root}${padding} `)), [
    `spec.trustBundle: Too long: may not be more than ${trustBundleBytesMax} bytes`,
  ]);
});

test("the name of a bundle begins with its signer, which is kept", () => {
  const created = (name: string, signer: string) => texts(clusterTrustBundles.create!(make(name, signer), hookContext()));
  assert.deepEqual(created("example.com:a:one", "example.com/a"), []);
  assert.deepEqual(created("one", ""), []);
  assert.deepEqual(created("a:one", ""), [
    'metadata.name: Invalid value: "a:one": ClusterTrustBundle without signer name must not have ":" in its name',
  ]);
  assert.deepEqual(created("one", "example.com/a"), [
    'metadata.name: Invalid value: "one": ClusterTrustBundle for signerName example.com/a must be named with prefix example.com:a:',
  ]);
  // A stored text is not parsed again.
  const prior = make("one", "", "old");
  assert.deepEqual(clusterTrustBundles.update!(make("one", "", "old"), prior, hookContext()), []);
  const moved = clusterTrustBundles.update!(make("example.com:a:one", "example.com/a", "old"), prior, hookContext());
  assert.deepEqual(moved.map(({ path }) => path), ["metadata.name", "spec.signerName"]);
});
