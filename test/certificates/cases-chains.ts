/** Chains of several certificates: authorities, path lengths, name constraints and the search itself. */
import {
  alternativeNames,
  basicConstraints,
  constraints,
  dates,
  extension,
  generalName,
  hex,
  keyUsage,
  name,
  nothing,
  octets,
  oid,
  seq,
  text,
  usage,
  version,
} from "./build.ts";
import { extendedKeyUsage } from "./build.ts";
import { authority, below, type Case, chain, key, leaf, lower, lowerName, middle, middleName, root, rootName } from "./describe.ts";
import { der } from "../../protocols/x509/der.ts";

const underLower = leaf({ issuer: lowerName, signer: key("lower") });
const expired = dates(Date.UTC(2020, 0, 1), Date.UTC(2025, 0, 1));
const keyId = (id: string) => extension("2.5.29.14", octets(text(id)));
const issuerId = (id: string) => extension("2.5.29.35", seq(generalName(0, id)));
const rooted = (what: string, more: Parameters<typeof authority>[0], ...rest: Uint8Array[]): Case => ({
  name: what,
  roots: [authority(more)],
  chain: rest,
});
const named = (...names: Uint8Array[]) => below({ extensions: [alternativeNames(...names)] });
const constrained = (what: string, names: Uint8Array[], permitted: Uint8Array[], excluded: Uint8Array[] = []): Case =>
  chain(`constraints: ${what}`, named(...names), middle({ extensions: [basicConstraints(true), constraints(permitted, excluded)] }));
const rawConstraints = (what: string, value: Uint8Array): Case =>
  chain(`constraints: ${what}`, below(), middle({ extensions: [basicConstraints(true), extension("2.5.29.30", value, hex("0101ff"))] }));
const dns = (value: string) => generalName(2, value);
const mail = (value: string) => generalName(1, value);
const uri = (value: string) => generalName(6, value);
const address = (digits: string) => generalName(7, hex(digits));

export const chainCases: readonly Case[] = [
  chain("chain: one intermediate", below(), middle()),
  chain("chain: intermediate missing", below()),
  chain("chain: two intermediates", underLower, lower(), middle()),
  chain("chain: two intermediates in another order", underLower, middle(), lower()),
  chain("chain: with the root", below(), middle(), root),
  chain("chain: an unrelated certificate more", leaf(), lower()),
  chain("chain: a broken certificate more", leaf(), seq()),
  chain("chain: the same certificate twice", below(), middle(), middle()),
  chain("chain: root as the client", root),
  { name: "chain: leaf is trusted itself", roots: [leaf()], chain: [leaf()] },
  {
    name: "chain: leaf is trusted itself, for servers",
    roots: [leaf({ extensions: [extendedKeyUsage(usage.server)] })],
    chain: [leaf({ extensions: [extendedKeyUsage(usage.server)] })],
  },
  { name: "chain: intermediate is trusted, root is not", roots: [middle()], chain: [below()] },
  { name: "chain: two roots", roots: [middle({ subject: rootName, key: key("other"), signer: key("other") }), root], chain: [leaf()] },
  {
    name: "chain: root of the same name with another key",
    roots: [authority({ key: key("other"), signer: key("other") })],
    chain: [leaf()],
  },
  chain("chain: leaf signed by a leaf", leaf({ issuer: name("alice", "team"), signer: key("leaf"), subject: name("admin") }), leaf()),
  chain("chain: self-signed", leaf({ issuer: name("alice", "team"), signer: key("leaf") })),
  chain(
    "chain: issuer in another string type",
    below(),
    middle({ subject: seq(der(0x31, seq(oid("2.5.4.3"), der(0x13, text("test middle"))))) }),
  ),
  chain("chain: issuer in other letters", below(), middle({ subject: name("Test Middle") })),

  rooted("authority: root expired", { validity: expired }, leaf()),
  rooted("authority: root without basic constraints", { extensions: [] }, leaf()),
  rooted("authority: root of version 1", { version: nothing, extensions: [] }, leaf()),
  rooted("authority: root that is no CA", { extensions: [basicConstraints(false)] }, leaf()),
  rooted("authority: root that may not sign", { extensions: [basicConstraints(true), keyUsage(7, 0x80)] }, leaf()),
  rooted("authority: root with an empty key usage", { extensions: [basicConstraints(true), keyUsage(0)] }, leaf()),
  rooted("authority: root with only the ninth bit of key usage", { extensions: [basicConstraints(true), keyUsage(7, 0, 0x80)] }, leaf()),
  rooted("authority: root with a wrong signature", { signer: key("other") }, leaf()),
  rooted("authority: root with path length 0 above a leaf", { extensions: [basicConstraints(true, 0)] }, leaf()),
  rooted("authority: root with path length 0 above an intermediate", { extensions: [basicConstraints(true, 0)] }, below(), middle()),
  rooted("authority: root with path length 1 above an intermediate", { extensions: [basicConstraints(true, 1)] }, below(), middle()),
  rooted("authority: root with path length 1 above two", { extensions: [basicConstraints(true, 1)] }, underLower, lower(), middle()),
  chain("authority: intermediate with path length 0 above a leaf", below(), middle({ extensions: [basicConstraints(true, 0)] })),
  chain(
    "authority: intermediate with path length 0 above another",
    underLower,
    lower(),
    middle({ extensions: [basicConstraints(true, 0)] }),
  ),
  chain("authority: intermediate expired", below(), middle({ validity: expired })),
  chain("authority: intermediate of version 1", below(), middle({ version: nothing, extensions: [] })),
  chain("authority: intermediate of version 2", below(), middle({ version: version(1), extensions: [] })),
  chain("authority: intermediate without basic constraints", below(), middle({ extensions: [] })),
  chain("authority: intermediate that is no CA", below(), middle({ extensions: [basicConstraints(false)] })),
  chain("authority: intermediate that may not sign", below(), middle({ extensions: [basicConstraints(true), keyUsage(7, 0x80)] })),
  chain("authority: self-issued intermediate counts for the path length", leaf({ signer: key("middle") }), middle({ subject: rootName })),
  rooted(
    "authority: self-issued intermediate below path length 0",
    { extensions: [basicConstraints(true, 0)] },
    leaf({ signer: key("middle") }),
    middle({ subject: rootName }),
  ),

  chain("search: expired intermediate beside a good one", below(), middle({ validity: expired }), middle()),
  chain(
    "search: intermediate for servers beside a good one",
    below(),
    middle({ extensions: [basicConstraints(true), extendedKeyUsage(usage.server)] }),
    middle(),
  ),
  chain(
    "search: intermediate that excludes the name beside a good one",
    named(dns("a.example")),
    middle({ extensions: [basicConstraints(true), constraints([], [dns("example")])] }),
    middle(),
  ),
  chain("search: way to an unknown root beside a good one", below(), middle({ issuer: lowerName, signer: key("lower") }), middle()),
  chain("search: two intermediates that sign each other", underLower, lower(), middle({ issuer: lowerName, signer: key("lower") })),
  chain(
    "search: two that sign each other, and a way out",
    underLower,
    lower(),
    middle({ issuer: lowerName, signer: key("lower") }),
    middle(),
  ),
  {
    name: "search: cross-signed root",
    roots: [authority({ subject: lowerName, key: key("lower"), issuer: lowerName, signer: key("lower") })],
    chain: [leaf(), authority({ issuer: lowerName, signer: key("lower") })],
  },
  chain(
    "search: other key of the same name first",
    below(),
    middle({ key: key("other") }),
    middle(),
  ),
  chain(
    "search: key identifiers lead",
    below({ extensions: [issuerId("right")] }),
    middle({ key: key("other"), extensions: [basicConstraints(true), keyId("wrong")] }),
    middle({ extensions: [basicConstraints(true), keyId("right")] }),
  ),
  chain(
    "search: key identifiers differ",
    below({ extensions: [issuerId("right")] }),
    middle({ extensions: [basicConstraints(true), keyId("wrong")] }),
  ),
  {
    name: "search: 99 wrong candidates before the right one",
    roots: [root],
    chain: [below(), ...numbered(99), middle()],
  },
  {
    name: "search: 98 wrong candidates before the right one",
    roots: [root],
    chain: [below(), ...numbered(98), middle()],
  },
  {
    name: "search: 110 wrong candidates, the right one led to by its key identifier",
    roots: [root],
    chain: [below({ extensions: [issuerId("right")] }), ...numbered(110), middle({ extensions: [basicConstraints(true), keyId("right")] })],
  },
  {
    name: "search: a ring that branches",
    roots: [authority({ subject: name("elsewhere") })],
    chain: [underLower, ...ring(lower, middleName, "middle", 12), ...ring(middle, lowerName, "lower", 12)],
  },
  longChain("chain: 15 intermediates", 15),
  longChain("chain: 60 intermediates", 60),

  constrained("DNS permitted", [dns("a.example.com")], [dns("example.com")]),
  constrained("DNS permitted, equal", [dns("example.com")], [dns("example.com")]),
  constrained("DNS permitted, in other letters", [dns("A.EXAMPLE.com")], [dns("eXample.COM")]),
  constrained("DNS not permitted", [dns("example.org")], [dns("example.com")]),
  constrained("DNS not permitted, end of a label", [dns("badexample.com")], [dns("example.com")]),
  constrained("DNS permitted by one of two", [dns("a.b")], [dns("example.com"), dns("b")]),
  constrained("DNS permitted, one of two names", [dns("a.b"), dns("c.d")], [dns("b")]),
  constrained("DNS permitted with a leading dot", [dns("a.example.com")], [dns(".example.com")]),
  constrained("DNS not permitted with a leading dot", [dns("example.com")], [dns(".example.com")]),
  constrained("DNS, everything permitted", [dns("a.b")], [dns("")]),
  constrained("DNS excluded", [dns("a.example.com")], [], [dns("example.com")]),
  constrained("DNS not excluded", [dns("a.example.org")], [], [dns("example.com")]),
  constrained("DNS, everything excluded", [dns("a")], [], [dns("")]),
  constrained("DNS permitted and excluded", [dns("a.b.c")], [dns("c")], [dns("b.c")]),
  constrained("DNS wildcard, excluded", [dns("*.example.com")], [], [dns("a.example.com")]),
  constrained("DNS wildcard, not excluded", [dns("*.example.com")], [], [dns("a.b.example.com")]),
  constrained("DNS wildcard, permitted", [dns("*.example.com")], [dns("example.com")]),
  constrained("DNS wildcard, not permitted", [dns("*.example.com")], [dns("a.example.com")]),
  constrained("DNS that cannot be compared", [dns("a..b")], [mail("x.example")]),
  constrained("DNS with a dot at its end", [dns("a.example.com.")], [dns("example.com")]),
  constrained("DNS, empty", [dns("")], [dns("example.com")]),
  constrained("mailbox permitted by host", [mail("a@b.example")], [mail("b.example")]),
  constrained("mailbox permitted by domain", [mail("a@b.example")], [mail(".example")]),
  constrained("mailbox not permitted", [mail("a@b.example")], [mail("c.example")]),
  constrained("mailbox permitted exactly", [mail("a@B.example")], [mail("a@b.EXAMPLE")]),
  constrained("mailbox not permitted, another", [mail("b@b.example")], [mail("a@b.example")]),
  constrained("mailbox, local part in other letters", [mail("A@b.example")], [mail("a@b.example")]),
  constrained("mailbox excluded", [mail("a@b.example")], [], [mail("a@b.example")]),
  constrained("mailbox that is none, under a constraint of DNS", [mail("a")], [dns("example.com")]),
  constrained("mailbox with two dots", [mail("a..b@c")], [mail("c")]),
  constrained("URI permitted", [uri("spiffe://a.example.com/x")], [uri("example.com")]),
  constrained("URI permitted with a port", [uri("https://a.example.com:80/x")], [uri("example.com")]),
  constrained("URI not permitted", [uri("spiffe://a.example.org/x")], [uri("example.com")]),
  constrained("URI excluded", [uri("spiffe://a.example.com/x")], [], [uri("example.com")]),
  constrained("URI without a host", [uri("urn:a")], [dns("example.com")]),
  constrained("URI of an address", [uri("https://10.0.0.1/")], [uri("example.com")]),
  constrained("URI of an address of version 6", [uri("https://[::1]/")], [uri("example.com")]),
  constrained("address permitted", [address("0a000001")], [address("0a000000ff000000")]),
  constrained("address not permitted", [address("0b000001")], [address("0a000000ff000000")]),
  constrained("address excluded", [address("0a000001")], [], [address("0a000000ff000000")]),
  constrained("address of version 6 where version 4 is permitted", [address("0".repeat(31) + "1")], [address("0a000000ff000000")]),
  constrained("address of version 6 permitted", [address("fd" + "0".repeat(29) + "1")], [
    address("fd" + "0".repeat(30) + "ff" + "0".repeat(30)),
  ]),
  constrained("address where only DNS is permitted", [address("0a000001")], [dns("example.com")]),
  constrained("another type permitted, critical", [dns("a")], [der(0xa4, name("x"))]),
  constrained("other name below a constraint", [der(0xa0, oid("1.2.3"), der(0xa0, hex("0500")))], [dns("example.com")]),
  rawConstraints("empty", seq()),
  rawConstraints("empty permitted list", seq(hex("a000"))),
  rawConstraints("trailing data", Uint8Array.from([...seq(der(0xa0, seq(dns("a")))), 5, 0])),
  rawConstraints("excluded before permitted", seq(der(0xa1, seq(dns("a"))), der(0xa0, seq(dns("b"))))),
  rawConstraints("address mask with a hole", seq(der(0xa0, seq(address("0a000000ff00ff00"))))),
  rawConstraints("address of 5 bytes", seq(der(0xa0, seq(address("0a000000ff"))))),
  rawConstraints("base of DNS with a dot at its end", seq(der(0xa0, seq(dns("a."))))),
  rawConstraints("DNS above ASCII", seq(der(0xa0, seq(dns("ä"))))),
  rawConstraints("DNS with a blank", seq(der(0xa0, seq(dns("a b"))))),
  rawConstraints("base of a URI that is an address", seq(der(0xa0, seq(uri("10.0.0.1"))))),
  rawConstraints("mailbox that is none", seq(der(0xa0, seq(mail("@b"))))),
  rawConstraints("with a minimum", seq(der(0xa0, seq(dns("example.com"), generalName(0, hex("00")))))),
  rawConstraints("good, leaf without names", seq(der(0xa0, seq(dns("example.com"))))),
  rooted(
    "constraints: of the root",
    { extensions: [basicConstraints(true), constraints([dns("example.com")])] },
    leaf({ extensions: [alternativeNames(dns("example.org"))] }),
  ),
  rooted(
    "constraints: of the root, on an intermediate's name",
    { extensions: [basicConstraints(true), constraints([dns("example.com")])] },
    below(),
    middle({ extensions: [basicConstraints(true), alternativeNames(dns("example.org"))] }),
  ),
  chain(
    "constraints: of the leaf on itself",
    leaf({ extensions: [constraints([dns("example.com")]), alternativeNames(dns("example.org"))] }),
  ),
];

/** Intermediates with the right name and another key. */
function numbered(count: number): Uint8Array[] {
  return Array.from(
    { length: count },
    (_, index) => middle({ key: key("other"), serial: hex(`0202${(0x100 + index).toString(16).padStart(4, "0")}`) }),
  );
}
/** Authorities with one name and key, signed by another. */
function ring(make: typeof middle, issuer: Uint8Array, signer: string, count: number): Uint8Array[] {
  return Array.from(
    { length: count },
    (_, index) => make({ issuer, signer: key(signer), serial: hex(`0202${(0x100 + index).toString(16).padStart(4, "0")}`) }),
  );
}
function longChain(what: string, length: number): Case {
  const nameOf = (index: number) => index === 0 ? rootName : name(`authority ${index}`);
  const of = (index: number) => key(index === 0 ? "root" : index % 2 === 0 ? "middle" : "lower");
  const authorities = Array.from(
    { length },
    (_, index) => authority({ subject: nameOf(index + 1), key: of(index + 1), issuer: nameOf(index), signer: of(index) }),
  );
  return { name: what, roots: [root], chain: [leaf({ issuer: nameOf(length), signer: of(length) }), ...authorities] };
}
