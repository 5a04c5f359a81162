import assert from "node:assert/strict";
import { test } from "node:test";
import { inIPv6 } from "./load-balancers.ts";

test("inIPv6() keeps the four octets of an address", () => {
  assert.equal(inIPv6("198.18.0.3"), "2001:2::c612:3");
  assert.equal(inIPv6("198.19.255.254"), "2001:2::c613:fffe");
});
