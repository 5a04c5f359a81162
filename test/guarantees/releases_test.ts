// Two servers on one etcd are upgraded one after the other, and go back, under load: to releases of a plugin that serve one more version, store in it,
// and have one more field; and from an emulated release to this one.
import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { settings } from "../../server/config/settings.ts";
import { openEtcd } from "../../kernel/store/etcd/etcd.ts";
import { etcdMissing, startEtcds } from "../etcd.ts";
import type { Client } from "../https.ts";
import { runtimeMissing, startSkipped, until } from "../real-server.ts";
import { configMaps } from "./actors.ts";
import { violations } from "./checkers.ts";
import { Host } from "./host.ts";
import { eventsOf, startLoad, told } from "./load.ts";

const wellMs = 60_000;
/** Acknowledged writes and reads with each pair of releases. */
const pairWrites = 30;
const seed = Math.floor(Math.random() * 2 ** 32);
const skip = etcdMissing() || startSkipped("deno") || runtimeMissing("node");
/** Each change of a release is a start under load: the suite has the first of the three sequences, `npm run test:faults` all. */
const skipLong = skip || (process.env["THOLE_FAULTS_SECONDS"] === undefined ? "npm run test:faults runs it" : false);

interface Pair {
  readonly a: Host;
  readonly b: Host;
  /** The apiVersions of the values under a prefix of keys, by the last word of the key. */
  versions(prefix: string): Promise<ReadonlyMap<string, string>>;
}
interface Step {
  readonly name: string;
  readonly host: "a" | "b";
  readonly flags: readonly string[];
  /** What holds with this pair, while the load goes on. */
  readonly check?: (pair: Pair) => Promise<void>;
}

/** Starts two servers with these flags and takes the steps under load, of which nothing may be lost. */
async function roll(
  flags: readonly string[],
  load: { readonly path: string; readonly type: object },
  first: Step["check"],
  steps: readonly Step[],
) {
  const members = await startEtcds({ members: 1 });
  const hosts: Host[] = [];
  const log: string[] = [];
  try {
    for (const runtime of ["deno", "node"] as const) hosts.push(await Host.open(runtime, members, 1, flags));
    const [a, b] = hosts as [Host, Host];
    const pair: Pair = {
      a,
      b,
      async versions(prefix) {
        const store = await openEtcd({ endpoints: [members[0]!.endpoint] });
        try {
          const { entries } = await store.list({ prefix });
          return new Map(entries.map(({ key, value }) => [key.split("/").at(-1)!, JSON.parse(new TextDecoder().decode(value)).apiVersion]));
        } finally {
          await store.close();
        }
      },
    };
    const running = await startLoad((random) => hosts[Math.floor(random() * hosts.length)]!.client(), seed, load.path, load.type);
    try {
      const goesOn = async () => {
        const goal = running.progress() + pairWrites;
        await until(() => assert.ok(running.progress() >= goal, "writes and reads go on"), wellMs);
      };
      await goesOn();
      await first?.(pair);
      for (const { name, host, flags, check } of steps) {
        log.push(name);
        await pair[host].replace(flags);
        await goesOn();
        await check?.(pair);
      }
      await running.finish();
    } finally {
      running.abandon();
    }
    console.log(`seed ${seed}: ${told(running)}; ${log.join(", ")}`);
    assert.deepEqual(violations(running.history), [], `seed ${seed}: ${told(running)}`);
    assert.ok(eventsOf(running.history.chains) > 100, `the history is too small for a proof: ${told(running)}`);
  } catch (error) {
    console.log(`seed ${seed}: ${log.join(", ")}; ${hosts.map((host) => host.log()).join("\n\n")}`);
    throw error;
  } finally {
    for (const host of hosts) await host.close();
    for (const member of members) await member.stop();
  }
}

async function ok(
  client: Client,
  path: string,
  request?: { method: string; body: unknown; headers?: Record<string, string> },
): Promise<any> {
  const answer = await client.ask(path, request);
  assert.ok(answer.status === 200 || answer.status === 201, `${request?.method ?? "GET"} ${path}: ${answer.status} ${answer.text}`);
  return answer.json();
}
const create = (host: Host, path: string, body: object) => ok(host.client(), path, { method: "POST", body });
const patch = (host: Host, path: string, body: object) =>
  ok(host.client(), path, { method: "PATCH", headers: { "content-type": "application/merge-patch+json" }, body });
/** Reads through both servers, not older than what the other has stored. */
async function onBoth({ a, b }: Pair, path: string, read: (object: any) => void): Promise<void> {
  for (const host of [a, b]) read(await ok(host.client(), path));
}

const promise = "nothing acknowledged is lost and no watch skips, repeats or reorders";
const pluginOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const rods = (version: string) => `/apis/rods.example.com/${version}/namespaces/default/rods`;
const stored = "/registry/rods.example.com/rods/";

test(`${promise} while two servers change to a release with one more version, to one that stores it, and back`, { skip }, () => {
  const only = [`--plugins=cluster,${pluginOf("../migration/rods-only-v1.ts")}`];
  const added = [`--plugins=cluster,${pluginOf("../migration/rods-v1.ts")}`],
    changed = [`--plugins=cluster,${pluginOf("../migration/rods-v2.ts")}`];
  const length = (wanted: string) => (object: any) => assert.equal(object.spec.length, wanted);
  const millimetres = (wanted: number) => (object: any) => assert.equal(object.spec.millimetres, wanted);
  const seen = { metadata: { annotations: { "example.com/seen": "yes" } } };
  return roll(only, { path: rods("v1"), type: { apiVersion: "rods.example.com/v1", kind: "Rod" } }, async ({ a }) => {
    await create(a, rods("v1"), { metadata: { name: "first" }, spec: { length: "1mm" } });
  }, [
    {
      name: "b serves v2",
      host: "b",
      flags: added,
      async check(pair) {
        const { a, b } = pair;
        millimetres(1)(await ok(b.client(), `${rods("v2")}/first`));
        assert.equal((await a.client().ask(`${rods("v2")}/first`)).status, 404);
        await create(b, rods("v2"), { metadata: { name: "second" }, spec: { millimetres: 2 } });
        await onBoth(pair, `${rods("v1")}/second`, length("2mm"));
        await patch(a, `${rods("v1")}/second`, seen);
        millimetres(2)(await ok(b.client(), `${rods("v2")}/second`));
        assert.deepEqual(new Set((await pair.versions(stored)).values()), new Set(["rods.example.com/v1"]));
      },
    },
    { name: "a serves v2", host: "a", flags: added },
    {
      name: "b stores v2",
      host: "b",
      flags: changed,
      async check(pair) {
        const { a, b } = pair;
        await create(b, rods("v1"), { metadata: { name: "third" }, spec: { length: "3mm" } });
        await create(a, rods("v2"), { metadata: { name: "fourth" }, spec: { millimetres: 4 } });
        await patch(b, `${rods("v1")}/second`, seen);
        const versions = await pair.versions(stored);
        assert.deepEqual(["first", "third", "fourth"].map((name) => versions.get(name)), [
          "rods.example.com/v1",
          "rods.example.com/v2",
          "rods.example.com/v1",
        ]);
        for (const [name, wanted] of [["first", 1], ["second", 2], ["third", 3], ["fourth", 4]] as const) {
          await onBoth(pair, `${rods("v2")}/${name}`, millimetres(wanted));
          await onBoth(pair, `${rods("v1")}/${name}`, length(`${wanted}mm`));
        }
        // The older release writes the object of the newer one back in its own version, and the newer one again.
        await patch(a, `${rods("v1")}/third`, seen);
        assert.equal((await pair.versions(stored)).get("third"), "rods.example.com/v1");
        await patch(b, `${rods("v2")}/third`, { metadata: { annotations: { "example.com/seen": "again" } } });
        assert.equal((await pair.versions(stored)).get("third"), "rods.example.com/v2");
        await onBoth(pair, `${rods("v1")}/third`, length("3mm"));
      },
    },
    { name: "a stores v2", host: "a", flags: changed },
    { name: "b stores v1 again", host: "b", flags: added },
    {
      name: "a stores v1 again",
      host: "a",
      flags: added,
      async check(pair) {
        for (const [name, wanted] of [["first", 1], ["second", 2], ["third", 3], ["fourth", 4]] as const) {
          await onBoth(pair, `${rods("v2")}/${name}`, millimetres(wanted));
        }
        assert.ok(new Set((await pair.versions(stored)).values()).size === 2, "values in both versions are left");
      },
    },
  ]);
});

const boards = "/apis/boards.example.com/v1/namespaces/default/boards";
const tier = (wanted: string | undefined) => (object: any) => assert.equal(object.spec.tier, wanted);

test(`${promise} while two servers change to a release with one more field; releases that know the field keep it while its gate is off`, {
  skip: skipLong,
}, () => {
  const without = [`--plugins=cluster,${pluginOf("boards-1.ts")}`], off = [`--plugins=cluster,${pluginOf("boards-2.ts")}`];
  const on = [...off, "--feature-gates=BoardTiers=true"];
  const board = (name: string, spec: object = { colour: "red", tier: "oak" }) => ({ metadata: { name }, spec });
  const painted = { spec: { colour: "blue" } };
  return roll(without, { path: boards, type: { apiVersion: "boards.example.com/v1", kind: "Board" } }, undefined, [
    {
      name: "b has the field at once (which its plugin should not do)",
      host: "b",
      flags: on,
      async check({ a, b }) {
        await create(b, boards, board("too-soon"));
        tier("oak")(await ok(b.client(), `${boards}/too-soon`));
        tier(undefined)(await ok(a.client(), `${boards}/too-soon`));
        // A release that does not know a field drops it with its next write of the object, as a kube-apiserver does; a read changes nothing.
        tier("oak")(await ok(b.client(), `${boards}/too-soon`));
        await patch(a, `${boards}/too-soon`, painted);
        tier(undefined)(await ok(b.client(), `${boards}/too-soon`));
      },
    },
    {
      name: "a knows the field",
      host: "a",
      flags: off,
      async check(pair) {
        const { a, b } = pair;
        await create(b, boards, board("kept"));
        await onBoth(pair, `${boards}/kept`, tier("oak"));
        await patch(a, `${boards}/kept`, painted);
        const { spec, metadata } = await ok(a.client(), `${boards}/kept`);
        await ok(a.client(), `${boards}/kept`, {
          method: "PUT",
          body: { ...board("kept", spec), metadata: { ...metadata, labels: { a: "b" } } },
        });
        await onBoth(pair, `${boards}/kept`, tier("oak"));
        await create(a, boards, board("new"));
        await onBoth(pair, `${boards}/new`, tier(undefined));
      },
    },
    {
      name: "b has it off",
      host: "b",
      flags: off,
      async check(pair) {
        await patch(pair.a, `${boards}/kept`, { spec: { colour: "green" } });
        await onBoth(pair, `${boards}/kept`, tier("oak"));
      },
    },
  ]);
});

const drivers = "/apis/storage.k8s.io/v1/csidrivers",
  classes = (version: string) => `/apis/storage.k8s.io/${version}/volumeattributesclasses`;

test(`${promise} while two servers change from an emulated release to this one and back on live data`, {
  skip: skipLong || (Object.hasOwn(settings, "emulated-version") ? false : "this server emulates no release"),
}, () => {
  const old = ["--emulated-version=1.33", "--runtime-config=storage.k8s.io/v1beta1=true"],
    now = ["--runtime-config=storage.k8s.io/v1beta1=true"];
  const secrets = (wanted: boolean | undefined) => (object: any) => assert.equal(object.spec.serviceAccountTokenInSecrets, wanted);
  const spec = { tokenRequests: [{ audience: "disks" }], serviceAccountTokenInSecrets: true };
  const disks = (name: string) => ({ metadata: { name }, driverName: "disks.example.com", parameters: { speed: "high" } });
  const high = (object: any) => assert.deepEqual(object.parameters, { speed: "high" });
  return roll(old, { path: configMaps, type: {} }, async ({ a }) => {
    await create(a, classes("v1beta1"), disks("first"));
  }, [
    {
      name: "b is this release",
      host: "b",
      flags: now,
      async check(pair) {
        const { a, b } = pair;
        high(await ok(b.client(), `${classes("v1")}/first`));
        await create(b, classes("v1"), disks("second"));
        await onBoth(pair, `${classes("v1beta1")}/second`, high);
        await patch(a, `${classes("v1beta1")}/second`, { metadata: { labels: { a: "b" } } });
        high(await ok(b.client(), `${classes("v1")}/second`));
        await create(b, drivers, { metadata: { name: "new.example.com" }, spec });
        await onBoth(pair, `${drivers}/new.example.com`, secrets(true));
        await patch(a, `${drivers}/new.example.com`, { metadata: { labels: { a: "b" } } });
        await onBoth(pair, `${drivers}/new.example.com`, secrets(true));
        await create(a, drivers, { metadata: { name: "old.example.com" }, spec });
        await onBoth(pair, `${drivers}/old.example.com`, secrets(undefined));
      },
    },
    { name: "a is this release", host: "a", flags: now },
    { name: "b is the emulated one", host: "b", flags: old },
    {
      name: "a is the emulated one",
      host: "a",
      flags: old,
      async check(pair) {
        for (const name of ["first", "second"]) await onBoth(pair, `${classes("v1beta1")}/${name}`, high);
        await patch(pair.a, `${drivers}/new.example.com`, { metadata: { labels: { c: "d" } } });
        await onBoth(pair, `${drivers}/new.example.com`, secrets(true));
      },
    },
  ]);
});
