import assert from "node:assert/strict";
import { test } from "node:test";
import { Unreadable } from "../../scalars/unreadable.ts";
import { parseReference, parseReferenceBytes, urlBytes, urlText } from "./parse.ts";

function text(written: string): string {
  const url = parseReference(written);
  return url instanceof Unreadable ? url.error : urlText(url);
}

test("urlText() keeps a path whose first segment has a colon from being read as a scheme", () => {
  assert.equal(text("a%3Ab c"), "./a:b%20c");
  assert.equal(text("a%3Ab"), "a%3Ab");
  assert.equal(text("/a%3Ab c"), "/a:b%20c");
});

test("urlBytes() keeps bytes of a query that are not UTF-8", () => {
  const url = parseReferenceBytes("/\u00ff?\u00ff#\u00ff");
  assert.ok(!(url instanceof Unreadable));
  assert.equal(urlBytes(url), "/%FF?\u00ff#%FF");
});
