import { bytesOf, type Target, unlessRefused } from "../fuzz.ts";
import type { Grammar } from "../grammar.ts";

function tlv(tag: number, content: string): string {
  const size = content.length;
  const head = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return String.fromCharCode(tag, ...head) + content;
}
const oid = (hex: string) => tlv(6, String.fromCharCode(...hex.split(" ").map((byte) => parseInt(byte, 16))));

/** Certificates of X.509 with the required structure, and values of any tag in it. */
const grammar: Grammar = {
  certificate: [(w) => tlv(0x30, w.write("signed") + w.write("algorithm") + w.write("bits")), "<value>"],
  signed: [
    (w) =>
      tlv(
        0x30,
        tlv(0xa0, tlv(2, "\x02")) + w.write("integer") + w.write("algorithm") + w.write("name") + w.write("validity") + w.write("name") +
          w.write("key") + w.write("extensions"),
      ),
  ],
  algorithm: [() => tlv(0x30, oid("2a 86 48 ce 3d 04 03 02")), (w) => tlv(0x30, oid("2a 86 48 86 f7 0d 01 01 05") + w.write("value"))],
  bits: [() => tlv(3, "\x00\x01\x02"), () => tlv(3, "")],
  integer: [() => tlv(2, "\x01"), () => tlv(2, "\x00\x01"), () => tlv(2, "\xff"), () => tlv(2, "")],
  name: [(w) => tlv(0x30, w.many("relative-name"))],
  "relative-name": [(w) => tlv(0x31, w.write("attribute") + w.many("attribute"))],
  attribute: [(w) => tlv(0x30, w.write("attribute-type") + w.write("string"))],
  "attribute-type": [() => oid("55 04 03"), () => oid("55 04 0a"), () => oid("80 55 04 03"), () => tlv(6, "")],
  string: [() => tlv(0x0c, "name"), () => tlv(0x13, "Name"), () => tlv(0x16, "a@b"), () => tlv(0x1e, "\x00a"), () => tlv(0x14, "\xe9")],
  validity: [(w) => tlv(0x30, w.write("moment") + w.write("moment"))],
  moment: [() => tlv(0x17, "240102030405Z"), () => tlv(0x18, "20500102030405Z"), () => tlv(0x17, "2401020304Z")],
  key: [(w) => tlv(0x30, w.write("algorithm") + w.write("bits"))],
  extensions: ["", (w) => tlv(0xa3, tlv(0x30, w.many("extension")))],
  extension: [
    (w) => tlv(0x30, w.write("extension-type") + w.write("critical") + tlv(4, w.write("value"))),
    (w) => tlv(0x30, oid("55 1d 11") + tlv(4, tlv(0x30, w.many("alternative")))),
    (w) => tlv(0x30, oid("55 1d 13") + w.write("critical") + tlv(4, tlv(0x30, tlv(1, "\xff") + w.write("integer")))),
    (w) => tlv(0x30, oid("55 1d 25") + tlv(4, tlv(0x30, oid("2b 06 01 05 05 07 03 02") + w.write("value")))),
  ],
  "extension-type": [() => oid("55 1d 0f"), () => oid("55 1d 0e"), () => oid("2a 03"), () => oid("55 1d 11"), () => oid("55 1d 13")],
  critical: ["", () => tlv(1, "\xff"), () => tlv(1, "\x01")],
  alternative: [
    () => tlv(0x82, "example.com"),
    () => tlv(0x87, "\x7f\x00\x00\x01"),
    () => tlv(0x87, "\x00".repeat(16)),
    () => tlv(0x86, "u"),
  ],
  value: [
    () => tlv(5, ""),
    "<integer>",
    "<string>",
    (w) => tlv(0x30, w.many("value")),
    (w) => tlv(0x80 + w.below(127), w.write("value")),
    "\x30\x80\x00\x00",
    "\x30\x84\xff\xff\xff\xff",
    "\x1f\x81\x01\x00",
    "\x30\x81\x01\x00",
    () => tlv(0x30, "a".repeat(300)),
  ],
};

export const der: Target = {
  name: "der",
  grammar,
  start: "certificate",
  binary: true,
  stepsPerCharacter: 60,
  async open(code) {
    const { certificateFacts, certificatePem, pemCertificates } = await code.load("protocols/x509/certificate.ts");
    return (input) => {
      const bytes = bytesOf(input);
      unlessRefused(() => certificateFacts(bytes));
      if (bytes.length > 0) unlessRefused(() => pemCertificates(certificatePem(bytes) + input));
    };
  },
};

/** Requests for certificates of PKCS #10, with the values of certificates. */
const { certificate: _certificate, signed: _signed, validity: _validity, moment: _moment, extensions: _extensions, ...values } = grammar;
const requestGrammar: Grammar = {
  ...values,
  request: [(w) => tlv(0x30, w.write("asked") + w.write("request-algorithm") + w.write("bits")), "<value>"],
  asked: [(w) => tlv(0x30, w.write("integer") + w.write("name") + w.write("request-key") + w.write("attributes"))],
  "request-algorithm": ["<algorithm>", () => tlv(0x30, oid("2b 65 70")), () => tlv(0x30, oid("2a 86 48 86 f7 0d 01 01 04") + tlv(5, ""))],
  "request-key": ["<key>", () => tlv(0x30, tlv(0x30, oid("2b 65 70")) + tlv(3, "\x00" + "k".repeat(32)))],
  attributes: ["", () => tlv(0xa0, ""), (w) => tlv(0xa0, w.many("requested") + w.many("value"))],
  requested: [(w) => tlv(0x30, oid("2a 86 48 86 f7 0d 01 09 0e") + tlv(0x31, tlv(0x30, w.many("extension"))))],
};

export const certificateRequests: Target = {
  name: "certificate-requests",
  grammar: requestGrammar,
  start: "request",
  binary: true,
  stepsPerCharacter: 60,
  async open(code) {
    const { parseCertificateRequest, signatureProblem } = await code.load("protocols/x509/certificate-request.ts");
    return (input) => unlessRefused(() => signatureProblem(parseCertificateRequest(bytesOf(input))));
  },
};

/** Texts with PEM blocks, whole and broken. */
const pemGrammar: Grammar = {
  text: [(w) => w.many("part"), "<block>"],
  part: ["<block>", "<line>", "-----BEGIN A-----\n", "\n-----END A-----\n", "-----BEGIN ", "-----", "\n"],
  block: [(w) => `-----BEGIN A-----${w.write("end")}${w.many("header")}${w.many("line")}-----END A-----${w.write("end")}`],
  end: ["\n", "\r\n", " \t\n", "", "x\n"],
  header: ["Key: value\n", ":\n"],
  line: ["YWJj\n", "YW Jj\r\n", "YQ==\n", "Y\n", "*\n", "\n"],
};

export const pem: Target = {
  name: "pem",
  grammar: pemGrammar,
  start: "text",
  binary: true,
  stepsPerCharacter: 60,
  async open(code) {
    const { pemBlocks } = await code.load("protocols/x509/pem.ts");
    return (input) => void pemBlocks(input);
  },
};
