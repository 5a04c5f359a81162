// Large custom resources are processed by the heavy thread, which has a copy of the definitions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "../core/limits.ts";
import { withDefaults } from "../kernel/config/parse.ts";
import { handle } from "../kernel/handle.ts";
import { startHeavyThread } from "../kernel/heavy/thread.ts";
import { silentLog } from "../kernel/observe/log.ts";
import type { Exchange } from "../kernel/request/exchange.ts";
import type { Server } from "../kernel/server.ts";
import { openServer } from "../kernel/startup/open-server.ts";
import { plugins } from "../plugins/mod.ts";
import { until } from "./real-server.ts";

const group = "example.com", things = `/apis/${group}/v1/things`;
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const schema = { openAPIV3Schema: { type: "object", properties: { text: { type: "string" } } } };
const definition = {
  metadata: { name: `things.${group}` },
  spec: {
    group,
    scope: "Cluster",
    names: { plural: "things", kind: "Thing" },
    versions: [{ name: "v1", served: true, storage: true, schema }],
  },
};
const text = "x".repeat(limits.inlineBodyBytesMax + 1);
const thing = (name: string, finalizers: readonly string[] = []) => ({
  apiVersion: `${group}/v1`,
  kind: "Thing",
  metadata: { name, finalizers },
  text,
});

async function statusOf(server: Server, method: string, url: string, body?: object): Promise<number> {
  const bytes = Buffer.from(body === undefined ? "" : JSON.stringify(body));
  const exchange: Exchange = {
    method,
    url,
    headers: { "content-type": "application/json", "user-agent": "test" },
    body: () => Promise.resolve(bytes),
    peer: undefined,
    remote: "",
    protocol: "HTTP/1.1",
    signal: new AbortController().signal,
  };
  return (await handle(exchange, server)).status;
}

test(
  "the heavy thread serves custom resources, and creates none while their definition is being deleted",
  { timeout: 120_000 },
  async () => {
    let jobs = 0;
    const config = withDefaults({ "data-dir": ":memory:" });
    const opened = await openServer({
      config,
      plugins,
      log: silentLog,
      startHeavy(...to) {
        const { post, end } = startHeavyThread(...to);
        return {
          post(message, transfer) {
            if (message.tag === "job") jobs++;
            post(message, transfer);
          },
          end,
        };
      },
    });
    try {
      await opened.bootstrapped;
      const admin = { name: "admin", groups: ["system:masters"] };
      const server: Server = Object.create(opened.server, { authenticate: { value: () => Promise.resolve(admin) } });
      assert.equal(await statusOf(server, "POST", definitions, definition), 201);
      await until(async () => assert.equal(await statusOf(server, "GET", things), 200));
      assert.equal(await statusOf(server, "POST", things, thing("a", ["example.com/hold"])), 201);
      assert.equal(jobs, 1);
      assert.equal(await statusOf(server, "DELETE", `${definitions}/things.${group}`), 200);
      // A dry run, because the condition is not there at once.
      await until(async () => assert.equal(await statusOf(server, "POST", `${things}?dryRun=All`, thing("b")), 403));
    } finally {
      await opened.close();
    }
  },
);
