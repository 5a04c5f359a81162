// `thole history`, of both stores: each write that the store still has, deletions included, and no value of a Secret.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { describe, it, test } from "node:test";
import { fileURLToPath } from "node:url";
import { collected, historyLines, versionsShownMax } from "../../commands/history/history-text.ts";
import { kindsNamed } from "../../commands/history/named-kind.ts";
import { type ShownVersion, shownVersions } from "../../commands/history/shown-versions.ts";
import { versionsOf } from "../../commands/history/stored-versions.ts";
import type { Store } from "../../kernel/store/store.ts";
import { plugins } from "../../plugins/mod.ts";
import { activeConfigOf } from "../../server/config/active-config.ts";
import { withDefaults } from "../../server/config/parse.ts";
import { launchOf } from "../../server/startup/permissions.ts";
import { httpsClient } from "../https.ts";
import { run, type Runtime, runtimePath, startRealServer, startSkipped } from "../real-server.ts";
import { stores } from "../stores.ts";

const main = fileURLToPath(new URL("../../server/main.ts", import.meta.url));
const { catalog } = activeConfigOf(withDefaults({}), plugins);
const kinds = kindsNamed(catalog, "cm"), key = "/registry/configmaps/default/m";

/** The command with the permissions that the launcher gives it on Deno. */
async function thole(runtime: Runtime, ...args: readonly string[]) {
  if (runtime === "node") return await run(runtimePath("node"), ["--disable-warning=ExperimentalWarning", main, ...args]);
  const { permissions } = launchOf(args, process.cwd());
  return await run(runtimePath("deno"), ["run", "--no-check", ...permissions, main, ...args]);
}

async function commit(store: Store, expect: number | "absent", value: string | undefined, at = key): Promise<number> {
  const done = await store.commit({ key: at, expect, value: value === undefined ? undefined : new TextEncoder().encode(value) });
  assert.ok(done.done);
  return done.revision;
}

const map = (k: string) =>
  JSON.stringify({ kind: "ConfigMap", apiVersion: "v1", metadata: { name: "m", namespace: "default", uid: "u" }, data: { k } });

async function historyOf(store: Store): Promise<readonly ShownVersion[]> {
  const { versions } = await versionsOf(store, "/registry", key), all: ShownVersion[] = [];
  for await (const each of shownVersions(versions, { kinds, prefix: "/registry", key })) all.push(each);
  return all;
}
const writes = (versions: readonly ShownVersion[]) => versions.map(({ revision, write }) => [revision, write]);

for (const { store, on, skip } of stores) {
  describe(`thole history of ${store}`, { skip }, () => {
    it("has each write of the key, deletions too, back to the last compaction", () =>
      on(async (open) => {
        const opened = await open();
        try {
          assert.deepEqual(await historyOf(opened), []);
          const first = await commit(opened, "absent", map("1"));
          await commit(opened, "absent", "{}", `${key}0`);
          const second = await commit(opened, first, map("2")), third = await commit(opened, second, undefined);
          const fourth = await commit(opened, "absent", map("3")), fifth = await commit(opened, fourth, "{");
          const sixth = await commit(opened, fifth, map("4"));
          await commit(opened, "absent", "{}", `${key}1`);
          const all = await historyOf(opened);
          assert.deepEqual(writes(all), [
            [first, "created"],
            [second, "changed"],
            [third, "deleted"],
            [fourth, "created"],
            [fifth, "changed"],
            [sixth, "changed"],
          ]);
          assert.deepEqual(all[1]!.changes, ['data.k: "1" -> "2"']);
          assert.ok(all[3]!.changes.includes('data.k: (none) -> "3"'));
          assert.match(all[4]!.problem!, /cannot be read/);
          assert.match(all[5]!.problem!, /the version before cannot be read/);
          assert.deepEqual((all[5]!.object as unknown as { data: object }).data, { k: "4" });
          await opened.compact(second);
          assert.deepEqual(writes(await historyOf(opened)).slice(0, 2), [[second, "first kept"], [third, "deleted"]]);
          await opened.compact(third);
          assert.deepEqual(writes(await historyOf(opened))[0], [fourth, "created"]);
          await opened.compact(sixth);
          assert.deepEqual(writes(await historyOf(opened)), [[sixth, "first kept"]]);
        } finally {
          await opened.close();
        }
      }));
  });
}

test("the newest versions are shown, the others counted, and lines are cut", async () => {
  async function* many(): AsyncGenerator<ShownVersion> {
    for (let revision = 1; revision <= versionsShownMax + 3; revision++) {
      const changes = ["x".repeat(10_000), "a\u001b[2Jb"];
      yield {
        revision,
        write: "changed",
        time: undefined,
        managers: ["m\nn"],
        changes,
        object: { metadata: {} } as ShownVersion["object"],
      };
    }
  }
  const shown = await collected(many());
  assert.deepEqual([shown.versions.length, shown.omitted, shown.versions[0]!.revision], [versionsShownMax, 3, 4]);
  const lines = historyLines({ resource: "pods", namespace: "a", name: "b", oldest: 1, newest: 900 }, shown);
  assert.equal(lines[1], "3 older ones are not shown");
  assert.ok(lines.every((line) => line.length < 600 && [...line].every((character) => character >= " ")));
  assert.ok(shown.versions.every(({ object }) => object === undefined));
});

test("kindsNamed() finds kinds by each of their names, and says what is wrong with others", () => {
  for (const word of ["deployments", "deployment", "Deployment", "deploy", "deployments.apps", "deploy.apps"]) {
    assert.equal(kindsNamed(catalog, word)[0].plural, "deployments", word);
  }
  assert.throws(() => kindsNamed(catalog, "deploymnts"), /no resource is named "deploymnts": did you mean "deployments"\?/);
  const twice = { stored: catalog.stored.filter(({ plural }) => plural === "deployments") }, [one] = twice.stored;
  const other = { ...one!, group: "example.com", under: "example.com/deployments", resource: { ...one!.resource } };
  assert.throws(
    () => kindsNamed({ stored: [one!, other] }, "deployments"),
    /several resources are named "deployments": deployments\.apps, deployments\.example\.com/,
  );
});

const secretKey = Buffer.alloc(32, 7).toString("base64");
const encryption = {
  apiVersion: "apiserver.config.k8s.io/v1",
  kind: "EncryptionConfiguration",
  resources: [{ resources: ["secrets"], providers: [{ aescbc: { keys: [{ name: "k", secret: secretKey }] } }, { identity: {} }] }],
};

for (const runtime of ["deno", "node"] as const) {
  test(
    `thole history on ${runtime} reads the store of a running server and of a stopped one`,
    { skip: startSkipped(runtime) },
    async () => {
      const folder = await mkdtemp(join(tmpdir(), "thole-history-")), keys = join(folder, "keys.yaml"), data = join(folder, "data");
      await writeFile(keys, JSON.stringify(encryption));
      const server = await startRealServer({ runtime, folder, args: [`--encryption-provider-config=${keys}`] });
      const client = httpsClient(server), base = "/api/v1/namespaces/default";
      const history = (...words: readonly string[]) => thole(runtime, "history", ...words, `--data-dir=${data}`);
      try {
        try {
          const ask = async (method: string, path: string, body?: object) => {
            const { status, text } = await client.ask(`${base}/${path}`, { method, ...(body === undefined ? {} : { body }) });
            assert.ok(status < 300, text);
            return JSON.parse(text);
          };
          const made = await ask("POST", "configmaps?fieldManager=ann", { metadata: { name: "m" }, data: { k: "1" } });
          await ask("PUT", "configmaps/m?fieldManager=bob", { metadata: { name: "m" }, data: { k: "2" } });
          await ask("DELETE", "configmaps/m");
          await ask("POST", "secrets", { metadata: { name: "s", annotations: { a: "plain-one" } }, stringData: { p: "plain-one" } });
          await ask("PUT", "secrets/s", { metadata: { name: "s", annotations: { a: "plain-two" } }, stringData: { p: "plain-two" } });

          const shown = await history("cm", "m");
          assert.equal(shown.code, 0, shown.errors);
          const [head, ...parts] = shown.output.trim().split("\n\n");
          assert.match(head!, /^configmaps "m" in the namespace "default": 3 versions in the revisions \d+ to \d+$/);
          assert.match(parts[0]!, /^revision \d+ {2}\S+Z {2}created by ann\n[^]*data\.k: \(none\) -> "1"/);
          assert.match(parts[1]!, /^revision \d+ {2}\S+Z {2}changed by bob\n {2}data\.k: "1" -> "2"$/);
          assert.match(parts[2]!, /^revision \d+ {2}deleted$/);
          assert.deepEqual((await readdir(data)).filter((name) => name.startsWith("verify-")), []);

          const then = await history("configmaps", "m", "-n", "default", `--revision=${made.metadata.resourceVersion}`);
          assert.deepEqual(JSON.parse(then.output), made);
          const asJson = JSON.parse((await history("configmap", "m", "-o", "json")).output);
          assert.deepEqual(asJson.versions.map(({ write }: { readonly write: string }) => write), ["created", "changed", "deleted"]);

          const locked = await history("secrets", "s");
          assert.match(locked.output, /the value is encrypted by aescbc with key "k": --encryption-provider-config needs that key/);
          const hidden = await history("secret", "s", `--encryption-provider-config=${keys}`);
          assert.match(hidden.output, /data\.p: "\(value \d, not shown\)" -> "\(value \d, not shown\)"/);
          const object = await history("secret", "s", `--encryption-provider-config=${keys}`, `--revision=${asJson.newest}`);
          for (const { output, errors } of [locked, hidden, object]) {
            for (const value of ["plain-one", "plain-two"]) {
              assert.ok(!`${output}${errors}`.includes(value) && !`${output}${errors}`.includes(Buffer.from(value).toString("base64")));
            }
          }
          assert.deepEqual(JSON.parse(object.output).type, "Opaque");
        } finally {
          client.close();
          await server.close();
        }
        const stopped = await history("cm", "m");
        assert.match(stopped.output, /: 3 versions in /);
        const none = await history("cm", "m", "-n", "other");
        assert.deepEqual([none.code, none.output], [2, ""]);
        assert.match(none.errors, /the store has no version of configmaps "m" in the namespace "other" in its revisions/);
        const wrong = await history("cm", "a/b", "c", "--revision=x");
        assert.equal(wrong.code, 1);
        for (const said of ['unexpected argument "c"', '"a/b" is no name of an object', '"x" is no revision']) {
          assert.ok(wrong.errors.includes(said), wrong.errors);
        }
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  );
}
