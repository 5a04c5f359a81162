/** Certificates that differ in their encoding: lengths, numbers, strings, times and fields. */
import {
  algorithms,
  attribute,
  bits,
  dates,
  extension,
  generalName,
  hex,
  integer,
  nothing,
  nullValue,
  octets,
  oid,
  seq,
  text,
  utf8,
  version,
  yes,
} from "./build.ts";
import { type Case, chain, extended, leaf, one } from "./describe.ts";
import { der, derTag, derTime } from "../../protocols/x509/der.ts";

const subject = (what: string, tag: number, value: string | Uint8Array): Case =>
  one(what, { subject: seq(attribute("2.5.4.3", der(tag, typeof value === "string" ? text(value) : value))) });
const time = (what: string, tag: number, value: string): Case =>
  one(`time: ${what}`, { validity: seq(derTime(Date.UTC(2020, 0, 1)), der(tag, text(value))) });
const changed = (bytes: Uint8Array, change: (bytes: Uint8Array) => void): Uint8Array => {
  const copy = bytes.slice();
  change(copy);
  return copy;
};
/** A sequence whose length is written in four bytes. */
const wide = (bytes: Uint8Array): Uint8Array => {
  const content = bytes.subarray(bytes[1]! < 0x80 ? 2 : 2 + (bytes[1]! & 0x7f));
  return Uint8Array.from([bytes[0]!, 0x84, 0, 0, content.length >> 8, content.length & 0xff, ...content]);
};
const sound = leaf();

export const encodingCases: readonly Case[] = [
  chain("sound", sound),
  chain("length: whole certificate not minimal", wide(sound)),
  one("length: to-be-signed part not minimal", { changeTbs: wide }),
  one("length: subject not minimal", { subject: wide(seq(attribute("2.5.4.3", utf8("alice")))) }),
  one("length: public key not minimal", { info: wide(hex("302a300506032b6570032100" + "11".repeat(32))) }),
  one("length: extension value not minimal", { extensions: [seq(oid("1.2.3.4"), hex("0481020500"))] }),
  one("length: inside an extension not minimal", { extensions: [extension("2.5.29.19", hex("308100"))] }),
  chain("length: indefinite", Uint8Array.from([0x30, 0x80, ...sound.subarray(4), 0, 0])),
  one("length: subject indefinite", { subject: hex("3080 3107 3105 0603550403 0000") }),
  chain("cut short by a byte", sound.subarray(0, -1)),
  chain("trailing data after the certificate", Uint8Array.from([...sound, 0])),
  one("trailing data after the signature", { tail: nullValue }),
  one("trailing data after the extensions", { tbsTail: nullValue }),
  extended("trailing data in an extension value", extension("2.5.29.37", Uint8Array.from([...seq(oid("1.3.6.1.5.5.7.3.2")), 5, 0]))),
  chain("empty", nothing),
  chain("no certificate but an integer", integer(1)),
  chain("empty sequence", seq()),

  one("version: 1 left out", { version: nothing, extensions: [] }),
  one("version: 1 written", { version: version(0), extensions: [] }),
  one("version: 1 with extensions", { version: nothing }),
  one("version: 2 with unique ids", { version: version(1), extensions: [], uniqueIds: hex("81020001820200ff") }),
  one("version: 3 with unique ids", { uniqueIds: hex("81020001820200ff") }),
  one("version: 3 with unique ids in the wrong order", { uniqueIds: hex("820200ff81020001") }),
  one("version: 4", { version: version(3) }),
  one("version: negative", { version: version(0xff) }),
  one("version: two integers", { version: der(0xa0, integer(2), integer(2)) }),
  one("version: not minimal", { version: der(0xa0, integer(0, 2)) }),

  one("serial: zero", { serial: integer(0) }),
  one("serial: negative", { serial: integer(0xff) }),
  one("serial: negative, long", { serial: integer(0x80, 1, 2, 3) }),
  one("serial: 20 bytes", { serial: integer(...new Array<number>(20).fill(0x7f)) }),
  one("serial: 21 bytes", { serial: integer(...new Array<number>(21).fill(0x7f)) }),
  one("serial: 100 bytes", { serial: integer(...new Array<number>(100).fill(0x7f)) }),
  one("serial: not minimal", { serial: integer(0, 1) }),
  one("serial: not minimal, negative", { serial: integer(0xff, 0x80) }),
  one("serial: empty", { serial: integer() }),
  one("serial: high bit with a leading zero", { serial: integer(0, 0x80) }),

  one("algorithm: inner differs", { inner: algorithms.sha256WithRsa.identifier }),
  one("algorithm: outer differs", { outer: algorithms.sha256WithRsa.identifier }),
  one("algorithm: inner with parameters, outer without", { inner: seq(oid("1.3.101.112"), nullValue) }),
  one("algorithm: Ed25519 with NULL parameters", { algorithm: { identifier: seq(oid("1.3.101.112"), nullValue), hash: undefined } }),
  one("algorithm: unknown", { algorithm: { identifier: seq(oid("1.2.3.4")), hash: undefined } }),
  one("algorithm: two parameters", { algorithm: { identifier: seq(oid("1.3.101.112"), nothing, nullValue, nullValue), hash: undefined } }),
  one("signature: wrong", { changeSignature: (bytes) => changed(bytes, (copy) => copy[5]! ^= 1) }),
  one("signature: empty", { changeSignature: () => nothing }),
  one("signature: one byte more", { changeSignature: (bytes) => Uint8Array.from([...bytes, 0]) }),
  one("signature: an octet string", { signature: (bytes) => octets(bytes) }),
  one("signature: unused bits that are set", { signature: () => hex("0302 01 ff") }),
  one("signature: a field without bytes", { signature: () => hex("0300") }),
  one("signature: shifted by unused zero bits", {
    signature: (bytes) => {
      const shifted = BigInt(`0x01${Buffer.from(bytes).toString("hex")}`) << 1n;
      return bits(hex(shifted.toString(16).padStart(2 * bytes.length + 2, "0").slice(-2 * bytes.length - 2)), 1);
    },
  }),

  one("oid: padded arc", { subject: seq(der(derTag.set, seq(hex("0604 55048003"), utf8("alice")))) }),
  one("oid: empty", { subject: seq(der(derTag.set, seq(hex("0600"), utf8("alice")))) }),
  one("oid: cut short", { subject: seq(der(derTag.set, seq(hex("0603 550483"), utf8("alice")))) }),
  one("oid: arc of 31 bits", { subject: seq(attribute("2.5.4.2147483647", utf8("x")), attribute("2.5.4.3", utf8("alice"))) }),
  one("oid: arc of 32 bits", { subject: seq(attribute("2.5.4.2147483648", utf8("x")), attribute("2.5.4.3", utf8("alice"))) }),
  extended("oid: padded arc in an extension", seq(hex("0604 2a038004"), octets(nullValue))),
  extended("oid: padded arc in extended key usage", extension("2.5.29.37", seq(hex("0603 2a8003")))),

  ...[["00", "00"], ["01", "01"], ["7f", "7f"], ["fe", "fe"], ["ff", "ff"]].map(([what, byte]) =>
    extended(`boolean: critical of ${what}`, seq(oid("2.5.29.17"), hex(`0101${byte}`), octets(seq(generalName(2, "a.example")))))
  ),
  extended("boolean: two bytes", seq(oid("1.2.3.4"), hex("0102ffff"), octets(nullValue))),
  extended("boolean: empty", seq(oid("1.2.3.4"), hex("0100"), octets(nullValue))),
  one("boolean: CA of 01", { extensions: [extension("2.5.29.19", hex("3003010101"), yes)] }),
  one("boolean: CA of 00 written", { extensions: [extension("2.5.29.19", hex("3003010100"), yes)] }),

  subject("string: PrintableString", 0x13, "Alice (ops), Inc. +/:=?'-"),
  subject("string: PrintableString with *", 0x13, "*"),
  subject("string: PrintableString with &", 0x13, "a&b"),
  subject("string: PrintableString with @", 0x13, "alice@example"),
  subject("string: PrintableString with _", 0x13, "a_b"),
  subject("string: PrintableString with a byte of 0", 0x13, "ali\0ce"),
  subject("string: NumericString", 0x12, "1 2 3"),
  subject("string: NumericString with a letter", 0x12, "12a"),
  subject("string: IA5String", 0x16, "alice@example_"),
  subject("string: IA5String with a byte of 0", 0x16, "ali\0ce"),
  subject("string: IA5String above ASCII", 0x16, hex("616c80")),
  subject("string: UTF8String", 0x0c, "älice ☃ 😀"),
  subject("string: UTF8String with a byte order mark", 0x0c, "\ufeffalice"),
  subject("string: UTF8String with an overlong character", 0x0c, hex("61c080")),
  subject("string: UTF8String with a surrogate", 0x0c, hex("61eda080")),
  subject("string: UTF8String cut short", 0x0c, hex("61e298")),
  subject("string: UTF8String beyond Unicode", 0x0c, hex("f4908080")),
  subject("string: UTF8String with line ends", 0x0c, "a\nCN=admin"),
  subject("string: UTF8String with a byte of 0", 0x0c, "admin\0x"),
  subject("string: UTF8String, empty", 0x0c, ""),
  subject("string: T61String", 0x14, hex("616ce9")),
  subject("string: BMPString", 0x1e, hex("0061006c26030069")),
  subject("string: BMPString with a terminator", 0x1e, hex("0061006c0000")),
  subject("string: BMPString of odd length", 0x1e, hex("006100")),
  subject("string: BMPString with a surrogate", 0x1e, hex("0061d83dde00")),
  subject("string: BMPString with FFFE", 0x1e, hex("0061fffe")),
  subject("string: BMPString with FDD0", 0x1e, hex("0061fdd0")),
  subject("string: UniversalString", 0x1c, hex("00000061")),
  subject("string: VisibleString", 0x1a, "alice"),
  subject("string: GeneralString", 0x1b, "alice"),
  subject("string: UTF8String, constructed", 0x2c, utf8("alice")),
  subject("string: tag of several bytes", 0x1f, "alice"),
  subject("string: an integer", 0x02, hex("01")),
  one("name: empty subject", { subject: seq() }),
  one("name: empty set", { subject: seq(der(derTag.set), attribute("2.5.4.3", utf8("alice"))) }),
  one("name: two common names", { subject: seq(attribute("2.5.4.3", utf8("alice")), attribute("2.5.4.3", utf8("bob"))) }),
  one("name: two attributes in one set", {
    subject: seq(der(derTag.set, seq(oid("2.5.4.3"), utf8("alice")), seq(oid("2.5.4.10"), utf8("team")))),
  }),
  one("name: attribute without a value", { subject: seq(der(derTag.set, seq(oid("2.5.4.3")))) }),
  one("name: attribute with more than a value", { subject: seq(der(derTag.set, seq(oid("2.5.4.3"), utf8("alice"), utf8("bob")))) }),
  one("name: sequence instead of a set", { subject: seq(seq(seq(oid("2.5.4.3"), utf8("alice")))) }),
  one("name: organizations in their order", {
    subject: seq(attribute("2.5.4.10", utf8("z")), attribute("2.5.4.3", utf8("alice")), attribute("2.5.4.10", utf8("a"))),
  }),
  one("name: uid", { subject: seq(attribute("2.5.4.3", utf8("alice")), attribute("1.3.6.1.4.1.57683.2", utf8("u-1"))) }),
  one("name: bad string in an attribute that is not used", {
    subject: seq(attribute("2.5.4.5", der(0x13, text("a_b"))), attribute("2.5.4.3", utf8("alice"))),
  }),

  time("UTCTime", 0x17, "300101000000Z"),
  time("UTCTime without seconds", 0x17, "3001010000Z"),
  time("UTCTime with an offset", 0x17, "300101000000+0100"),
  time("UTCTime with an offset, without seconds", 0x17, "3001010000-0730"),
  time("UTCTime with an offset of zero", 0x17, "300101000000+0000"),
  time("UTCTime with an offset of -0000", 0x17, "300101000000-0000"),
  time("UTCTime with an offset of 24 hours", 0x17, "300101000000+2400"),
  time("UTCTime with an offset of 25 hours", 0x17, "300101000000+2500"),
  time("UTCTime with an offset of 60 minutes", 0x17, "300101000000+0060"),
  time("UTCTime without a zone", 0x17, "300101000000"),
  time("UTCTime of 2049", 0x17, "491231235959Z"),
  time("UTCTime of 1950", 0x17, "500101000000Z"),
  time("UTCTime on 30 February", 0x17, "300230000000Z"),
  time("UTCTime on 29 February of no leap year", 0x17, "300229000000Z"),
  time("UTCTime on 29 February", 0x17, "320229000000Z"),
  time("UTCTime in month 13", 0x17, "301301000000Z"),
  time("UTCTime in month 0", 0x17, "300001000000Z"),
  time("UTCTime on day 0", 0x17, "300100000000Z"),
  time("UTCTime at hour 24", 0x17, "300101240000Z"),
  time("UTCTime at second 60", 0x17, "300101000060Z"),
  time("UTCTime with fractions", 0x17, "300101000000.5Z"),
  time("UTCTime with a blank", 0x17, "3001010000 0Z"),
  time("UTCTime of four digits", 0x17, "20300101000000Z"),
  time("GeneralizedTime", 0x18, "20500101000000Z"),
  time("GeneralizedTime before 2050", 0x18, "20300101000000Z"),
  time("GeneralizedTime without seconds", 0x18, "203001010000Z"),
  time("GeneralizedTime with an offset", 0x18, "20300101000000+0100"),
  time("GeneralizedTime with fractions", 0x18, "20300101000000.0Z"),
  time("GeneralizedTime with a comma", 0x18, "20300101000000,5Z"),
  time("GeneralizedTime of year 9999", 0x18, "99991231235959Z"),
  time("GeneralizedTime of year 0", 0x18, "00000101000000Z"),
  time("GeneralizedTime in lower case", 0x18, "20300101000000z"),
  time("a string", 0x13, "300101000000Z"),
  one("time: notAfter missing", { validity: seq(derTime(Date.UTC(2020, 0, 1))) }),
  one("time: more than two", {
    validity: seq(derTime(Date.UTC(2020, 0, 1)), derTime(Date.UTC(2030, 0, 1)), derTime(Date.UTC(2040, 0, 1))),
  }),
  one("time: expired", { validity: dates(Date.UTC(2020, 0, 1), Date.UTC(2025, 11, 31, 23, 59, 59)) }),
  one("time: not yet valid", { validity: dates(Date.UTC(2026, 0, 1, 0, 0, 1), Date.UTC(2030, 0, 1)) }),
  one("time: valid until now", { validity: dates(Date.UTC(2020, 0, 1), Date.UTC(2026, 0, 1)) }),
  one("time: valid from now", { validity: dates(Date.UTC(2026, 0, 1), Date.UTC(2030, 0, 1)) }),
];
