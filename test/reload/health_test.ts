// A server that was ready stays ready and alive while plugins, versions and gates are switched.
// In Deno's suite only: what is served after a reload does not depend on the runtime.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { definePlugin } from "../../core/define/define.ts";
import { plugins } from "../../plugins/mod.ts";
import { inFolder, type Served, served } from "../flags/served.ts";
import { until } from "../real-server.ts";

const everything = "plugins: []\n";
const switches = [
  "plugins: [-migration]\n",
  "plugins: [-storage, -csi]\n",
  "plugins: [configmaps]\n",
  "runtime-config: {api/all: true}\nfeature-gates: {AllAlpha: true}\n",
  "runtime-config: {v1/configmaps: false}\n",
  "feature-gates: {AllBeta: false}\n",
];

test("/readyz, /livez and /healthz never fail while the configuration is swapped", () =>
  inFolder(async (folder) => {
    const file = join(folder, "thole.yaml");
    await writeFile(file, everything);
    await served([`--config=${file}`], async ({ client, running, logged }) => {
      await until(async () => assert.equal((await client.ask("/readyz")).status, 200));
      const failures: string[] = [];
      let stopped = false, asked = 0;
      const asking = ["/readyz", "/livez", "/healthz", "/readyz?verbose&exclude=etcd"].map(async (path) => {
        while (!stopped) {
          const { status, text } = await client.ask(path);
          if (status !== 200) failures.push(`${path} ${status} ${text.split("\n").filter((line) => line.startsWith("[-]")).join(" ")}`);
          asked++;
        }
      });
      // Each change is followed at once by the next, and by one after a while.
      for (const text of [...switches, ...switches].flatMap((each) => [each, everything])) {
        const before = asked, told = logged.length;
        await writeFile(file, text);
        await running.reload();
        assert.ok(logged.slice(told).some((line) => /the configuration was read again and is active/.test(line)), text);
        while (asked < before + 40 && failures.length === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      stopped = true;
      await Promise.all(asking);
      assert.deepEqual([...new Set(failures)], []);
      assert.ok(asked > 500);
    });
  }));

test("a plugin that is added at run time and is not ready does not affect other plugins; only its own checks fail", () =>
  inFolder(async (folder) => {
    const file = join(folder, "thole.yaml");
    await writeFile(file, "plugins: [-late]\n");
    const mayGoOn = Promise.withResolvers<void>();
    const late = definePlugin({
      name: "late",
      summary: "Takes its time to begin with.",
      startHooks: [{ name: "late-hook", run: () => mayGoOn.promise }],
      controllers: [{
        name: "late",
        async run({ api }, signal) {
          for await (const _ of api.watch("v1", "configmaps", "", {}, signal)) await mayGoOn.promise;
        },
      }],
    });
    const prove = async ({ client, running }: Served) => {
      const statuses = () => Promise.all(["/readyz", "/livez", "/healthz"].map(async (path) => (await client.ask(path)).status));
      const own = ["/readyz/poststarthook/late-hook", "/readyz/poststarthook/start-late-controller"];
      const ownStatuses = () => Promise.all(own.map(async (path) => (await client.ask(path)).status));
      await until(async () => assert.deepEqual(await statuses(), [200, 200, 200]));
      assert.deepEqual(await ownStatuses(), [404, 404]);
      const path = "/api/v1/namespaces/default/configmaps";
      assert.equal((await client.ask(path, { method: "POST", body: { metadata: { name: "there-before" } } })).status, 201);
      await writeFile(file, "plugins: []\n");
      await running.reload();
      await until(async () =>
        assert.match((await client.ask("/readyz/informer-sync")).text, /1 informers not started yet: \[\*v1\.ConfigMap\]/)
      );
      assert.deepEqual([await statuses(), await ownStatuses()], [[200, 200, 200], [500, 500]]);
      assert.doesNotMatch((await client.ask("/readyz?verbose")).text, /late|\+\]informer-sync/);
      mayGoOn.resolve();
      await until(async () => assert.deepEqual(await ownStatuses(), [200, 200]));
      await until(async () => assert.match((await client.ask("/readyz?verbose")).text, /^\[\+\]informer-sync ok$/m));
      assert.match((await client.ask("/livez?verbose")).text, /^\[\+\]poststarthook\/late-hook ok$/m);
    };
    await served([`--config=${file}`], (server) => prove(server).finally(mayGoOn.resolve), [...plugins, late]);
  }));
