// The walk of the README, command by command.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startThole } from "../start-thole.mjs";

test("rooms are defined, created, changed, selected, and protected by their rules", async () => {
  const { kubectl, stop } = await startThole();
  const rejected = (text, ...args) => {
    const { status, stderr } = kubectl(...args);
    assert.notEqual(status, 0);
    assert.ok(stderr.includes(text), stderr);
  };
  const good = (...args) => {
    const { status, stdout, stderr } = kubectl(...args);
    assert.equal(status, 0, stderr);
    return stdout;
  };
  try {
    good("apply", "-f", "definition.yaml");
    good("wait", "--for=condition=Established", "crd/rooms.hotel.example.com");
    assert.match(good("apply", "-f", "rooms.yaml"), /room-101 created[\s\S]*room-201 created/);
    assert.match(good("get", "rooms"), /^NAME +BEDS +GUESTS\nroom-101 +2/);
    assert.equal(good("get", "rm", "--field-selector=spec.floor=2", "-o", "name"), "room.hotel.example.com/room-201\n");
    assert.equal(good("get", "room", "room-101", "-o", "jsonpath={.spec.smoking}"), "false");
    assert.match(good("explain", "room.spec"), /beds\s+<integer> -required-/);
    good("patch", "room", "room-101", "--subresource=status", "--type=merge", "--patch", '{"status":{"guests":2}}');
    rejected("a room does not move", "patch", "room", "room-101", "--type=merge", "--patch", '{"spec":{"floor":"3"}}');
    rejected("smoking needs a balcony", "patch", "room", "room-101", "--type=merge", "--patch", '{"spec":{"smoking":true}}');
    rejected(
      "at most six guests",
      "patch",
      "room",
      "room-101",
      "--subresource=status",
      "--type=merge",
      "--patch",
      '{"status":{"guests":7}}',
    );
    rejected("should be less than or equal to 6", "patch", "room", "room-101", "--type=merge", "--patch", '{"spec":{"beds":9}}');
  } finally {
    await stop();
  }
});
