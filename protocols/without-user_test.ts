import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutUser } from "./without-user.ts";

test("withoutUser() removes user and password from an address", () => {
  for (
    const [address, shown] of [
      ["https://etcd:2379", "https://etcd:2379"],
      ["https://user:pass@etcd:2379", "https://etcd:2379"],
      ["https://user:p/a@ss@etcd:2379/x", "https://etcd:2379/x"],
      ["user@etcd", "user@etcd"],
      ["//@", "//"],
      ["", ""],
    ] as const
  ) assert.equal(withoutUser(address), shown);
});
