/** Texts that functions of CEL expressions parse: addresses, URLs, versions, format strings; and edits of strings. */
import assert from "node:assert/strict";
import type { Target } from "../fuzz.ts";

/** Addresses and prefixes. Their canonical text is parsed to the same. */
export const celAddresses: Target = {
  name: "cel-addresses",
  grammar: {
    text: ["<address>", "<address>/<bits>", "<address>/<address>"],
    address: [
      "<octet>.<octet>.<octet>.<octet>",
      (w) => `${w.write("octet")}${w.many("next-octet")}`,
      "<groups>",
      "<groups>%<zone>",
      "::<groups>",
    ],
    octet: ["0", "1", "255", "256", "01", "", "x", "127"],
    "next-octet": [".<octet>"],
    groups: [(w) => `${w.write("group")}${w.many("next-group")}`, "<group>::<group>", "::", "::ffff:<octet>.<octet>.<octet>.<octet>"],
    "next-group": [":<group>", "::<group>"],
    group: ["0", "1", "ffff", "FE80", "12345", "g", "", "é", "db8"],
    zone: ["", "eth0", "%", "é"],
    bits: ["0", "8", "32", "64", "128", "129", "08", "-1", "99999999999999999999", ""],
  },
  start: "text",
  binary: false,
  stepsPerCharacter: 60,
  async open(code) {
    const { parseAddress, parsePrefix, addressText, prefixText, mask, sameNetwork, isMapped } = await code.load(
      "core/net/address.ts",
    );
    return (input) => {
      const address = parseAddress(input);
      if ("bytes" in address && address.zone === "") {
        const text = addressText(address);
        assert.deepEqual(parseAddress(text), address, text);
        assert.equal(addressText(parseAddress(text)), text);
        isMapped(address);
      }
      const prefix = parsePrefix(input);
      if (!("bits" in prefix)) return;
      assert.deepEqual(parsePrefix(prefixText(prefix)), prefix);
      assert.deepEqual(mask(mask(prefix)), mask(prefix));
      assert.ok(sameNetwork(prefix.address, mask(prefix).address, prefix.bits));
    };
  },
};

/** URLs and query strings. The text of a URL that is parsed again stays. */
export const celUrls: Target = {
  name: "cel-urls",
  grammar: {
    url: ["<scheme><authority><path><query><fragment>", "<path><query>", "*", "<part>"],
    scheme: ["http://", "HTTPS://", "a+b:", "1:", ":", "//", "mailto:", "http:/"],
    authority: ["", "<host>", "<host>:<port>", "<part>@<host>", "<part>:<part>@<host>:<port>"],
    host: ["a.b", "[::1]", "[fe80::1%25<part>]", "[", "]", "<part>", "a:1,b:2", "10.0.0.1"],
    port: ["80", "", "x", "-1"],
    path: ["", (w) => w.many("segment"), "//<part>"],
    segment: ["/<part>", "/", "/..", "/*"],
    query: ["", "?", (w) => `?${w.write("pair")}${w.many("next-pair")}`],
    "next-pair": ["&<pair>", ";<pair>"],
    pair: ["<part>=<part>", "<part>", "="],
    fragment: ["", "#", "#<part>"],
    part: ["", "a", "%41", "%zz", "%", "%é", "é", "%ff", "%C3%A9", "+", " ", "@", ":", "=", "~!$'()", "\x01", "\\", "😀"],
  },
  start: "url",
  binary: false,
  stepsPerCharacter: 400,
  async open(code) {
    const { parseUrl, requestUriMistake, urlText, escapedPath, hostAndPort, queryValues } = await code.load(
      "core/net/url/parse.ts",
    );
    return (input) => {
      const url = parseUrl(input);
      const mistake = requestUriMistake(input);
      if (!("scheme" in url)) {
        assert.equal(typeof url.error, "string");
        return;
      }
      assert.equal(mistake, undefined);
      const text = urlText(url);
      assert.ok(text.isWellFormed());
      escapedPath(url);
      hostAndPort(url);
      for (const [name, values] of queryValues(url)) assert.ok(name.isWellFormed() && values.length > 0);
      const again = parseUrl(text);
      if ("scheme" in again) assert.equal(urlText(again), text);
    };
  },
};

/** Semantic versions, also incomplete ones. The text of a version is parsed to the same. */
export const celVersions: Target = {
  name: "cel-versions",
  grammar: {
    text: ["<version>", "v<version>", "<number>.<number>", "<number>"],
    version: ["<number>.<number>.<number><pre><build>"],
    number: ["0", "1", "01", "18446744073709551615", "18446744073709551616", "", "x", "é", "00"],
    pre: ["", (w) => `-${w.write("identifier")}${w.many("next")}`, "-"],
    build: ["", (w) => `+${w.write("identifier")}${w.many("next")}`, "+"],
    next: [".<identifier>"],
    identifier: ["a", "1", "01", "rc-1", "", "é", "-"],
  },
  start: "text",
  binary: false,
  stepsPerCharacter: 60,
  async open(code) {
    const { parseSemver, parseTolerant, semverText, compareSemver } = await code.load("cel/functions/semver/parse.ts");
    return (input) => {
      for (const version of [parseSemver(input), parseTolerant(input)]) {
        if (!("major" in version)) continue;
        const again = parseSemver(semverText(version));
        assert.deepEqual(again, version);
        assert.equal(compareSemver(version, again), 0);
      }
      const version = parseSemver(input);
      if ("major" in version) assert.equal(semverText(version), input);
    };
  },
};

/** Format strings, and edits of strings by a part: input is `text|part`. */
export const celStrings: Target = {
  name: "cel-strings",
  grammar: {
    input: [(w) => `${w.many("piece")}|${w.many("piece")}`, (w) => w.many("clause"), (w) => `${w.many("clause")}|<piece>`],
    clause: ["%<verb>", "%.<digits><verb>", "%%", "<piece>"],
    verb: ["s", "d", "f", "e", "b", "x", "X", "o", "q", "é", "", "😀"],
    digits: ["", "0", "2", "17", "300", "65536", "10000009", "99999999999999999999"],
    piece: ["a", "b", "ab", "é", "😀", " ", "\n", '"', "%", "aaaa", "\t"],
  },
  start: "input",
  binary: false,
  // A clause of five characters may write a text of 65,535, and a double may have a thousand digits.
  stepsPerCharacter: 20_000,
  async open(code) {
    const { format } = await code.load("cel/functions/strings/format.ts");
    const { charAt, indexOf, join, lastIndexOf, quote, replace, split, substring, trim } = await code.load(
      "cel/functions/strings/edit.ts",
    );
    const { lastIndexIn, searchIn } = await code.load("cel/value/search.ts");
    const { ArrayList } = await code.load("cel/value/collections.ts");
    const { CelError } = await code.load("cel/values.ts");
    const values = ["a", -5n, 1.5, true, "NaN", 1e300, new Uint8Array([255]), null, new ArrayList(["b", 2.5])];
    return (input) => {
      const formatted = format(input, new ArrayList(Array.from({ length: 40 }, (_, index) => values[index % values.length])));
      assert.ok(typeof formatted === "string" || formatted instanceof CelError);
      const bar = input.indexOf("|"), text = (bar < 0 ? input : input.slice(0, bar)).toWellFormed();
      const part = (bar < 0 ? "a" : input.slice(bar + 1)).toWellFormed();
      assert.equal(join(split(text, part, -1n), part), text);
      assert.equal(replace(text, part, part, -1n), text);
      if (part !== "") assert.equal(replace(text, part, "", -1n), text.split(part).join(""));
      assert.equal(searchIn(text, part)(0), text.indexOf(part));
      assert.equal(lastIndexIn(text, part, text.length), text.lastIndexOf(part));
      const found = indexOf(text, part, 0n) as bigint;
      if (found >= 0n && part !== "") assert.ok((substring(text, found, undefined) as string).startsWith(part));
      lastIndexOf(text, part, undefined);
      charAt(text, 1n);
      assert.equal(trim(trim(text)), trim(text));
      assert.ok(quote(text).length >= text.length + 2);
    };
  },
};
