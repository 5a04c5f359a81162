// What the chart renders runs: etcd's members and the servers with the very words of their containers.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { issue } from "../../kernel/listen/test-clients.ts";
import { etcdMissing } from "../etcd.ts";
import { documents, httpsClient } from "../https.ts";
import { type Ran, run, type Runtime, runtimeMissing, runtimePath, startProgram, until } from "../real-server.ts";
import { chart, helmMissing, helms, render, the } from "./helm.ts";
import { addressOf, type Replica, startMembers, startReplica, textsOf } from "./installed.ts";

const root = join(chart, "../..");
const configMaps = "/api/v1/namespaces/default/configmaps";
const skip = helmMissing() || etcdMissing();

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-chart-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs a command of the image here. */
function runInImage(command: readonly string[], more: readonly string[] = []): Promise<Ran> {
  const [program, ...words] = command.map((word) => word.replace(/^\/thole\//, `${root}/`));
  assert.equal(program, "/bin/deno");
  return run(runtimePath("deno"), [...words, ...more], { timeoutMs: 30_000 });
}

/** What a client that retries on lost connections, and on nothing else, gets. */
interface Load {
  readonly acknowledged: string[];
  retries: number;
  readonly failures: string[];
}

/** Writes one object after the other, at whichever server takes connections, until `ending`. */
async function write(name: string, clients: () => readonly Client[], load: Load, ending: AbortSignal): Promise<void> {
  for (let count = 0; !ending.aborted; count++) {
    const object = `${name}-${count}`;
    for (let tries = 0;; tries++) {
      const all = clients();
      try {
        const answer = await all[(count + tries) % all.length]!.ask(configMaps, { method: "POST", body: { metadata: { name: object } } });
        // A retry may meet what the lost connection had written.
        if (answer.status === 201 || (tries > 0 && answer.status === 409)) load.acknowledged.push(object);
        else load.failures.push(`${object}: ${answer.status} ${answer.text}`);
        break;
      } catch {
        load.retries++;
        if (tries > 1000) throw new Error(`${object} was never taken`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
  }
}
type Client = ReturnType<typeof httpsClient>;

/** Watches on from where the last watch ended, at the next server; never lists. */
async function follow(clients: () => readonly Client[], from: string, seen: string[], ending: AbortSignal): Promise<void> {
  let version = from;
  for (let turn = 0; !ending.aborted; turn++) {
    const all = clients();
    try {
      const { status, chunks } = await all[turn % all.length]!.stream(
        `${configMaps}?watch=1&allowWatchBookmarks=true&resourceVersion=${version}`,
        { signal: ending },
      );
      assert.equal(status, 200);
      for await (const { type, object } of documents(chunks)) {
        assert.notEqual(type, "ERROR", JSON.stringify(object));
        version = object.metadata.resourceVersion;
        if (type === "ADDED") seen.push(object.metadata.name);
      }
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5)); // the server went
    }
  }
}

async function rollingRestart(runtime: Runtime): Promise<void> {
  await inFolder(async (folder) => {
    const objects = await render(
      helms()[0]!,
      ...["--set", "certificates.mode=helm,replicaCount=3,liveSettings.shutdown-delay-duration=300ms"],
      ...["--set", `etcd.extraNames={${[0, 1, 2].map(addressOf).join(",")}}`],
    );
    const workload = the(objects, "Deployment", "demo-thole");
    const members = await startMembers(objects, "demo-thole", folder);
    const replicas: Replica[] = [];
    const clients: Client[] = [];
    try {
      const start = (index: number, port?: number) =>
        startReplica(objects, workload, join(folder, `server-${index}`), {
          addressed: members.addressed,
          runtime,
          ...(port === undefined ? {} : { port }),
        });
      for (let index = 0; index < 3; index++) replicas.push(await start(index));
      const ca = textsOf(the(objects, "Secret", "demo-thole-tls"))["ca.crt"]!;
      const token = textsOf(the(objects, "Secret", "demo-thole-tokens"))["admin-token"]!;
      for (const { port } of replicas) clients.push(httpsClient({ port, ca, token }));
      const begun = (await clients[0]!.ask(configMaps)).json().metadata.resourceVersion;

      const load: Load = { acknowledged: [], retries: 0, failures: [] };
      const seen: string[] = [];
      const writing = new AbortController(), watching = new AbortController();
      const writers = ["a", "b", "c"].map((name) => write(name, () => clients, load, writing.signal));
      const watcher = follow(() => clients, begun, seen, watching.signal);
      for (let index = 0; index < 3; index++) {
        const before = load.acknowledged.length;
        await until(() => assert.ok(load.acknowledged.length > before + 30));
        replicas[index]!.signal("SIGTERM");
        assert.equal(await replicas[index]!.exited, 0, replicas[index]!.errors());
        replicas[index] = await start(index, replicas[index]!.port);
      }
      const before = load.acknowledged.length;
      await until(() => assert.ok(load.acknowledged.length > before + 30));
      writing.abort();
      await Promise.all(writers);
      assert.deepEqual(load.failures, [], `${load.acknowledged.length} writes, ${load.retries} retries`);
      const listed = (await clients[0]!.ask(configMaps)).json().items.map((item: { metadata: { name: string } }) => item.metadata.name);
      assert.deepEqual(load.acknowledged.filter((name) => !listed.includes(name)), [], "nothing acknowledged is lost");
      await until(() => assert.deepEqual(seen.toSorted(), listed.toSorted(), "the watch saw each object once"));
      watching.abort();
      await watcher;
    } finally {
      clients.forEach((client) => client.close());
      for (const replica of replicas) replica.signal("SIGTERM");
      await Promise.all(replicas.map((replica) => replica.exited));
      await members.stop();
    }
  });
}

describe("the rendered chart runs", { skip }, () => {
  for (const runtime of ["deno", "node"] as const) {
    it(`with three members and three servers on ${runtime}, which are restarted in turn without a failed request or a gap in a watch`, {
      skip: runtimeMissing(runtime),
    }, () => rollingRestart(runtime));
  }

  it("with one server and the embedded store, whose health the commands of its pods tell", async () => {
    await inFolder(async (folder) => {
      const objects = await render(
        helms()[0]!,
        ...["--set", "certificates.mode=helm,replicaCount=1,store.type=embedded,settings.anonymous-auth=false"],
      );
      const { spec } = the(objects, "Pod", "demo-thole-test");
      const server = await startReplica(objects, the(objects, "StatefulSet", "demo-thole"), folder);
      const here = (words: readonly string[]) =>
        words.map((word) =>
          word.replace(/https:\/\/[^/]+/, `https://127.0.0.1:${server.port}`).replace("=/etc/thole/", `=${folder}/etc/thole/`)
        );
      try {
        const asked = await runInImage(here(spec.containers[0].command));
        assert.deepEqual([asked.code, asked.output], [0, "ok\n"], asked.errors);
        const [container] = the(objects, "StatefulSet", "demo-thole")["spec"].template.spec.containers;
        const probed = await runInImage(here(container.readinessProbe.exec.command));
        assert.equal(probed.code, 0, probed.errors);
        const stranger = await runInImage(
          here(container.readinessProbe.exec.command.filter((word: string) => !word.startsWith("--token"))),
        );
        assert.equal(stranger.code, 1);
        assert.match(stranger.errors, /^unhealthy: 401 /);
        const other = join(folder, "other.crt");
        await writeFile(other, issue({ usage: "ca", commonName: "other" }).cert);
        const deceived = await runInImage(
          here(spec.containers[0].command).map((word) => word.replace(/^--ca-file=.*/, `--ca-file=${other}`)),
        );
        assert.equal(deceived.code, 1, "a server of another authority is none of ours");
      } finally {
        server.signal("SIGTERM");
        assert.equal(await server.exited, 0);
      }
      const gone = await runInImage(here(spec.containers[0].command));
      assert.equal(gone.code, 1);
      assert.match(gone.errors, /^unhealthy: .*ECONNREFUSED|refused/);
    });
  });
});

it("npm start has the permissions to make a certificate for every address", async () => {
  // It stops at the files that are not there, and listens nowhere.
  const nowhere = ["--tls-cert-file=/nonexistent/tls.crt", "--tls-private-key-file=/nonexistent/tls.key"];
  const program = await startProgram(["--bind-address=0.0.0.0", "--data-dir=:memory:", "--secure-port=0", ...nowhere]);
  assert.equal(await program.exited, 1);
  assert.match(program.errors(), /nonexistent/);
  assert.doesNotMatch(program.errors(), /access to/);
});
