// An etcd with authentication that gives the server access to its own keys only: docs/operators-guide.md lists the permissions.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { etcdFlags, makeCertificates } from "../store/certificates.ts";
import { etcdMissing, startEtcd } from "../etcd.ts";
import { documents, httpsClient } from "../https.ts";
import { startRealServer, startSkipped, until } from "../real-server.ts";
import { ctl, ctlMissing } from "./etcd-programs.ts";

const path = "/api/v1/namespaces/default/configmaps";
const skip = startSkipped("deno") || etcdMissing() || ctlMissing();

test("a server over etcd needs rights to its own keys and to the compaction key only", { skip }, async (context) => {
  const folder = await mkdtemp(join(tmpdir(), "thole-rights-"));
  try {
    const made = await makeCertificates(folder);
    if (made === undefined) return context.skip("no openssl on PATH to make certificates with");
    const { ca, client: { certFile, keyFile } } = made;
    const etcd = await startEtcd({ flags: etcdFlags(made) });
    try {
      const root = (...words: readonly string[]) =>
        ctl(etcd.endpoint, `--cacert=${ca.certFile}`, `--cert=${certFile}`, `--key=${keyFile}`, ...words);
      // Users are the common names of certificates.
      for (const [user, role] of [["root", "root"], ["client", "thole"]] as const) {
        await root("user", "add", user, "--no-password");
        if (role !== "root") await root("role", "add", role);
        await root("user", "grant-role", user, role);
      }
      await root("role", "grant-permission", "thole", "--prefix=true", "readwrite", "/registry");
      await root("role", "grant-permission", "thole", "readwrite", "compact_rev_key");
      await root("auth", "enable");
      // The newest releases permit compaction to administrators only.
      await root("put", "/registry/first", "1");
      const compacts = await root("compaction", "2").then(() => true, () => false);
      const tls = [`--etcd-cafile=${ca.certFile}`, `--etcd-certfile=${certFile}`, `--etcd-keyfile=${keyFile}`];
      const server = await startRealServer({
        args: [`--etcd-servers=${etcd.endpoint}`, `--etcd-compaction-interval=${compacts ? "200ms" : "0"}`, ...tls],
      });
      const asker = httpsClient(server);
      try {
        const write = async () => {
          const answer = await asker.ask(path, { method: "POST", body: { metadata: { generateName: "a-" } } });
          assert.equal(answer.status, 201, answer.text);
          return answer.json().metadata;
        };
        const first = Number((await write()).resourceVersion);
        const { status, chunks } = await asker.stream(`${path}?watch=1&resourceVersion=${first}`);
        assert.equal(status, 200);
        const { name } = await write();
        for await (const { type, object } of documents(chunks)) {
          assert.deepEqual([type, object.metadata.name], ["ADDED", name]);
          break;
        }
        // Events are read from the store itself, and have leases.
        const event = { metadata: { name: "e" }, involvedObject: { namespace: "default", name: "x" } };
        assert.equal((await asker.ask(path.replace("configmaps", "events"), { method: "POST", body: event })).status, 201);
        assert.equal((await asker.ask(path.replace("configmaps", "events"))).json().items.length, 1);
        const old = async () => (await asker.ask(`${path}?resourceVersion=${first}&resourceVersionMatch=Exact`)).status;
        if (compacts) await until(async () => assert.equal(await old(), 410));
        assert.doesNotMatch(server.errors(), /permission denied/);
      } finally {
        asker.close();
        await server.close();
      }
    } finally {
      await etcd.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
