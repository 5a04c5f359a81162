import assert from "node:assert/strict";
import { test } from "node:test";
import { getCiphers } from "node:tls";
import { tlsBounds, tlsMistakes, tlsWarnings } from "./tls-settings.ts";

const of = (version: string, ...suites: readonly string[]) => ({
  "tls-min-version": version,
  "tls-cipher-suites": suites,
  "tls-sni-cert-key": [],
});

test("tlsBounds() has OpenSSL's names of suites, always with those of TLS 1.3, and the version", () => {
  assert.deepEqual(tlsBounds(of("")), { minVersion: "TLSv1.2", ciphers: undefined });
  assert.deepEqual(tlsBounds(of("VersionTLS12")).minVersion, "TLSv1.2");
  assert.deepEqual(tlsBounds(of("VersionTLS13", "TLS_AES_128_GCM_SHA256", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")), {
    minVersion: "TLSv1.3",
    ciphers: "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:ECDHE-RSA-AES128-GCM-SHA256",
  });
  const [, , , known] = tlsBounds(of("", "TLS_RSA_WITH_AES_256_CBC_SHA")).ciphers!.split(":");
  // Deno's list is shorter than OpenSSL's.
  if (!("Deno" in globalThis)) assert.ok(getCiphers().includes(known!.toLowerCase()));
});

test("tlsMistakes() rejects other versions and suites, and tlsWarnings() says what Deno cannot do", () => {
  assert.deepEqual(tlsMistakes(of("VersionTLS13", "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305")), []);
  assert.deepEqual(tlsMistakes(of("VersionTLS10", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA265")), [
    'flag "--tls-min-version": "VersionTLS10" must be VersionTLS12 or VersionTLS13: older ones are not offered',
    'flag "--tls-cipher-suites": there is no cipher suite "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA265": did you mean "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"?',
  ]);
  assert.deepEqual(tlsWarnings(of("VersionTLS13"), "deno"), []);
  assert.deepEqual(tlsWarnings(of("", "TLS_AES_128_GCM_SHA256"), "node"), []);
  assert.match(tlsWarnings(of("", "TLS_AES_128_GCM_SHA256"), "deno")[0]!, /^--tls-cipher-suites has no effect on Deno/);
});
