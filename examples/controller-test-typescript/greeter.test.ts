import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import { type Running, start } from "thole";
import { runGreeter } from "./greeter.ts";

let server: Running;
const config = new KubeConfig();
const ending = new AbortController();

before(async () => {
  server = await start({ settings: { "data-dir": ":memory:", "secure-port": 0 } });
  config.loadFromString(server.kubeconfigText);
});
after(async () => {
  ending.abort();
  await server.close();
});

test("a ConfigMap with the label gets its greeting, also after a change", async () => {
  await runGreeter(config, "default", ending.signal);
  const api = config.makeApiClient(CoreV1Api);
  const name = "one", namespace = "default";
  const greets = async (text: string) => {
    for (let attempt = 0; attempt < 500; attempt++) {
      const { data } = await api.readNamespacedConfigMap({ name, namespace });
      if (data?.["text"] === text) return;
      await pause(20);
    }
    assert.fail(`no ${text}`);
  };
  await api.createNamespacedConfigMap({ namespace, body: { metadata: { name, labels: { greet: "world" } } } });
  await greets("Hello, world");
  const body = await api.readNamespacedConfigMap({ name, namespace });
  await api.replaceNamespacedConfigMap({ name, namespace, body: { ...body, metadata: { ...body.metadata, labels: { greet: "Thole" } } } });
  await greets("Hello, Thole");
});
