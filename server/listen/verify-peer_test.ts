import assert from "node:assert/strict";
import { test } from "node:test";
import { type KeyedCertificate, pemCertificates } from "../../protocols/x509/certificate.ts";
import { issue } from "./testing/clients.ts";
import { peerVerifier } from "./verify-peer.ts";

const chainOf = (...all: KeyedCertificate[]) => all.map((one) => pemCertificates(one.cert)[0] ?? new Uint8Array());
const trusts = (bundle: string, now: number, ...chain: KeyedCertificate[]) => peerVerifier(bundle)(chainOf(...chain), now).trusted;

test("peerVerifier() trusts a certificate between its dates, both included", () => {
  const ca = issue({ usage: "ca", notBefore: Date.UTC(2020), notAfter: Date.UTC(2040) });
  const [from, to] = [Date.UTC(2025), Date.UTC(2026)];
  const leaf = issue({ usage: "client", notBefore: from, notAfter: to }, ca);
  assert.deepEqual([from - 1, from, to, to + 1].map((now) => trusts(ca.cert, now, leaf)), [false, true, true, false]);
});

test("peerVerifier() trusts no certificate of an expired authority, and returns the expiry of its verdicts", () => {
  const ca = issue({ usage: "ca", notBefore: Date.UTC(2020), notAfter: Date.UTC(2025) });
  const leaf = issue({ usage: "client", notBefore: Date.UTC(2020), notAfter: Date.UTC(2030) }, ca);
  const verdict = peerVerifier(ca.cert)(chainOf(leaf), Date.UTC(2025));
  assert.equal(verdict.trusted && verdict.until, Date.UTC(2025));
  assert.equal(trusts(ca.cert, Date.UTC(2025) + 1, leaf), false);
});

test("peerVerifier() accepts any authority of the bundle, by key and not by name alone", () => {
  const [one, two, fake] = ["one", "two", "one"].map((commonName) => issue({ usage: "ca", commonName }));
  assert.ok(one !== undefined && two !== undefined && fake !== undefined);
  const bundle = one.cert + two.cert;
  assert.equal(trusts(bundle, Date.now(), issue({ usage: "client" }, two)), true);
  assert.equal(trusts(bundle, Date.now(), issue({ usage: "client" }, fake)), false);
  assert.equal(trusts(bundle, Date.now(), issue({ usage: "client" }, fake), fake), false);
});

test("peerVerifier() accepts certificates for clients, for any usage or without usage, and none for servers only", () => {
  const ca = issue({ usage: "ca" });
  const usages = ["client", "unspecified", "server"] as const;
  assert.deepEqual(usages.map((usage) => trusts(ca.cert, Date.now(), issue({ usage }, ca))), [true, true, false]);
});

test("peerVerifier() follows sent intermediates in any order, as far as path lengths allow", () => {
  const root = issue({ usage: "ca", commonName: "root" });
  const upper = issue({ usage: "ca", commonName: "upper" }, root);
  const lower = issue({ usage: "ca", commonName: "lower" }, upper);
  const leaf = issue({ usage: "client" }, lower);
  assert.equal(trusts(root.cert, Date.now(), leaf, lower, upper), true);
  assert.equal(trusts(root.cert, Date.now(), leaf, upper, lower), true);
  assert.equal(trusts(root.cert, Date.now(), leaf, lower), false);
  assert.equal(trusts(root.cert, Date.now(), leaf), false);
  const short = issue({ usage: "ca", commonName: "short", pathLength: 0 });
  const middle = issue({ usage: "ca", commonName: "middle" }, short);
  assert.equal(trusts(short.cert, Date.now(), issue({ usage: "client" }, short)), true);
  assert.equal(trusts(short.cert, Date.now(), issue({ usage: "client" }, middle), middle), false);
});

test("peerVerifier() accepts no issuer that is not an authority", () => {
  const ca = issue({ usage: "ca" });
  const client = issue({ usage: "client", commonName: "ann" }, ca);
  const forged = issue({ usage: "client", commonName: "admin", organizations: ["system:masters"] }, client);
  assert.equal(trusts(ca.cert, Date.now(), forged, client), false);
});

test("peerVerifier() terminates for authorities that sign each other in a cycle", () => {
  const ca = issue({ usage: "ca", commonName: "real" });
  const first = issue({ usage: "ca", commonName: "loop" });
  const ring = Array.from({ length: 40 }, () => issue({ usage: "ca", commonName: "loop" }, first));
  assert.equal(trusts(ca.cert, Date.now(), issue({ usage: "client" }, first), first, ...ring), false);
});

test("peerVerifier() returns a verdict for malformed certificates, and throws for a malformed bundle", () => {
  const verify = peerVerifier(issue({ usage: "ca" }).cert);
  assert.equal(verify([Uint8Array.of(0x30, 0x03, 1, 2, 3)], Date.now()).trusted, false);
  assert.equal(verify([new Uint8Array()], Date.now()).trusted, false);
  assert.equal(verify([], Date.now()).trusted, false);
  assert.throws(() => peerVerifier("nonsense"), /no PEM certificate/);
});
