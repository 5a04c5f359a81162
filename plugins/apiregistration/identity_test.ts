import assert from "node:assert/strict";
import { test } from "node:test";
import { identityHeaders, isCarried } from "./identity.ts";

test("a user is named by headers whose names and values can be sent", () => {
  const user = { name: "zoë", uid: "u-1", groups: ["dev", "größe"], extra: { "example.org/Zone": ["n", "s"], "é%": ["x"] } };
  assert.deepEqual(identityHeaders(user, true), {
    "x-remote-user": "zo\u00c3\u00ab",
    "x-remote-uid": "u-1",
    "x-remote-group": ["dev", "gr\u00c3\u00b6\u00c3\u009fe"],
    "x-remote-extra-example.org%2Fzone": ["n", "s"],
    "x-remote-extra-%C3%A9%25": ["x"],
  });
  assert.deepEqual(identityHeaders({ name: "ann", groups: [] }, true), { "x-remote-user": "ann" });
  assert.deepEqual(identityHeaders({ name: "ann", groups: [], uid: "u-1" }, false), { "x-remote-user": "ann" });
});

test("an identity that would arrive as another one is not carried", () => {
  assert.ok(isCarried({ name: "a b", groups: ["größe"], uid: "1", extra: { a: ["b"] } }));
  for (const text of [" admin", "admin\t", "a\nx-remote-group: system:masters", "a\0", "\x7f"]) {
    const values = [{ name: text }, { uid: text }, { groups: ["b", text] }, { extra: { b: [text] } }];
    for (const each of values) assert.equal(isCarried({ name: "a", groups: [], ...each }), false, text);
  }
});
