import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { keyPairProblem } from "./key-pair.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const problem = (certificate: string, key: string) => keyPairProblem(base64(certificate), base64(key));
const pem = (type: string, bytes: Uint8Array) =>
  `-----BEGIN ${type}-----\n${Buffer.from(bytes).toString("base64").replaceAll(/.{64}/g, "$&\n")}\n-----END ${type}-----\n`;

interface Pair {
  readonly certificate: string;
  readonly pkcs8: string;
  /** PKCS #1 or SEC 1. */
  readonly traditional: string;
}
function der(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat(parts);
  const length = content.length < 0x80 ? [content.length] : [0x82, content.length >> 8, content.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}
/** A key pair and a certificate with its public key. Issuer and subject are empty, because they are not read. */
function pairOf(algorithm: "rsa" | "ec"): Pair {
  const { publicKey, privateKey } = algorithm === "rsa"
    ? generateKeyPairSync("rsa", { modulusLength: 1024 })
    : generateKeyPairSync("ec", { namedCurve: "P-256" });
  const nothing = der(0x30), number = der(0x02, new Uint8Array([2]));
  const body = der(0x30, der(0xa0, number), number, nothing, nothing, nothing, nothing, publicKey.export({ format: "der", type: "spki" }));
  return {
    certificate: pem("CERTIFICATE", der(0x30, body, nothing, der(0x03, new Uint8Array([0])))),
    pkcs8: String(privateKey.export({ format: "pem", type: "pkcs8" })),
    traditional: String(privateKey.export({ format: "pem", type: algorithm === "rsa" ? "pkcs1" : "sec1" })),
  };
}
/** A pair made by OpenSSL. */
const recorded = {
  certificate: `-----BEGIN CERTIFICATE-----
MIIBjjCCATOgAwIBAgIUBQ8eUbuwN/9r6WTjRBLSEYLfBa8wCgYIKoZIzj0EAwIw
GzEZMBcGA1UEAwwQc2hvcC5leGFtcGxlLmNvbTAgFw0yNjExMjAxNzIwMDBaGA8y
MTI2MTAyNzE3MjAwMFowGzEZMBcGA1UEAwwQc2hvcC5leGFtcGxlLmNvbTBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABJHGpysLJQb8Yifrbi2lvfuqOyfdNHS51Uo5
nL1wR6HxzbbL2+K7mFSPMLYXYTVnYPRDDyNR0GvrxRMRNUDGGaKjUzBRMB0GA1Ud
DgQWBBTV4nBUHpDAnnxXh0v1r7VwWuAeeDAfBgNVHSMEGDAWgBTV4nBUHpDAnnxX
h0v1r7VwWuAeeDAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQDQ
xDVk8ObLhQ40hoeBjDFiuqurjvwT3QUc+AbY0SIq+AIhAKxMy3rNtsX1kZgLeADL
eKN5Yp2i5PVTeEavWAWpnFrK
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgBRfaCbd0oI5hDI2H
TEL9p3onoXcNUjNyJH9QMcQA7OOhRANCAASRxqcrCyUG/GIn624tpb37qjsn3TR0
udVKOZy9cEeh8c22y9viu5hUjzC2F2E1Z2D0Qw8jUdBr68UTETVAxhmi
-----END PRIVATE KEY-----
`,
};

test("keyPairProblem() accepts pairs of both algorithms, in PKCS #8 and in the traditional formats", () => {
  assert.equal(problem(recorded.certificate, recorded.key), undefined);
  for (const algorithm of ["rsa", "ec"] as const) {
    const { certificate, pkcs8, traditional } = pairOf(algorithm);
    assert.equal(problem(certificate, pkcs8), undefined);
    assert.equal(problem(certificate, traditional), undefined);
    const parameters = pem("EC PARAMETERS", new Uint8Array(3));
    assert.equal(problem(`text before\n${certificate}${certificate}`, parameters + traditional), undefined);
  }
});

test("keyPairProblem() reports keys of another certificate and of another algorithm", () => {
  const one = pairOf("rsa"), two = pairOf("rsa"), curve = pairOf("ec");
  const mismatch = "tls: private key does not match public key", otherType = "tls: private key type does not match public key type";
  for (const key of [two.pkcs8, two.traditional]) assert.equal(problem(one.certificate, key), mismatch);
  for (const key of [curve.pkcs8, curve.traditional]) assert.equal(problem(recorded.certificate, key), mismatch);
  assert.equal(problem(one.certificate, curve.pkcs8), otherType);
  const { privateKey } = generateKeyPairSync("ed25519");
  assert.equal(problem(curve.certificate, String(privateKey.export({ format: "pem", type: "pkcs8" }))), otherType);
});

test("keyPairProblem() reports PEM blocks of other types", () => {
  const { certificate, pkcs8 } = pairOf("ec");
  assert.equal(problem("", pkcs8), "tls: failed to find any PEM data in certificate input");
  assert.equal(problem(certificate, "no key"), "tls: failed to find any PEM data in key input");
  assert.equal(
    problem(pkcs8, certificate),
    "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched",
  );
  assert.equal(problem(certificate, certificate), "tls: found a certificate rather than a key in the PEM for the private key");
  assert.equal(
    problem(pem("A", new Uint8Array(3)) + pem("B", new Uint8Array(3)), pkcs8),
    'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [A B]',
  );
  assert.equal(
    problem(certificate, pem("A", new Uint8Array(3))),
    'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [A]',
  );
});

test("keyPairProblem() rejects malformed certificates and keys", () => {
  const { certificate, pkcs8 } = pairOf("ec");
  assert.equal(problem(pem("CERTIFICATE", new Uint8Array([0x30, 0x84, 255, 255, 255, 255])), pkcs8), "x509: malformed certificate");
  assert.equal(problem(pem("CERTIFICATE", new Uint8Array([0x30, 0x00])), pkcs8), "x509: malformed certificate");
  assert.equal(problem(certificate, pem("PRIVATE KEY", new Uint8Array([0x30, 0x03, 2, 1, 0]))), "tls: failed to parse private key");
});

test("keyPairProblem() reads a mebibyte of broken PEM in one pass", () => {
  const begins = "-----BEGIN A-----\n".repeat(58_000);
  assert.equal(problem(begins, ""), "tls: failed to find any PEM data in certificate input");
  assert.equal(problem(`${begins}\n-----END B-----\n`, ""), "tls: failed to find any PEM data in certificate input");
});
