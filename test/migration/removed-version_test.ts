// A release without a version in which objects are stored: what it serves, what it refuses, and how operators get there without a loss.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openSqlite } from "../../kernel/store/sqlite/sqlite.ts";
import { authenticationPlugin } from "../../plugins/authentication/mod.ts";
import { clusterPlugin } from "../../plugins/cluster/mod.ts";
import { configmapsPlugin } from "../../plugins/configmaps/mod.ts";
import { migrationPlugin } from "../../plugins/migration/mod.ts";
import { blockOf } from "../../tools/docs/page-blocks.ts";
import { type Served, served } from "../flags/served.ts";
import { until } from "../real-server.ts";
import { rodsReleases } from "./rods.ts";

const both = "/apis/rods.example.com", rods = (version: string) => `${both}/${version}/namespaces/default/rods`;
const migrations = "/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations";
/** Three releases of the plugin, which may follow each other. */
type Release = "stores v1beta1" | "has removed v1beta1" | "without v1beta1";
const [first, second, third]: readonly [Release, Release, Release] = ["stores v1beta1", "has removed v1beta1", "without v1beta1"];

async function inFolder(
  work: (during: (release: Release, use: (server: Served) => Promise<void>) => Promise<void>, folder: string) => Promise<void>,
) {
  const folder = await mkdtemp(join(tmpdir(), "thole-removed-version-"));
  const argsOf = (release: Release) => [
    `--data-dir=${folder}`,
    `--runtime-config=storagemigration.k8s.io/v1beta1${release === first ? ",rods.example.com/v1beta1" : ""}`,
    "--feature-gates=StorageVersionMigrator=true",
  ];
  try {
    await work(
      (release, use) =>
        served(argsOf(release), use, [authenticationPlugin, clusterPlugin, configmapsPlugin, migrationPlugin, rodsReleases[release]]),
      folder,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
/** The stored texts of all rods, by name. */
async function storedIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const store = await openSqlite(join(folder, "store.sqlite"));
  try {
    const { entries } = await store.list({ prefix: "/registry/rods.example.com/rods/" });
    return new Map(entries.map(({ key, value }) => [key.slice(key.lastIndexOf("/") + 1), new TextDecoder().decode(value)]));
  } finally {
    await store.close();
  }
}
const versionsIn = async (folder: string) =>
  [...await storedIn(folder)].map(([name, text]) => `${name} ${JSON.parse(text).apiVersion.split("/")[1]}`).toSorted();

async function create({ client }: Served, version: string, name: string, spec: object): Promise<void> {
  const made = await client.ask(rods(version), { method: "POST", body: { metadata: { name }, spec } });
  assert.equal(made.status, 201, made.text);
}

test("a version that a release has removed is not served, its stored values are read and migrated, and the next release needs it no more", () =>
  inFolder(async (during, folder) => {
    await during(first, async (server) => {
      for (const name of ["a", "b"]) await create(server, "v1beta1", name, { length: "12mm" });
    });
    await during(second, async (server) => {
      const { client, logged } = server;
      assert.equal((await client.ask(rods("v1beta1"))).status, 404);
      assert.deepEqual((await client.ask(rods("v2"))).json().items.map(({ spec }: any) => spec), [{ millimetres: 12 }, {
        millimetres: 12,
      }]);
      await create(server, "v2", "c", { millimetres: 3 });
      assert.deepEqual(logged.filter((line) => line.includes("cannot be read")), []);
      const [, body = ""] = /<<'END'.*\n([\s\S]*?)\nEND\n/.exec(blockOf("docs/operators-guide.md", "kubectl create -f -")) ?? [];
      assert.equal((await client.ask(migrations, { method: "POST", headers: { "content-type": "application/yaml" }, body })).status, 201);
      await until(async () => {
        const { status } = (await client.ask(`${migrations}/rods`)).json();
        assert.ok(status.conditions?.some(({ type, status }: any) => type === "Succeeded" && status === "True"));
      });
    });
    assert.deepEqual(await versionsIn(folder), ["a v2", "b v2", "c v2"]);
    await during(third, async ({ client, logged }) => {
      assert.deepEqual((await client.ask(rods("v2"))).json().items.map(({ spec }: any) => spec.millimetres), [12, 12, 3]);
      assert.deepEqual(logged.filter((line) => line.includes("cannot be read")), []);
    });
  }));

test("a release without the version serves the others, reports the count at its start, and neither changes nor deletes what it cannot read", () =>
  inFolder(async (during, folder) => {
    await during(first, async (server) => {
      for (const name of ["a", "b"]) await create(server, "v1beta1", name, { length: "12mm" });
    });
    await during(second, (server) => create(server, "v2", "c", { millimetres: 3 }));
    const before = await storedIn(folder);
    await during(third, async ({ client, logged }) => {
      const [line, ...others] = logged.filter((line) => line.includes("some stored"));
      assert.deepEqual(others, []);
      const { message, count, error } = JSON.parse(line!);
      assert.deepEqual([message, count], [
        "some stored rods.rods.example.com cannot be read: requests that meet them fail, the others are served",
        2,
      ]);
      const reason =
        'the object stored under "/registry/rods.example.com/rods/default/a" cannot be read: no kind "Rod" is known in version ' +
        '"rods.example.com/v1beta1"; it is not lost: a release with that version can read it and migrate it';
      assert.ok(error.includes(reason), error);

      const options = { method: "DELETE", body: { propagationPolicy: "Background" } };
      const replace = { method: "PUT", body: { metadata: { name: "a" }, spec: { millimetres: 1 } } };
      for (
        const [path, request] of [
          [rods("v2"), undefined],
          [`${rods("v2")}/a`, undefined],
          [`${rods("v2")}/a`, replace],
          [`${rods("v2")}/a`, options],
          [rods("v2"), options],
        ] as const
      ) {
        const answer = await client.ask(path, request);
        assert.equal(answer.status, 500, `${request?.method ?? "GET"} ${path}: ${answer.text}`);
        assert.ok(answer.json().message.includes(reason), answer.text);
      }
      const again = await client.ask(rods("v2"), { method: "POST", body: { metadata: { name: "a" }, spec: {} } });
      assert.equal(again.status, 409, again.text);
      assert.equal((await client.ask(`${rods("v2")}/c`)).json().spec.millimetres, 3);
      const other = await client.ask("/api/v1/namespaces/default/configmaps", { method: "POST", body: { metadata: { name: "one" } } });
      assert.equal(other.status, 201);
    });
    assert.deepEqual(await storedIn(folder), before);
    await during(second, async ({ client }) => {
      assert.deepEqual((await client.ask(rods("v2"))).json().items.map(({ spec }: any) => spec.millimetres), [12, 12, 3]);
    });
  }));

test("a namespace with objects that cannot be read is not removed, and neither are they", () =>
  inFolder(async (during, folder) => {
    const path = `${both}/v1beta1/namespaces/left/rods`;
    await during(first, async ({ client }) => {
      assert.equal((await client.ask("/api/v1/namespaces", { method: "POST", body: { metadata: { name: "left" } } })).status, 201);
      assert.equal((await client.ask(path, { method: "POST", body: { metadata: { name: "a" }, spec: { length: "1mm" } } })).status, 201);
    });
    const before = await storedIn(folder);
    await during(third, async ({ client }) => {
      assert.equal((await client.ask("/api/v1/namespaces/left", { method: "DELETE" })).status, 200);
      await until(async () => {
        const { status } = (await client.ask("/api/v1/namespaces/left")).json();
        const failure = status.conditions?.find(({ type }: any) => type === "NamespaceDeletionContentFailure");
        assert.deepEqual([status.phase, failure?.status], ["Terminating", "True"]);
        assert.match(failure.message, /cannot be read: no kind "Rod" is known in version "rods.example.com\/v1beta1"/);
      });
    });
    assert.deepEqual(await storedIn(folder), before);
    // The release that can read them finishes the deletion.
    await during(
      second,
      ({ client }) => until(async () => assert.equal((await client.ask("/api/v1/namespaces/left")).status, 404)),
    );
  }));
