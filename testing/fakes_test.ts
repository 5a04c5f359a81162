// In Deno's suite only: the fakes are plain objects.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ControllerContext } from "../core/controller.ts";
import { definePlugin } from "../core/define/define.ts";
import { defineMetric } from "../metrics/mod.ts";
import { fakeApi, fakeContext } from "./fakes.ts";
import { openTestServer } from "./server.ts";

const thing = { apiVersion: "v1", kind: "Thing", metadata: { name: "a" } };

test("fakeApi() has the given methods, and the others throw with their name", async () => {
  const api = fakeApi({ get: () => Promise.resolve(thing) });
  assert.equal(await api.get("v1", "things", "default", "a"), thing);
  assert.throws(() => api.list("v1", "configmaps", "default"), { message: "Api.list is not expected to be called" });
});

test("fakeContext() has the given members, and those of a server that serves nothing", async () => {
  const logged: string[] = [];
  const context = fakeContext({ logError: (sentence) => logged.push(sentence) });
  context.logError("one");
  assert.deepEqual(logged, ["one"]);
  assert.equal(context.gates("Any"), false);
  assert.equal(context.isDeclared("", "pods"), false);
  assert.deepEqual([context.types.resources("v1"), context.types.schemaOf({ group: "", version: "v1", kind: "Pod" })], [[], undefined]);
  assert.deepEqual([context.rootCertificates, context.issueLegacyToken], [undefined, undefined]);
  const counted = defineMetric({ name: "example_things_total", type: "counter", help: "Things.", labels: ["colour"], stability: "ALPHA" });
  context.metric(counted).with({ colour: "red" }).add();
  const progress = context.progress("counting things");
  progress.done(1);
  progress.end();
  context.events.record(thing, { type: "Normal", reason: "Made", action: "Making", note: "It is made." });
  await assert.rejects(async () => await context.api.get("v1", "pods", "default", "a"), /^Error: Api\.get is not expected to be called$/);
});

test("the contexts of controllers and start hooks have every member of a fake one, with a value", async () => {
  const got = { controller: Promise.withResolvers<ControllerContext>(), hook: Promise.withResolvers<ControllerContext>() };
  const run = (which: keyof typeof got) => (context: ControllerContext) => {
    got[which].resolve(context);
    return Promise.resolve();
  };
  const plugin = definePlugin({
    name: "watching",
    summary: "For tests.",
    controllers: [{ name: "watching", run: run("controller") }],
    startHooks: [{ name: "watched", run: run("hook") }],
  });
  await using _server = await openTestServer({ plugins: [plugin] });
  const members = Object.keys(fakeContext({})).toSorted();
  for (const context of [await got.controller.promise, await got.hook.promise]) {
    assert.deepEqual(Object.keys(context).toSorted(), members);
    assert.equal(typeof context.issueLegacyToken, "function");
    assert.match(context.rootCertificates ?? "none", /^(none|-----BEGIN)/);
  }
});
