import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import { test } from "node:test";
import { type CertificateRequest, parseCertificateRequest, signatureProblem } from "./certificate-request.ts";
import { der, derOid, derTag } from "./der.ts";

const seq = (...parts: Uint8Array[]) => der(derTag.sequence, ...parts);
const text = (value: string) => new TextEncoder().encode(value);
const integer = (value: number) => der(derTag.integer, Uint8Array.of(value));
const attribute = (oid: string, value: Uint8Array) => der(derTag.set, seq(derOid(oid), value));
const null_ = der(derTag.null);

const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
const ed = generateKeyPairSync("ed25519");
const rsa = generateKeyPairSync("rsa", { modulusLength: 1024 });
const spkiOf = (pair: typeof ec) => new Uint8Array(pair.publicKey.export({ type: "spki", format: "der" }));

const subject = seq(
  attribute("2.5.4.10", der(derTag.utf8String, text("system:nodes"))),
  attribute("2.5.4.3", der(derTag.printableString, text("worker"))),
);
interface Wish {
  readonly pair?: typeof ec;
  readonly by?: typeof ec;
  readonly algorithm?: Uint8Array;
  readonly hash?: string | null;
  readonly name?: Uint8Array;
  readonly attributes?: Uint8Array;
}
function requestOf(
  { pair = ec, by = pair, algorithm = seq(derOid("1.2.840.10045.4.3.2")), hash = "sha256", name = subject, attributes = der(0xa0) }: Wish =
    {},
) {
  const signed = seq(integer(0), name, spkiOf(pair), attributes);
  const signature = sign(hash, signed, by.privateKey);
  return seq(signed, algorithm, der(derTag.bitString, Uint8Array.of(0), new Uint8Array(signature)));
}
const problemOf = (wish: Wish) => signatureProblem(parseCertificateRequest(requestOf(wish)));
const extensions = (...list: Uint8Array[]) => der(0xa0, seq(derOid("1.2.840.113549.1.9.14"), der(derTag.set, seq(...list))));
const extension = (oid: string, value: Uint8Array) => seq(derOid(oid), der(derTag.octetString, value));

test("a request is read: its subject, its key and its signature", () => {
  const request: CertificateRequest = parseCertificateRequest(requestOf());
  assert.deepEqual(request.subjectAttributes, [["2.5.4.10", "system:nodes"], ["2.5.4.3", "worker"]]);
  assert.equal(request.publicKey?.kind, "ecdsa");
  assert.equal(signatureProblem(request), undefined);
});

test("signatures of each kind are verified, SHA-1 among them, and the words for wrong ones are Go's", () => {
  const rsaSha1 = seq(derOid("1.2.840.113549.1.1.5"), null_), edOnly = seq(derOid("1.3.101.112"));
  assert.equal(problemOf({ pair: ed as typeof ec, algorithm: edOnly, hash: null }), undefined);
  assert.equal(problemOf({ pair: rsa as unknown as typeof ec, algorithm: rsaSha1, hash: "sha1" }), undefined);
  const other = generateKeyPairSync("ec", { namedCurve: "P-256" });
  assert.equal(problemOf({ by: other }), "x509: ECDSA verification failure");
  assert.equal(
    problemOf({ algorithm: seq(derOid("1.2.840.113549.1.1.4"), null_) }),
    "x509: cannot verify signature: insecure algorithm MD5-RSA",
  );
  assert.equal(problemOf({ algorithm: seq(derOid("1.2.3")) }), "x509: cannot verify signature: algorithm unimplemented");
  assert.equal(
    problemOf({ algorithm: rsaSha1 }),
    "x509: signature algorithm specifies an RSA public key, but have public key of type *ecdsa.PublicKey",
  );
});

test("requested extensions appear once, and alternative names are well-formed", () => {
  const names = seq(der(0x82, text("a.example.com")));
  assert.doesNotThrow(() => parseCertificateRequest(requestOf({ attributes: extensions(extension("2.5.29.17", names)) })));
  const twice = extensions(extension("2.5.29.15", names), extension("2.5.29.15", names));
  assert.throws(() => parseCertificateRequest(requestOf({ attributes: twice })), /duplicate requested extensions/);
  const wrong = extensions(extension("2.5.29.17", seq(der(0x87, text("abc")))));
  assert.throws(() => parseCertificateRequest(requestOf({ attributes: wrong })));
  // An attribute that is not understood is ignored.
  assert.doesNotThrow(() => parseCertificateRequest(requestOf({ attributes: der(0xa0, null_) })));
});

test("values of a subject that are not strings are ignored, and malformed requests are errors", () => {
  const odd = requestOf({ name: seq(attribute("2.5.4.10", integer(1))) });
  assert.deepEqual(parseCertificateRequest(odd).subjectAttributes, []);
  const good = requestOf();
  for (const bytes of [new Uint8Array(), good.subarray(0, 40), Uint8Array.of(...good, 0), Uint8Array.of(0x30, 0x80, 0, 0), seq()]) {
    assert.throws(() => parseCertificateRequest(bytes));
  }
});
