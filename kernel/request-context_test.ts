import assert from "node:assert/strict";
import { test } from "node:test";
import { header, headerList } from "./request/exchange.ts";

test("header() is the first of repeated headers, headerList() all of them", () => {
  const exchange = { headers: { accept: ["text/html", "application/json"], range: "bytes=0-1" } };
  assert.equal(header(exchange, "accept"), "text/html");
  assert.equal(headerList(exchange, "accept"), "text/html, application/json");
  for (const read of [header, headerList]) {
    assert.equal(read(exchange, "range"), "bytes=0-1");
    assert.equal(read(exchange, "if-match"), "");
  }
});
