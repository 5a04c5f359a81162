// `thole backup` and `thole restore`, of both stores during writes: no acknowledged write is lost, and no file is overwritten.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { etcdMissing, startEtcd } from "../etcd.ts";
import { type Client, httpsClient } from "../https.ts";
import { type RealServer, run, type Runtime, runtimePath, startRealServer, startSkipped, until } from "../real-server.ts";
import process from "node:process";
import { launchOf } from "../../server/startup/permissions.ts";
import { bumpingMissing, restore } from "./etcd-programs.ts";

const path = "/api/v1/namespaces/default/configmaps";
const main = fileURLToPath(new URL("../../server/main.ts", import.meta.url));

/** The command with the permissions that the launcher gives it on Deno. */
async function thole(runtime: Runtime, ...args: readonly string[]) {
  if (runtime === "node") return await run(runtimePath("node"), ["--disable-warning=ExperimentalWarning", main, ...args]);
  const { permissions } = launchOf(args, process.cwd());
  return await run(runtimePath("deno"), ["run", "--no-check", ...permissions, main, ...args]);
}

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-backup-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes until `stop`, and keeps the names of acknowledged objects. */
function writing(client: Client) {
  const acknowledged: string[] = [];
  let ending = false;
  const done = (async () => {
    for (let count = 0; !ending; count++) {
      const answer = await client.ask(path, { method: "POST", body: { metadata: { name: `a-${count}` }, data: { k: "v".repeat(500) } } });
      assert.equal(answer.status, 201);
      acknowledged.push(`a-${count}`);
    }
  })();
  done.catch(() => {}); // reported by stop()
  return { acknowledged, stop: () => (ending = true, done) };
}

async function namesOf(client: Client): Promise<ReadonlySet<string>> {
  return new Set((await client.ask(path)).json().items.map((each: { metadata: { name: string } }) => each.metadata.name));
}

/** A backup during writes: the names that it must have, and a revision from before it. */
async function backUpDuringWrites(server: RealServer, back: () => Promise<unknown>): Promise<{ names: readonly string[]; before: string }> {
  const client = httpsClient(server);
  try {
    const load = writing(client);
    await until(() => assert.ok(load.acknowledged.length > 50));
    const before = (await client.ask(`${path}?limit=1`)).json().metadata.resourceVersion;
    const names = [...load.acknowledged];
    await back();
    await load.stop();
    return { names, before };
  } finally {
    client.close();
  }
}

for (const runtime of ["deno", "node"] as const) {
  test(
    `the embedded store on ${runtime}: a backup of a running server is restored, revisions go on above`,
    { skip: startSkipped(runtime) },
    () =>
      withFolder(async (folder) => {
        const server = await startRealServer({ runtime }), data = join(server.folder, "data"), file = join(folder, "b.sqlite");
        const restored = join(folder, "data");
        let names: readonly string[] = [], before = "";
        try {
          ({ names, before } = await backUpDuringWrites(server, async () => {
            const done = await thole(runtime, "backup", `--to=${file}`, `--data-dir=${data}`);
            assert.equal(done.code, 0, done.errors);
            assert.match(done.output, /b\.sqlite: revision \d+, \d+ keys/);
          }));
          assert.equal((await stat(file)).mode & 0o777, 0o600);
          assert.deepEqual(await readdir(folder), ["b.sqlite"]);
          const again = await thole(runtime, "backup", `--to=${file}`, `--data-dir=${data}`);
          assert.equal(again.code, 1);
          assert.match(again.errors, /exists, and is not overwritten/);
          const over = await thole(runtime, "restore", `--from=${file}`, `--data-dir=${data}`);
          assert.equal(over.code, 1);
          assert.match(over.errors, /has a store, which is not overwritten/);
        } finally {
          await server.close();
        }
        const done = await thole(runtime, "restore", `--from=${file}`, `--data-dir=${restored}`);
        assert.equal(done.code, 0, done.errors);
        assert.match(done.output, /restored to .*: revision 1000\d{6}, \d+ keys/);
        const next = await startRealServer({ folder, runtime }), client = httpsClient(next);
        try {
          const there = await namesOf(client);
          assert.deepEqual(names.filter((name) => !there.has(name)), []);
          const { status, text } = await client.ask(`${path}?watch=1&resourceVersion=${before}&timeoutSeconds=5`);
          assert.ok(status === 410 || text.includes('"code":410'), text);
          const made = (await client.ask(path, { method: "POST", body: { metadata: { name: "after" } } })).json();
          assert.ok(Number(made.metadata.resourceVersion) > 1_000_000_000);
          assert.equal((await client.ask(`${path}/${names[0]}`, { method: "DELETE" })).status, 200);
        } finally {
          client.close();
          await next.close();
        }
      }),
  );
}

test("a backup in the present folder; no link of another user at the place of a half-written one is followed", {
  skip: startSkipped("node"),
}, () =>
  withFolder(async (folder) => {
    const server = await startRealServer({ runtime: "node" }), data = join(server.folder, "data"), victim = join(folder, "victim");
    const backUp = () =>
      run(runtimePath("node"), ["--disable-warning=ExperimentalWarning", main, "backup", "--to=b.sqlite", `--data-dir=${data}`], {
        cwd: folder,
      });
    try {
      await symlink(victim, join(folder, "b.sqlite.partial"));
      const refused = await backUp();
      assert.equal(refused.code, 1);
      assert.match(refused.errors, /b\.sqlite\.partial" exists/);
      assert.ok(!existsSync(victim));
      await rm(join(folder, "b.sqlite.partial"));
      const done = await backUp();
      assert.equal(done.code, 0, done.errors);
      assert.deepEqual(await readdir(folder), ["b.sqlite"]);
      assert.equal((await stat(join(folder, "b.sqlite"))).mode & 0o777, 0o600);
    } finally {
      await server.close();
    }
  }));

test(
  "a damaged backup, and a file that is none, are refused and leave nothing",
  { skip: startSkipped("node") },
  () =>
    withFolder(async (folder) => {
      const server = await startRealServer({ runtime: "node" }), file = join(folder, "b.sqlite"), target = join(folder, "data");
      try {
        assert.equal((await thole("node", "backup", `--to=${file}`, `--data-dir=${join(server.folder, "data")}`)).code, 0);
      } finally {
        await server.close();
      }
      const bytes = await readFile(file), damaged = join(folder, "damaged.sqlite");
      for (let at = 4096; at < bytes.length; at += 4096) bytes.fill(0xa5, at + 8, at + 200);
      await writeFile(damaged, bytes);
      await writeFile(join(folder, "text"), "SQLite format 3\0 and no more");
      await mkdir(target);
      for (const [name, said] of [["damaged.sqlite", /is no whole store/], ["text", /is no whole store/]] as const) {
        const done = await thole("node", "restore", `--from=${join(folder, name)}`, `--data-dir=${target}`);
        assert.equal(done.code, 1, done.output);
        assert.match(done.errors, said);
        assert.ok(!existsSync(join(target, "store.sqlite")) && !existsSync(join(target, "store.sqlite.partial")));
      }
      const missing = await thole("node", "restore", `--from=${join(folder, "none")}`, `--data-dir=${target}`);
      assert.notEqual(missing.code, 0);
      assert.match(missing.errors, /--from/);
    }),
);

/** Restores a snapshot by etcd's program, and looks for the names. */
async function restoredEtcd(file: string, data: string, names: readonly string[]): Promise<void> {
  await restore(file, join(data, "member-0"), "--bump-revision=1000000000", "--mark-compacted");
  const again = await startEtcd({ dataDir: data });
  try {
    const server = await startRealServer({ args: [`--etcd-servers=${again.endpoint}`] }), client = httpsClient(server);
    try {
      const there = await namesOf(client);
      assert.deepEqual(names.filter((name) => !there.has(name)), []);
    } finally {
      client.close();
      await server.close();
    }
  } finally {
    await again.stop();
  }
}

test("etcd: a snapshot of a running etcd is whole, and etcdutl restores it by the commands that thole restore prints", {
  skip: startSkipped("deno") || etcdMissing(),
}, () =>
  withFolder(async (folder) => {
    const etcd = await startEtcd(), file = join(folder, "b.db"), data = join(folder, "restored");
    let names: readonly string[] = [];
    try {
      const server = await startRealServer({ args: [`--etcd-servers=${etcd.endpoint}`] });
      try {
        ({ names } = await backUpDuringWrites(server, async () => {
          const done = await thole("deno", "backup", `--to=${file}`, `--etcd-servers=${etcd.endpoint}`);
          assert.equal(done.code, 0, done.errors);
          assert.match(done.output, /b\.db: revision \d+, \d+ keys/);
        }));
      } finally {
        await server.close();
      }
    } finally {
      await etcd.stop();
    }
    const told = await thole("deno", "restore", `--from=${file}`, `--data-dir=${join(folder, "other")}`);
    assert.equal(told.code, 2, told.errors);
    assert.match(told.output, /etcdutl snapshot restore .*b\.db/);
    if (bumpingMissing() === false) await restoredEtcd(file, data, names);
    const bytes = await readFile(file);
    bytes[5_000] = bytes[5_000]! ^ 1;
    await writeFile(file, bytes);
    const damaged = await thole("deno", "restore", `--from=${file}`, `--data-dir=${join(folder, "other")}`);
    assert.equal(damaged.code, 1);
    assert.match(damaged.errors, /its checksum is wrong/);
  }));
