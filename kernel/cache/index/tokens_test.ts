import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiObject } from "../../../core/meta/object-meta.ts";
import { Item, keyOf } from "../../objects/objects.ts";
import { type ListOptions, listOptions } from "../../request/options.ts";
import { parseQuery } from "../../../core/net/query.ts";
import { selects } from "../../reads/reads.ts";
import { catalog, endpointOf, noteOf, prefix, type Written } from "../../../test/reads/fixture.ts";
import { tokensOf, wantedTokens, watchTokensMax } from "./tokens.ts";
import { attributesReader } from "./attributes.ts";

const endpoint = endpointOf("notes");
const { stored } = endpoint;
const { of: attributesOf } = attributesReader(stored, catalog);

function optionsOf(query: string): ListOptions {
  return listOptions(parseQuery(query), endpoint, catalog);
}
const wanted = (query: string) => wantedTokens(endpoint, optionsOf(query));
function tokens(name: string, what: Written = {}): readonly string[] {
  return [...tokensOf(keyOf(prefix, stored, what.namespace ?? "ns", name), attributesOf(noteOf(name, what)))];
}

const teams = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`);
const selectors = [
  "",
  "labelSelector=team=a",
  "labelSelector=team==a,size!=big",
  "labelSelector=team in (a,b)",
  "labelSelector=team in (a,b),team=b",
  "labelSelector=team=",
  "labelSelector=team in ()",
  "labelSelector=team notin (a)",
  "labelSelector=team!=a",
  "labelSelector=team",
  "labelSelector=!team",
  "labelSelector=size>4",
  "labelSelector=size<4,team=a",
  "fieldSelector=metadata.name=a",
  "fieldSelector=metadata.name!=a",
  "fieldSelector=metadata.name=",
  "fieldSelector=metadata.name=a,metadata.name=b",
  "fieldSelector=metadata.namespace=ns",
  "fieldSelector=metadata.namespace=other,metadata.name=a",
  "fieldSelector=mood=sad",
  "fieldSelector=mood=",
  "fieldSelector=mood!=sad",
  "fieldSelector=mood=sad&labelSelector=team=a",
  `labelSelector=team in (${teams(watchTokensMax)})`,
  `labelSelector=team in (${teams(watchTokensMax + 1)})`,
];
const labels: readonly (Readonly<Record<string, string>> | undefined)[] = [
  undefined,
  {},
  { team: "a" },
  { team: "b", size: "5" },
  { team: "a", size: "big" },
  { team: "" },
  { team: "t0" },
  { size: "3" },
];
const objects: readonly ApiObject[] = ["a", "b"].flatMap((name) =>
  ["ns", "other"].flatMap((namespace) =>
    ["sad", "plain", ""].flatMap((mood) =>
      labels.map((each) => noteOf(name, { namespace, mood, ...(each === undefined ? {} : { labels: each }) }))
    )
  )
);

test("every object that a selector matches has one of its wantedTokens()", () => {
  let seen = 0, demanding = 0;
  for (const query of selectors) {
    const some = wanted(query);
    if (some !== undefined) demanding++;
    const chosen = selects(endpoint, optionsOf(query));
    for (const object of objects) {
      const key = keyOf(prefix, stored, object.metadata.namespace ?? "", object.metadata.name ?? "");
      if (chosen !== undefined && !chosen(new Item(stored, { key, revision: 1, value: new Uint8Array() }, object))) continue;
      seen++;
      const shown = new Set(tokensOf(key, attributesOf(object)));
      assert.ok(some === undefined || some.some((token) => shown.has(token)), `${query} sees ${JSON.stringify(object)}`);
    }
  }
  // The samples are large enough.
  assert.deepEqual([demanding, seen > 500], [13, true]);
});

test("wantedTokens() come from equality of names, fields and labels, fields first", () => {
  assert.deepEqual(wanted("fieldSelector=metadata.name=a"), [tokens("a")[0]]);
  assert.equal(wanted("fieldSelector=mood=sad&labelSelector=team=a")?.length, 1);
  assert.ok(tokens("x", { mood: "sad" }).includes(wanted("fieldSelector=mood=sad&labelSelector=team=a")![0]!));
  assert.equal(wanted("labelSelector=team in (a,b)")?.length, 2);
  for (
    const query of [
      "",
      "labelSelector=team!=a",
      "labelSelector=team",
      "labelSelector=!team",
      "fieldSelector=mood!=sad",
      "fieldSelector=mood=",
    ]
  ) {
    assert.equal(wanted(query), undefined, query);
  }
});

test("wantedTokens() skip a label beyond the bound, and use another one instead", () => {
  assert.equal(wanted(`labelSelector=team in (${teams(watchTokensMax)})`)?.length, watchTokensMax);
  assert.equal(wanted(`labelSelector=team in (${teams(watchTokensMax + 1)})`), undefined);
  assert.deepEqual(wanted(`labelSelector=team in (${teams(watchTokensMax + 1)}),size=big`), wanted("labelSelector=size=big"));
});

test("tokensOf() keeps names, fields and labels of equal text apart", () => {
  const all = tokens("sad", { mood: "sad", labels: { mood: "sad", name: "sad", "example.com/mood": "sad" } });
  assert.equal(all.length, 5);
  assert.equal(new Set(all).size, all.length);
  const [name] = tokens("a", { namespace: "one" });
  assert.equal(name, tokens("a", { namespace: "two" })[0]);
  assert.notEqual(name, tokens("b", { namespace: "one" })[0]);
});
