// A server with two workers: both serve, one speaks for both, and none is left behind.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { type EtcdServer, startEtcd } from "../etcd.ts";
import { type Client, documents, httpsClient } from "../https.ts";
import { ownRuntime, type RealServer, signal, startProgram, startRealServer, until } from "../real-server.ts";
import { isAlive, metric, path, reachBoth, skip } from "./workers.ts";

/** Between two writes of a client while a worker starts: each opens a connection. */
const writePauseMs = 50;

describe("a server with two workers", { skip }, () => {
  let etcd: EtcdServer, server: RealServer, client: Client, folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "thole-workers-"));
    await writeFile(join(folder, "thole.yaml"), "");
    await writeFile(
      join(folder, "policy.yaml"),
      "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata, resources: [{resources: [configmaps]}], verbs: [create]}]\n",
    );
    etcd = await startEtcd();
    const args = [
      "--workers=2",
      `--etcd-servers=${etcd.endpoint}`,
      `--config=${join(folder, "thole.yaml")}`,
      `--audit-policy-file=${join(folder, "policy.yaml")}`,
      `--audit-log-path=${join(folder, "audit", "audit.log")}`,
      "--shutdown-delay-duration=3s",
    ];
    server = await startRealServer({ runtime: ownRuntime, folder, args });
    client = httpsClient({ ...server, single: true });
  });
  after(async () => {
    client?.close();
    await server?.close();
    await etcd?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test("both serve requests, and metrics, health and the status page speak for both", async () => {
    await reachBoth(client);
    const watches = { verb: "WATCH", resource: "configmaps" };
    const abort = new AbortController(), before = await metric(client, "apiserver_longrunning_requests", watches);
    const open = await Promise.all(
      Array.from({ length: 8 }, () => client.stream(`${path}?watch=1&resourceVersion=0`, { signal: abort.signal })),
    );
    assert.ok(open.every(({ status }) => status === 200));
    await until(async () => assert.equal(await metric(client, "apiserver_longrunning_requests", watches), before + 8, "a sum of both"));
    const lists = () => metric(client, "apiserver_request_total", { verb: "LIST", resource: "secrets" });
    const seconds = () => metric(client, "apiserver_request_duration_seconds_count", { verb: "LIST", resource: "secrets" });
    const [listed, timed] = [await lists(), await seconds()];
    for (let at = 0; at < 20; at++) await client.ask("/api/v1/namespaces/default/secrets");
    assert.deepEqual([await lists() - listed, await seconds() - timed], [20, 20], "counters and histograms of both, whichever is asked");
    assert.equal(await metric(client, "thole_workers", { state: "ready" }), 2);
    assert.equal(await metric(client, "leader_election_master_status"), 1, "controllers run in one of them");
    assert.equal(
      await metric(client, "apiserver_resource_objects", { resource: "namespaces" }),
      4,
      "no sum: both count the same objects",
    );
    assert.match((await client.ask("/readyz?verbose")).text, /^\[\+\]worker-1 ok\n\[\+\]worker-2 ok$/m);
    assert.match((await client.ask("/", { headers: { accept: "text/html" } })).text, /<dt>workers<\/dt><dd>2 of 2<\/dd>/);
    assert.equal((await client.ask("/metrics/slis")).text.match(/^# TYPE kubernetes_healthcheck gauge$/gm)?.length, 1);
    abort.abort();
    const kubeconfig = await readFile(server.kubeconfig, "utf8");
    assert.match(kubeconfig, new RegExp(`server: "?https://127\\.0\\.0\\.1:${server.port}`));
  });

  test("a token, a version, a continued list and a consistent read of one worker are good at the other", async () => {
    const tokenPath = "/api/v1/namespaces/default/serviceaccounts/default/token";
    await until(async () => assert.equal((await client.ask("/api/v1/namespaces/default/serviceaccounts/default")).status, 200));
    const made = await client.ask(tokenPath, {
      method: "POST",
      body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
    });
    assert.equal(made.status, 201, made.text);
    const headers = { authorization: `Bearer ${made.json().status.token}` };
    for (let at = 0; at < 12; at++) {
      const self = await client.ask("/apis/authentication.k8s.io/v1/selfsubjectreviews", {
        method: "POST",
        headers,
        body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
      });
      assert.equal(self.status, 201, self.text);
    }
    for (let at = 0; at < 30; at++) {
      const name = `each-${at}`;
      const { metadata } = (await client.ask(path, { method: "POST", body: { metadata: { name } } })).json();
      assert.equal((await client.ask(`${path}/${name}`)).status, 200, "a read after a write, at whichever worker");
      const least = (await client.ask(`${path}?resourceVersion=${metadata.resourceVersion}&fieldSelector=metadata.name=${name}`)).json();
      assert.equal(least.items.length, 1);
    }
    const names: string[] = [];
    for (let next = "";;) {
      const { items, metadata } = (await client.ask(`${path}?limit=3&continue=${encodeURIComponent(next)}`)).json();
      names.push(...items.map((each: { metadata: { name: string } }) => each.metadata.name));
      if ((next = metadata.continue ?? "") === "") break;
    }
    assert.equal(new Set(names).size, names.length);
    assert.equal(names.filter((name) => name.startsWith("each-")).length, 30);
  });

  test("one process writes the audit log of both workers, whole lines", async () => {
    await reachBoth(client);
    const names = Array.from({ length: 60 }, (_, at) => `audited-${at}`);
    await Promise.all(names.map((name) => client.ask(path, { method: "POST", body: { metadata: { name } } })));
    await until(async () => {
      const lines = (await readFile(join(folder, "audit", "audit.log"), "utf8")).trimEnd().split("\n").map((line) => JSON.parse(line));
      const made = lines.filter(({ verb, stage, objectRef }) =>
        verb === "create" && stage === "ResponseComplete" && objectRef.name.startsWith("audited-")
      ).map(({ objectRef }) => objectRef.name);
      assert.deepEqual(made.toSorted(), names.toSorted());
    });
  });

  test("a reload reaches both workers: by SIGHUP, by a changed file, and of credentials", async () => {
    const status = async (headers = {}) => {
      const all = await Promise.all(Array.from({ length: 12 }, () => client.ask(path, { headers })));
      return [...new Set(all.map((each) => each.status))];
    };
    await writeFile(join(folder, "thole.yaml"), "plugins: [-configmaps]\n");
    server.signal("SIGHUP");
    await until(async () => assert.deepEqual(await status(), [404]));
    assert.equal(await metric(client, "apiserver_config_controller_automatic_reloads_total", { status: "success" }), 2);
    await writeFile(join(folder, "thole.yaml"), "etcd-prefix: /elsewhere\n");
    await until(() =>
      assert.equal(server.errors().match(/rejected; the previous one stays active.*setting \\"etcd-prefix\\" cannot change/g)?.length, 2)
    );
    await writeFile(join(folder, "thole.yaml"), "plugins: []\n");
    await until(async () => assert.deepEqual(await status(), [200]));
    await writeFile(join(folder, "tokens.csv"), `${server.token},admin,1,system:masters\nanother,second,2,system:masters\n`);
    await until(async () => assert.deepEqual(await status({ authorization: "Bearer another" }), [200]));
  });

  test("a killed worker is replaced: readyz names it, no acknowledged write is lost, watches go on, and no counter falls", async () => {
    await reachBoth(client);
    const watcher = httpsClient(server), seen = new Set<string>(), ending = new AbortController();
    const watching = (async () => {
      for (let version = "0"; !ending.signal.aborted;) {
        try {
          const { chunks } = await watcher.stream(`${path}?watch=1&allowWatchBookmarks=true&resourceVersion=${version}`, {
            signal: ending.signal,
          });
          for await (const { object } of documents(chunks)) {
            version = object.metadata.resourceVersion;
            seen.add(object.metadata.name);
          }
        } catch {
          // Its worker was killed: another watch begins after the last event.
        }
      }
    })();
    const kept: string[] = [];
    let isOver = false, next = 0;
    const writing = Promise.all(Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const name = `kept-${next++}`;
        const answer = await client.ask(path, { method: "POST", body: { metadata: { name } } }).catch(() => undefined);
        if (answer?.status === 201) kept.push(name);
        await setTimeout(writePauseMs);
      }
    }));
    const total = async () => (await Promise.all([
      metric(client, "apiserver_request_total"),
      metric(client, "thole_worker_requests_total", { worker: "1" }),
      metric(client, "thole_worker_requests_total", { worker: "2" }),
    ]));
    await until(() => assert.ok(kept.length > 20));
    for (const worker of [2, 1]) {
      const before = await total(), pid = server.workers().get(worker)!, restarts = await metric(client, "thole_worker_restarts_total");
      signal(pid, "SIGKILL");
      await until(async () => {
        const { status, text } = await client.ask("/readyz");
        assert.equal(status, 500);
        assert.match(text, new RegExp(`^\\[-\\]worker-${worker} failed: reason withheld$`, "m"));
        assert.equal((await client.ask("/livez")).status, 200);
      });
      const after = await total();
      assert.ok(after.every((value, index) => value >= before[index]!), `${before} to ${after}`);
      await until(async () => assert.equal((await client.ask("/readyz")).status, 200));
      assert.notEqual(server.workers().get(worker), pid);
      assert.equal(await metric(client, "thole_worker_restarts_total"), restarts + 1);
      assert.match(server.errors(), new RegExp(`"a worker has ended and is started again" worker=${worker} .*SIGKILL`));
    }
    isOver = true;
    await writing;
    const found = new Set((await client.ask(path)).json().items.map((each: { metadata: { name: string } }) => each.metadata.name));
    assert.deepEqual(kept.filter((name) => !found.has(name)), []);
    await until(() => assert.deepEqual([...found].filter((name) => !seen.has(name as string)), []));
    ending.abort();
    await watching;
    watcher.close();
  });

  test("another server on its port ends with 1", async () => {
    const second = await startProgram(
      ["--workers=2", `--etcd-servers=${etcd.endpoint}`, `--secure-port=${server.port}`, `--data-dir=${join(folder, "b")}`],
      ownRuntime,
      folder,
    );
    assert.equal(await second.exited, 1);
    assert.match(second.errors(), /^thole: cannot start: cannot listen on 127\.0\.0\.1, port \d+: .*(EADDRINUSE|in use)/m);
  });

  test("a first worker that cannot start ends the program with 1", async () => {
    // No authority in the folder of the server's certificates.
    await mkdir(join(folder, "c", "pki"), { recursive: true });
    await writeFile(join(folder, "c", "pki", "ca.crt"), "no certificate");
    const args = ["--workers=2", `--etcd-servers=${etcd.endpoint}`, "--secure-port=0", `--data-dir=${join(folder, "c")}`];
    const third = await startProgram(args, ownRuntime, folder);
    assert.equal(await third.exited, 1);
    assert.match(third.errors(), /^thole: cannot start: Cannot use the authority/m);
    assert.doesNotMatch(third.errors(), /started again/);
  });

  test("SIGTERM ends all workers gracefully and exits with 0", async () => {
    const told = server.errors().length;
    const watches = await Promise.all(Array.from({ length: 6 }, () => client.stream(`${path}?watch=1&resourceVersion=0`)));
    const pids = [...server.workers().values()];
    assert.equal(pids.length, 2);
    // As systemd or a terminal: the signal goes to all processes of the group.
    for (const pid of pids) signal(pid, "SIGTERM");
    server.signal("SIGTERM");
    await until(async () =>
      assert.match(
        (await client.ask("/readyz?verbose")).text,
        /\[-\]shutdown failed(.|\n)*\[-\]worker-1 failed(.|\n)*\[-\]worker-2 failed/,
      )
    );
    assert.equal((await client.ask(path, { method: "POST", body: { metadata: { name: "late" } } })).status, 201, "it still answers");
    for (const { chunks } of watches) for await (const _ of chunks);
    assert.equal(await server.exited, 0, server.errors());
    assert.deepEqual(pids.filter(isAlive), []);
    assert.doesNotMatch(server.errors().slice(told), /^E\d{4}/m, "the shutdown is no error");
  });

  test("SIGKILL of the supervisor leaves no worker", async () => {
    const args = ["--workers=2", `--etcd-servers=${etcd.endpoint}`];
    const second = await startRealServer({ runtime: ownRuntime, folder, args });
    const orphans = [...second.workers().values()];
    second.signal("SIGKILL");
    await second.exited;
    assert.equal(orphans.length, 2);
    await until(() => assert.deepEqual(orphans.filter(isAlive), []));
  });
});
