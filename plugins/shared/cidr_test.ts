// In Deno's suite only: blocks of addresses use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { invalidCidr, isWithin, readCidr, warnOfCidr } from "./cidr.ts";
import { readAddress } from "./address-text.ts";

test("readCidr() reads what older programs accepted", () => {
  for (const text of ["10.0.0.0/8", "10.0.0.1/08", "010.0.0.0/8", "::/0", "::ffff:10.0.0.0/104", "::ffff:010.0.0.0/104", "fe80::1/128"]) {
    assert.deepEqual(invalidCidr(text, false), [], text);
  }
  for (
    const text of ["", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0/8", "::/129", "::1%eth0/64", "10.0.0.0/8/8", "10.0.0.0/-1", "a/8"]
  ) {
    assert.equal(invalidCidr(text, false).length, 1, text);
  }
});

test("isWithin() compares networks of one family, and mapped IPv4 with IPv4", () => {
  const within = (part: string, block: string) => isWithin(readCidr(part)!, readCidr(block)!);
  assert.ok(within("10.1.0.0/16", "10.0.0.0/8"));
  assert.ok(!within("10.0.0.0/8", "10.0.0.0/8"));
  assert.ok(!within("11.0.0.0/16", "10.0.0.0/8"));
  assert.ok(!within("10.0.0.0/16", "::/8"));
  assert.ok(within("::ffff:10.1.0.0/112", "10.0.0.0/8"));
});

test("warnOfCidr() names the canonical form", () => {
  const cases: Readonly<Record<string, readonly string[]>> = {
    "10.0.0.0/8": [],
    "2001:db8::/32": [],
    "no block": [],
    "010.0.0.0/8": ['at: non-standard CIDR value "010.0.0.0/8" is invalid: use "10.0.0.0/8"'],
    "10.0.0.0/08": ['at: non-standard CIDR value "10.0.0.0/08" is invalid: use "10.0.0.0/8"'],
    "::ffff:10.0.0.0/104": ['at: non-standard CIDR value "::ffff:10.0.0.0/104" is invalid: use "10.0.0.0/8"'],
    "10.0.0.1/08": [
      'at: CIDR value "10.0.0.1/08" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)',
      'at: non-standard CIDR value "10.0.0.1/08" is invalid: use "10.0.0.0/8"',
    ],
    "2001:0db8::/32": ['at: IPv6 CIDR value "2001:0db8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")'],
  };
  for (const [text, warnings] of Object.entries(cases)) assert.deepEqual(warnOfCidr(text, "at"), warnings, text);
});

test("readAddress() ignores leading zeros of IPv4 numbers, also after an IPv6 part", () => {
  assert.deepEqual(readAddress("::ffff:001.2.3.4"), { text: "1.2.3.4", ambiguous: true });
  assert.deepEqual(readAddress("64:ff9b::01.2.3.4"), { text: "64:ff9b::102:304", ambiguous: true });
  assert.deepEqual(readAddress("::1.2.3.4"), { text: "::102:304", ambiguous: false });
  for (const text of ["1.2.3", "1.2.3.256", "::1%eth0", "1.2.3.4.5", "", "1.2.3.1e2"]) assert.equal(readAddress(text), undefined, text);
});
