import assert from "node:assert/strict";
import { test } from "node:test";
import { anonymousUser } from "../../core/user-info.ts";
import { goawayChooser } from "./goaway.ts";

const http2 = { protocol: "HTTP/2.0" } as const;
const carol = { name: "carol", groups: ["system:authenticated"] };
const gates = (on: boolean) => ({ gates: { states: [], isOn: () => on, warnings: [] } });

test("goawayChooser() selects the configured share of HTTP/2 requests, and none at 0", () => {
  for (const [chance, random, away] of [[0.02, 0.0199, true], [0.02, 0.02, false], [0, 0, false], [0.02, 0, true]] as const) {
    assert.equal(goawayChooser(() => chance, () => random)(http2, carol, gates(true)), away, `${chance} ${random}`);
  }
  assert.equal(goawayChooser(() => 0.02, () => 0)({ protocol: "HTTP/1.1" }, carol, gates(true)), false);
});

test("goawayChooser() selects all requests of unauthenticated clients while the gate is on", () => {
  const away = goawayChooser(() => 0, () => 0);
  const anonymous = [undefined, anonymousUser, { name: "x", groups: ["system:unauthenticated"] }, { name: "system:anonymous", groups: [] }];
  for (const user of anonymous) {
    assert.equal(away(http2, user, gates(true)), true);
    assert.equal(away(http2, user, gates(false)), false);
    assert.equal(away({ protocol: "HTTP/1.1" }, user, gates(true)), false);
  }
  assert.equal(away(http2, carol, gates(true)), false);
});
