import assert from "node:assert/strict";
import { test } from "node:test";
import { spell } from "./names.ts";

const names = { domain: "example.org", platform: "thing" };

for (
  const [text, spelled] of [
    ["storage.{domain}", "storage.example.org"],
    ["{platform}.io/metadata.name", "thing.io/metadata.name"],
    ["a.{platform}.io/{domain}/{platform}", "a.thing.io/example.org/thing"],
    ["{domain}{domain}", "example.orgexample.org"],
    ["{{domain}} {other} {domain", "{example.org} {other} {domain"],
    ["plain", "plain"],
    ["", ""],
  ] as const
) {
  test(`names are spelled: ${JSON.stringify(text)}`, () => assert.equal(spell(names, text), spelled));
}

test("a name with a pattern of replacements is written as it is", () => {
  assert.equal(spell({ domain: "$&", platform: "$1" }, "{domain} {platform}"), "$& $1");
});
