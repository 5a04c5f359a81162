// Admission webhooks that hang or fail under load: only the requests that match them are affected, and no acknowledged write is lost.
// In Deno's suite only: test/admission-webhooks_test.ts sends reviews on both; the bounds do not depend on the runtime.
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { openTestServer, type TestServer } from "../testing.ts";
import {
  type AdmissionWebhook,
  answered,
  configMap,
  configMaps,
  configurationsOf,
  configure,
  openAdmissionWebhook,
  patched,
  samplesOf,
  type Sent,
  webhookOf,
} from "./admission-webhook.ts";
import { done, send } from "./requests.ts";
import { statusOf, withHeavyThread } from "./heavy-server.ts";
import { until } from "./real-server.ts";
import { webhookCallsMax, webhookCallsWaitingMax } from "../server/webhooks/call-slots.ts";
import { inlineBodyBytesMax } from "../kernel/request-context.ts";
import { heavyCallsOfWebhookMax } from "../server/heavy/requests.ts";

const secrets = "/api/v1/namespaces/default/secrets";
const secret = (name: string, long = "") => ({ metadata: { name }, stringData: { long } });

/** Answers that are held back until `release`. */
function held(webhook: AdmissionWebhook) {
  const waiting: (() => void)[] = [];
  let isHeld = true;
  webhook.answer = (review): Promise<Sent> => {
    const { promise, resolve } = Promise.withResolvers<Sent>();
    if (isHeld) waiting.push(() => resolve(answered(review)));
    else resolve(answered(review));
    return promise;
  };
  return {
    waiting,
    release() {
      isHeld = false;
      for (const answer of waiting.splice(0)) answer();
    },
  };
}
async function inForce(server: TestServer, webhook: AdmissionWebhook): Promise<void> {
  await until(async () => {
    await done(server, "POST", `${configMaps}?dryRun=All`, configMap("probe"));
    assert.ok(webhook.reviews.length > 0);
  });
  webhook.reviews.length = 0;
}

test("a webhook that hangs holds only requests that match it, a bounded number of them", { timeout: 120_000 }, async () => {
  const webhook = await openAdmissionWebhook();
  try {
    await using server = await openTestServer();
    await configure(server, "validating", "hangs", webhookOf(webhook));
    await inForce(server, webhook);
    const { waiting, release } = held(webhook);
    const names = Array.from({ length: 150 }, (_, index) => `held-${index}`), statuses = new Map<string, number>();
    const all = names.map(async (name) => {
      const { status } = await send(server, "POST", configMaps, configMap(name));
      statuses.set(name, status);
    });
    await until(() => assert.equal(waiting.length, webhookCallsMax));
    // Other writes go on while the calls are outstanding.
    for (let i = 0; i < 300; i++) await done(server, "POST", secrets, secret(`free-${i}`));
    const created = await Promise.all(Array.from({ length: 100 }, (_, i) => send(server, "DELETE", `${secrets}/free-${i}`)));
    assert.ok(created.every(({ status }) => status === 200));
    assert.equal(waiting.length, webhookCallsMax);
    // Calls that cannot wait are rejected at once, waiting ones when the webhook has not answered for a while.
    const refused = 150 - webhookCallsMax;
    await until(() => assert.equal(statuses.size, refused));
    assert.equal([...statuses.values()].filter((status) => status === 429).length, refused - webhookCallsWaitingMax);
    assert.equal([...statuses.values()].filter((status) => status === 500).length, webhookCallsWaitingMax);
    // While it is stalled, no further call is made: there are more than few.
    assert.equal((await send(server, "POST", configMaps, configMap("later"))).status, 500);
    assert.equal(waiting.length, webhookCallsMax);
    release();
    await Promise.all(all);
    for (const name of names) {
      const expected = statuses.get(name) === 201 ? 200 : 404;
      assert.equal((await send(server, "GET", `${configMaps}/${name}`)).status, expected, name);
    }
    assert.equal((await send(server, "POST", configMaps, configMap("later"))).status, 201);
    assert.ok(webhook.connections() <= webhookCallsMax, String(webhook.connections()));
  } finally {
    await webhook.close();
  }
});

test("a webhook that fails in every way under load loses no acknowledged write", { timeout: 120_000 }, async () => {
  const webhook = await openAdmissionWebhook();
  try {
    await using server = await openTestServer();
    await configure(server, "mutating", "fails", webhookOf(webhook, { reinvocationPolicy: "IfNeeded" }));
    await configure(server, "validating", "fails", webhookOf(webhook));
    await inForce(server, webhook);
    let calls = 0;
    webhook.answer = (review, response) => {
      const n = calls++ % 9;
      if (n === 0) return { status: 500, body: "" };
      if (n === 1) return { body: "{}" };
      if (n === 2) return void response.socket?.destroy();
      if (n === 3) return answered(review, { allowed: false });
      const { object, operation } = review.request;
      return operation === "DELETE" || object.metadata.uid !== undefined
        ? answered(review)
        : patched(review, { op: "add", path: "/data/seen", value: "x" });
    };
    const stored = new Map<string, string>();
    const write = async (worker: number) => {
      for (let round = 0; round < 12; round++) {
        const name = `w-${worker}`, data = { round: String(round) };
        const known = stored.has(name);
        if (known && round % 4 === 3) {
          const { status } = await send(server, "DELETE", `${configMaps}/${name}`);
          if (status === 200) stored.delete(name);
          continue;
        }
        const response = await send(server, known ? "PUT" : "POST", known ? `${configMaps}/${name}` : configMaps, configMap(name, data));
        await response.text();
        if (response.ok) stored.set(name, data.round);
        else assert.ok([400, 500].includes(response.status), String(response.status));
        assert.equal((await send(server, "POST", secrets, secret(`s-${worker}-${round}`))).status, 201);
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, worker) => write(worker)));
    assert.ok(calls > 200);
    for (let worker = 0; worker < 20; worker++) {
      const name = `w-${worker}`, response = await send(server, "GET", `${configMaps}/${name}`);
      assert.equal(response.status, stored.has(name) ? 200 : 404, name);
      if (stored.has(name)) assert.equal((await response.json()).data.round, stored.get(name));
    }
    const counted = await samplesOf(server, "apiserver_admission_webhook_request_total{");
    assert.ok(counted.length > 4);
  } finally {
    await webhook.close();
  }
});

test("the call ends when its client leaves", { timeout: 60_000 }, async () => {
  const webhook = await openAdmissionWebhook();
  try {
    await using server = await openTestServer();
    await configure(server, "validating", "hangs", webhookOf(webhook));
    await inForce(server, webhook);
    const closed = Promise.withResolvers<void>();
    webhook.answer = (_review, response) => void once(response, "close").then(() => closed.resolve());
    const client = new AbortController();
    const request = send(server, "POST", configMaps, configMap("a"), { signal: client.signal });
    await until(() => assert.equal(webhook.reviews.length, 1));
    client.abort();
    await closed.promise;
    assert.equal((await request).ok, false);
    webhook.answer = (review) => answered(review);
    await done(server, "POST", configMaps, configMap("a"));
  } finally {
    await webhook.close();
  }
});

test(
  "large requests are sent from the heavy thread, and one that waits for a webhook does not hold others there",
  { timeout: 120_000 },
  async () => {
    const webhook = await openAdmissionWebhook();
    try {
      await withHeavyThread(async (server, jobs) => {
        const configuration = { metadata: { name: "large" }, webhooks: [webhookOf(webhook)] };
        assert.equal(await statusOf(server, "POST", configurationsOf("mutating"), configuration), 201);
        await until(async () => {
          assert.equal(await statusOf(server, "POST", `${configMaps}?dryRun=All`, configMap("probe")), 201);
          assert.ok(webhook.reviews.length > 0);
        });
        const long = "x".repeat(inlineBodyBytesMax + 1);
        webhook.answer = (review) => patched(review, { op: "add", path: "/data/seen", value: "yes" });
        assert.equal(await statusOf(server, "POST", configMaps, configMap("first", { long })), 201);
        assert.equal(jobs(), 1);
        const { waiting, release } = held(webhook);
        const statuses: number[] = [];
        const all = Array.from({ length: heavyCallsOfWebhookMax + 2 }, async (_, index) => {
          statuses.push(await statusOf(server, "POST", configMaps, configMap(`large-${index}`, { long })));
        });
        await until(() => assert.equal(waiting.length, heavyCallsOfWebhookMax));
        for (let i = 0; i < 5; i++) assert.equal(await statusOf(server, "POST", secrets, secret(`large-${i}`, long)), 201);
        assert.deepEqual(statuses, [429, 429]);
        release();
        await Promise.all(all);
        assert.deepEqual(statuses.toSorted(), [...Array<number>(heavyCallsOfWebhookMax).fill(201), 429, 429]);
        webhook.answer = (review) => answered(review, { allowed: false });
        assert.equal(await statusOf(server, "POST", configMaps, configMap("no", { long })), 400);
      });
    } finally {
      await webhook.close();
    }
  },
);
