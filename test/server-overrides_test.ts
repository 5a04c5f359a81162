// --etcd-servers-overrides: events in an etcd of their own.
// In Deno's suite only: stores and caches are tested on both runtimes; here is where which object goes.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { openEtcd } from "../kernel/store/etcd/etcd.ts";
import { etcdMissing, startEtcd } from "./etcd.ts";
import { documents } from "./https.ts";
import { ownRuntime, run, runtimePath, until } from "./real-server.ts";
import { within } from "./stores.ts";

const events = "/api/v1/namespaces/default/events", newEvents = "/apis/events.k8s.io/v1/namespaces/default/events";
const eventOf = (name: string) => ({ metadata: { name }, involvedObject: { namespace: "default" }, type: "Normal", reason: "Tested" });

async function keysIn(endpoint: string): Promise<{ readonly keys: readonly string[]; readonly values: string; readonly revision: number }> {
  const store = await openEtcd({ endpoints: [endpoint] });
  try {
    const { entries, revision } = await store.list({ prefix: "" });
    return {
      keys: entries.map(({ key }) => key),
      values: entries.map(({ value }) => new TextDecoder("latin1").decode(value)).join("\n"),
      revision,
    };
  } finally {
    await store.close();
  }
}

test(
  "events in an etcd of their own: writes, lists, watches, encryption, compaction, health, metrics, verify",
  { skip: etcdMissing() },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "thole-overrides-")), file = join(folder, "encryption.yaml");
    const keys = [{ name: "one", secret: btoa("k".repeat(32)) }];
    await writeFile(
      file,
      JSON.stringify({
        apiVersion: "apiserver.config.k8s.io/v1",
        kind: "EncryptionConfiguration",
        resources: [{ resources: ["events"], providers: [{ secretbox: { keys } }, { identity: {} }] }],
      }),
    );
    const [main, other] = await Promise.all([startEtcd(), startEtcd()]);
    try {
      // An event from before, which is not seen any more, and revisions that differ.
      await within([`--etcd-servers=${main.endpoint}`], async ({ ask }) => {
        assert.equal((await ask(events, { method: "POST", body: eventOf("before") })).status, 201);
      });
      const flags = [
        `--etcd-servers=${main.endpoint}`,
        `--etcd-servers-overrides=/events#${other.endpoint},coordination.k8s.io/leases#${other.endpoint}`,
        `--encryption-provider-config=${file}`,
      ];
      await within(flags, async ({ ask, stream }) => {
        const body = async (path: string, options = {}, status = 200) => {
          const answer = await ask(path, options);
          assert.equal(answer.status, status, answer.text);
          return answer.json();
        };
        const empty = await body(events);
        assert.deepEqual(empty.items, []);
        const watching = await stream(`${events}?watch=true&resourceVersion=${empty.metadata.resourceVersion}`);
        const { metadata: { resourceVersion } } = await body(events, { method: "POST", body: eventOf("one") }, 201);
        const { value: seen } = await documents(watching.chunks)[Symbol.asyncIterator]().next();
        assert.deepEqual([seen.type, seen.object.metadata.name, seen.object.metadata.resourceVersion], ["ADDED", "one", resourceVersion]);
        await body(events, { method: "POST", body: eventOf("two") }, 201);
        const page = await body(`${events}?limit=1`);
        assert.deepEqual(
          (await body(`${events}?limit=1&continue=${page.metadata.continue}`)).items.map((each: any) => each.metadata.name),
          ["two"],
        );
        assert.equal((await body(`${newEvents}/one`)).reason, "Tested");
        await body("/api/v1/namespaces/default/configmaps", { method: "POST", body: { metadata: { name: "here" } } }, 201);
        // Leases are cached, events are not.
        const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
        const lease = await body(leases, { method: "POST", body: { metadata: { name: "held" } } }, 201);
        assert.equal((await body(`${leases}/held?resourceVersion=0`)).metadata.uid, lease.metadata.uid);
        assert.deepEqual((await body(`${leases}?resourceVersion=${lease.metadata.resourceVersion}`)).items.length, 1);

        const [here, there] = await Promise.all([keysIn(main.endpoint), keysIn(other.endpoint)]);
        assert.deepEqual(here.keys.filter((key) => key.includes("/events/")), ["/registry/events/default/before"]);
        assert.ok(here.keys.includes("/registry/configmaps/default/here"));
        const own = there.keys.filter((key) => key.startsWith("/registry/") && !key.startsWith("/registry/leases/kube-system/"));
        assert.deepEqual(own, ["events/default/one", "events/default/two", "leases/default/held"].map((key) => `/registry/${key}`));
        assert.deepEqual(here.keys.filter((key) => key.includes("/leases/default")), []);
        assert.match(there.values, /^k8s:enc:secretbox:v1:one:/m);
        assert.doesNotMatch(there.values, /Tested/);
        assert.ok(Number((await body(events)).metadata.resourceVersion) <= there.revision, "revisions are those of its etcd");
        // Both are compacted.
        await until(async () => {
          for (const { endpoint } of [main, other]) assert.ok((await keysIn(endpoint)).keys.includes("compact_rev_key"));
        });

        const ready = (await ask("/readyz?verbose")).text;
        for (const name of ["etcd", "etcd-readiness", "etcd-override-0", "etcd-override-readiness-0"]) {
          assert.match(ready, new RegExp(`^\\[\\+\\]${name} ok$`, "m"));
        }
        const metrics = (await ask("/metrics")).text;
        for (const id of ["etcd-0", "etcd-1"]) {
          assert.match(metrics, new RegExp(`^apiserver_storage_size_bytes\\{storage_cluster_id="${id}"\\} [1-9]`, "m"));
        }
        assert.match(metrics, /^apiserver_resource_objects\{group="",resource="events"\} 2$/m);

        const program = fileURLToPath(new URL("../server/main.ts", import.meta.url));
        const runtime = ownRuntime === "deno" ? ["run", "-A", "--no-check"] : ["--disable-warning=ExperimentalWarning"];
        const verified = await run(runtimePath(ownRuntime), [...runtime, program, "verify", ...flags, "--output=json"]);
        assert.equal(verified.code, 0, verified.errors);

        // Without the other etcd everything else goes on.
        await other.stop();
        assert.equal((await ask("/api/v1/namespaces/default/configmaps/here")).status, 200);
        await until(async () => {
          const unready = (await ask("/readyz?verbose")).text;
          assert.match(unready, /^\[-\]etcd-override-0 failed/m);
          assert.match(unready, /^\[\+\]etcd ok$/m);
        });
        await body("/api/v1/namespaces/default/configmaps", { method: "POST", body: { metadata: { name: "still" } } }, 201);
      });
    } finally {
      await Promise.all([main.stop(), other.stop()]);
      await rm(folder, { recursive: true, force: true });
    }
  },
);
