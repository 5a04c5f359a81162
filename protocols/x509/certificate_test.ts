import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { test } from "node:test";
import { certificateFacts, certificatePem, issueCertificate, pemCertificates } from "./certificate.ts";
import { der, derOid, derTag, derTime } from "./der.ts";
import { DerReader } from "./der-reader.ts";
import { issue } from "../../server/listen/testing/clients.ts";

const facts = (one: { cert: string }) => certificateFacts(pemCertificates(one.cert)[0] ?? new Uint8Array());

test("certificateFacts() reads the fields that issueCertificate() got", () => {
  const made = issueCertificate({
    usage: "server",
    commonName: "näme\nO=x",
    organizations: ["a", "b, c", "__proto__"],
    uids: ["u", ""],
    names: ["localhost", "10.0.0.1", "::1", "fe80::1:2", "::ffff:1.2.3.4"],
    notBefore: Date.UTC(2049, 11, 31, 23, 59, 59),
    notAfter: Date.UTC(2050, 0, 1),
  });
  assert.deepEqual(facts(made), {
    commonName: "näme\nO=x",
    organizations: ["a", "b, c", "__proto__"],
    uids: ["u", ""],
    names: ["localhost", "10.0.0.1", "::1", "fe80::1:2", "::ffff:102:304"],
    mayIssue: false,
    extendedKeyUsages: ["1.3.6.1.5.5.7.3.1"],
    notBefore: Date.UTC(2049, 11, 31, 23, 59, 59),
    notAfter: Date.UTC(2050, 0, 1),
  });
});

test("the runtime's parser reads a certificate of issueCertificate() in the same way", () => {
  const ca = issue({ usage: "ca", commonName: "above" });
  const made = issue({ usage: "client", commonName: "below", organizations: ["ops"] }, ca);
  const [above, below] = [new X509Certificate(ca.cert), new X509Certificate(made.cert)];
  assert.equal(below.issuer, "CN=above");
  assert.equal(below.subject, "O=ops\nCN=below");
  assert.equal(above.ca, true);
  assert.equal(below.ca, false);
  assert.ok(below.checkIssued(above) && below.verify(above.publicKey));
  assert.equal(Date.parse(below.validTo), facts(made).notAfter);
});

test("certificateFacts() rejects malformed and truncated certificates, at every length", () => {
  const [whole = new Uint8Array()] = pemCertificates(issue({ usage: "client" }).cert);
  for (let length = 0; length < whole.length; length++) assert.throws(() => certificateFacts(whole.subarray(0, length)), `${length} bytes`);
  assert.throws(() => certificateFacts(new Uint8Array([...whole, 0])));
});

test("pemCertificates() reads a bundle in order and rejects a text without certificates", () => {
  const [one, two] = [issue({ usage: "ca" }), issue({ usage: "ca" })];
  const bundle = pemCertificates(`# first\n${one.cert}\n\n${two.cert.replaceAll("\n", "\r\n")}`);
  assert.deepEqual(bundle.map(certificatePem), [one.cert, two.cert]);
  assert.throws(() => pemCertificates("-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----"), /no PEM certificate/);
});

test("der() writes and DerReader reads lengths at their bounds", () => {
  for (const length of [0, 1, 127, 128, 255, 256, 65_535, 65_536]) {
    const written = der(derTag.octetString, new Uint8Array(length).fill(5));
    assert.equal(new DerReader(written).value(derTag.octetString).content.length, length);
  }
});

test("DerReader.oid() reads what derOid() writes", () => {
  for (const oid of ["1.2.840.10045.4.3.2", "2.5.29.15", "0.9", "1.39", "2.999.127.128.16384", "2.5.2147483647"]) {
    assert.equal(new DerReader(derOid(oid)).oid(), oid);
  }
});

test("DerReader.time() reads what derTime() writes, in both centuries", () => {
  for (const ms of [Date.UTC(1999, 0, 1), Date.UTC(2049, 11, 31, 23, 59, 59), Date.UTC(2050, 0, 1), Date.UTC(9999, 11, 31)]) {
    assert.equal(new DerReader(derTime(ms)).time(), ms);
  }
});
