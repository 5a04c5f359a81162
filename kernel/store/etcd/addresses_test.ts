import assert from "node:assert/strict";
import { test } from "node:test";
import { openEtcd } from "./etcd.ts";

test("the error of openEtcd() for an unreachable address leaves out user and password", async () => {
  const address = "127.0.0.1:1"; // nothing listens on port 1
  const opened = openEtcd({ endpoints: [`http://user:secret@${address}`], timeoutMs: 2000 });
  await assert.rejects(opened, ({ message, cause }: Error) => {
    assert.match(message, new RegExp(`^Cannot reach etcd at http://${address}: .*Cannot connect to http://${address}: `));
    assert.doesNotMatch(`${message} ${cause}`, /user|secret/);
    return true;
  });
});
