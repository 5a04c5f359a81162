import assert from "node:assert/strict";
import { test } from "node:test";
import { withDefaults } from "../config/parse.ts";
import { issue } from "../listen/testing/clients.ts";
import type { ListenerTls } from "../listen/tls-context.ts";
import { openCredentials } from "./credentials.ts";

test("withCluster() takes over the CAs of the cluster, and nothing that the listener refuses", async () => {
  const credentials = await openCredentials(withDefaults({ "data-dir": ":memory:" }), Date.now, { info() {} });
  const first = issue({ usage: "ca", commonName: "first" }).cert, second = issue({ usage: "ca", commonName: "second" }).cert;
  const taken: ListenerTls[] = [];
  credentials.withCluster({ clientCa: first, frontProxyCa: second }, (tls) => taken.push(tls));
  assert.ok(taken[0]?.clientCa?.includes(first));
  assert.equal(taken[0]?.frontProxyCa, second);
  assert.deepEqual(credentials.tls, taken[0]);
  const refuse = () => {
    throw new Error("refused");
  };
  assert.throws(() => credentials.withCluster({ clientCa: second, frontProxyCa: "" }, refuse), /refused/);
  assert.throws(() => credentials.withCluster({ clientCa: "no certificate", frontProxyCa: "" }), /no PEM certificate/);
  assert.deepEqual(credentials.tls, taken[0], "the CAs before stay");
  credentials.withCluster({ clientCa: "", frontProxyCa: "" });
  assert.equal(credentials.tls.clientCa?.includes(first), false);
  assert.equal(credentials.tls.frontProxyCa, undefined);
});
