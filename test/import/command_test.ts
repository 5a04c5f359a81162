// `thole import` as a program: what it prints, its exit codes, and stores that it must not write to.
// In Deno's suite only: findings do not depend on the runtime; test/start/commands_test.ts runs commands on both.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { databaseFile, snapshotFile } from "../../commands/source/etcd-files/test-etcd-file.ts";
import { openSqlite } from "../../kernel/store/sqlite/sqlite.ts";
import { etcdMissing, startEtcd } from "../etcd.ts";
import { ownRuntime, run, runtimePath } from "../real-server.ts";

const main = fileURLToPath(new URL("../../server/main.ts", import.meta.url));
const thole = (...words: readonly string[]) =>
  run(runtimePath(ownRuntime), [
    ...(ownRuntime === "deno" ? ["run", "-A", "--no-check"] : ["--disable-warning=ExperimentalWarning"]),
    main,
    ...words,
  ]);

const object = (kind: string, name: string, more: object = {}) =>
  JSON.stringify({ kind, apiVersion: "v1", metadata: { name, namespace: "default", uid: `uid-${name}` }, ...more });
const good = [
  { key: "/registry/configmaps/default/a", value: object("ConfigMap", "a", { data: { k: "v" } }) },
  { key: "/registry/endpoints/default/e", value: object("Endpoints", "e") },
];
const torn = { key: "/registry/configmaps/default/torn\u001b[2J", value: "{" };

async function withSnapshot(work: (folder: string, snapshot: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-import-")), snapshot = join(folder, "a.db");
  try {
    await writeFile(snapshot, snapshotFile(databaseFile([...good, torn])));
    await work(folder, snapshot);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("--list shows what a snapshot has and writes nothing; an import exits with 2 for what it leaves, and can be repeated", () =>
  withSnapshot(async (folder, snapshot) => {
    const data = join(folder, "data");
    const list = await thole("import", "--list", `--from-snapshot=${snapshot}`, `--data-dir=${data}`);
    assert.equal(list.code, 2);
    assert.deepEqual(list.output.split("\n"), [
      "RESOURCE    VERSION  NAMESPACE  OBJECTS  BYTES  IMPORT",
      "configmaps  -        default          1      1  no: cannot be read",
      "configmaps  v1       default          1    115  yes",
      "endpoints   v1       default          1     98  no: this server has no kind Endpoints",
      "1 objects can be imported, 2 values would be left behind, 1 of them because of problems.",
      "",
    ]);
    assert.equal(
      list.errors,
      'thole: the object stored under "/registry/configmaps/default/torn\ufffd[2J" cannot be read: unexpected end of JSON input\n',
    );
    assert.equal(existsSync(data), false);
    for (
      const counts of [
        "1 objects were created, 0 replaced, 0 were there already",
        "0 objects were created, 0 replaced, 1 were there already",
      ]
    ) {
      const { code, output } = await thole("import", `--from-snapshot=${snapshot}`, `--data-dir=${data}`);
      assert.deepEqual([code, output.slice(0, counts.length)], [2, counts]);
    }
    const store = await openSqlite(join(data, "store.sqlite"));
    try {
      const { entries } = await store.list({ prefix: "/" });
      assert.deepEqual(entries.map(({ key }) => key), ["/registry/configmaps/default/a"]);
      const busy = await thole("import", `--from-snapshot=${snapshot}`, `--data-dir=${data}`);
      assert.equal(busy.code, 1);
      assert.match(busy.errors, /^thole: Cannot open the store file .*: another process has it open/);
    } finally {
      await store.close();
    }
  }));

test("mistakes in flags are printed together, before anything is opened", () =>
  withSnapshot(async (folder, snapshot) => {
    const mistakes = async (...words: readonly string[]) => {
      const { code, errors } = await thole("import", ...words);
      assert.equal(code, 1);
      return errors.trim().split("\n").map((line) => line.replace("thole: ", ""));
    };
    assert.deepEqual(await mistakes(`--data-dir=${folder}`), ["one of --from-snapshot, --from-etcd-servers is needed"]);
    assert.deepEqual(await mistakes(`--from-snapshot=${snapshot}`, "--from-etcd-certfile=a", "-o", "xml"), [
      'flag "--output": "xml" is not text or json',
      'flags "--from-etcd-certfile" and "--from-etcd-keyfile" need each other',
    ]);
    assert.deepEqual(await mistakes(`--from-snapshot=${snapshot}`, "--data-dir=:memory:"), [
      "a store in memory would be lost at the end: set --data-dir or --etcd-servers",
    ]);
    assert.deepEqual(await mistakes(`--from-snapshot=${snapshot}`, "--skip=configmap", "--include=secrets"), [
      '--skip: "configmap" is not a resource of this server: did you mean "configmaps"?',
    ]);
    const missing = await thole("verify", `--data-dir=${join(folder, "none")}`);
    assert.deepEqual([missing.code, missing.errors], [1, `thole: there is no store in "${join(folder, "none")}" (--data-dir)\n`]);
    assert.equal(existsSync(join(folder, "none")), false);
  }));

test(
  "an etcd is no source for itself; with another prefix it is",
  { skip: etcdMissing() },
  () =>
    withSnapshot(async (_folder, snapshot) => {
      const etcd = await startEtcd();
      try {
        const target = `--etcd-servers=${etcd.endpoint}`, from = `--from-etcd-servers=${etcd.endpoint}`;
        assert.equal((await thole("import", `--from-snapshot=${snapshot}`, target, "--etcd-prefix=/other")).code, 2);
        const same = await thole("import", from, "--from-etcd-prefix=other/", target, "--etcd-prefix=/other");
        assert.deepEqual([same.code, same.errors], [
          1,
          "thole: the source and the store are the same keys of the same etcd: give the store another --etcd-prefix\n",
        ]);
        const copied = await thole("import", from, "--from-etcd-prefix=/other", target, "-o", "json");
        assert.equal(copied.code, 0, copied.errors);
        const { outcomes, resources } = JSON.parse(copied.output);
        assert.equal(outcomes.created, 1);
        assert.deepEqual(resources, [
          {
            resource: "configmaps",
            kind: "ConfigMap",
            version: "v1",
            namespace: "default",
            objects: 1,
            bytes: resources[0].bytes,
            import: true,
          },
        ]);
        assert.equal((await thole("verify", target, "-o", "json")).code, 0);
      } finally {
        await etcd.stop();
      }
    }),
);
