import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer } from "thole/testing";
import { publish } from "./publisher.ts";

test("a site is published when its pods are available", async () => {
  await using server = await openTestServer({ simulate: true });
  await publish(server.api, "blog", "blog:1");
  const { items } = await server.api.list("v1", "pods", "default", { labelSelector: "site=blog" });
  assert.equal(items.length, 3);
});

test("a site whose image cannot be pulled is an error", async () => {
  await using server = await openTestServer({ simulate: true });
  const broken = { "simulation.thole.dev/waiting": "ImagePullBackOff" };
  await assert.rejects(publish(server.api, "blog", "blog:broken", broken), /has timed out progressing/);
});
