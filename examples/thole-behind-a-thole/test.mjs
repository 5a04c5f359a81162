// kubectl talks to the server in front only, which knows the users and their rights. The objects are in the one behind.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { startBoth } from "./start.mjs";

const berth = fileURLToPath(new URL("berth.yaml", import.meta.url));

test("alice creates and lists berths through the server in front, within her role there", async () => {
  const { kubectl, stop } = await startBoth();
  const good = (...args) => {
    const { status, stdout, stderr } = kubectl(...args);
    assert.equal(status, 0, stderr);
    return stdout;
  };
  const rejected = (text, ...args) => {
    const { status, stderr } = kubectl(...args);
    assert.notEqual(status, 0, args.join(" "));
    assert.ok(stderr.includes(text), stderr);
  };
  try {
    assert.match(good("get", "apiservice", "v1.harbour.example.com"), /harbour\/berths +True/);
    assert.match(good("api-resources", "--api-group=harbour.example.com"), /berths +harbour\.example\.com\/v1 +true +Berth/);
    assert.match(good("explain", "berth.spec.metres"), /Length of the berth\./);
    assert.match(good("create", "--as=alice", "-f", berth), /north created/);
    assert.match(good("get", "berths", "--as=alice"), /^NAME +METRES +AGE\nnorth +12 +\d+s\n$/);
    rejected('User "alice" cannot patch resource "berths"', "patch", "berth", "north", "--as=alice", "--type=merge", "--patch={}");
    rejected('User "bob" cannot list resource "berths"', "get", "berths", "--as=bob");
  } finally {
    await stop();
  }
});
