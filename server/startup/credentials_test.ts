import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { withDefaults } from "../config/parse.ts";
import { issue } from "../listen/testing/clients.ts";
import type { ListenerTls } from "../listen/tls-context.ts";
import { openCredentials } from "./credentials.ts";

test("withCluster() takes over the CAs of the cluster, and nothing that the listener refuses", async () => {
  const credentials = await openCredentials(withDefaults({ "data-dir": ":memory:" }), {
    now: Date.now,
    log: { info() {} },
    renewsOwn: true,
  });
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

test("openCredentials() of a further worker uses the certificates of the first one, and renews none", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-credentials-"));
  try {
    const config = withDefaults({ "data-dir": folder }), day = 86_400_000, logged: string[] = [];
    const open = (renewsOwn: boolean, days: number) =>
      openCredentials(config, { now: () => Date.now() + days * day, log: { info: (line) => void logged.push(line) }, renewsOwn });
    const first = await open(true, 0), second = await open(false, 0);
    assert.deepEqual(second.pki, first.pki);
    assert.deepEqual((await open(false, 350)).pki, first.pki, "they end within thirty days");
    assert.deepEqual(logged, []);
    const renewed = await open(true, 350);
    assert.notEqual(renewed.pki.serving.cert, first.pki.serving.cert);
    const taken: ListenerTls[] = [];
    await second.followed((tls) => void taken.push(tls))[0]!.renew();
    assert.equal(taken[0]?.cert, renewed.pki.serving.cert, "the other one follows the files");
    await rm(join(folder, "pki", "serving.key"));
    assert.equal(await second.followed(() => {})[0]!.renew(), undefined, "an incomplete pair changes nothing");
  } finally {
    await rm(folder, { recursive: true });
  }
});
