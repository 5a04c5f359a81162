// The program activates renewed certificates and tokens by itself: new handshakes use them, and open connections continue.
import assert from "node:assert/strict";
import { copyFile, mkdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { KeyedCertificate } from "../../protocols/x509/certificate.ts";
import { issue, lettersOf, shownCertificate } from "../../server/listen/testing/clients.ts";
import { etcdFlags, makeCertificates } from "../store/certificates.ts";
import { etcdMissing, startEtcd } from "../etcd.ts";
import { inFolder } from "../flags/served.ts";
import { documents, httpsClient } from "../https.ts";
import { run, type Runtime, startRealServer, startSkipped, until } from "../real-server.ts";

const path = "/api/v1/namespaces/default/configmaps";
const servingOf = (ca: KeyedCertificate) => issue({ usage: "server", commonName: "serving", names: ["127.0.0.1"] }, ca);
const authority = (commonName: string) => issue({ usage: "ca", commonName });

/** A folder in the layout of a mounted Secret: its content is replaced by one rename of a link. */
async function mounted(folder: string): Promise<{ show(files: Readonly<Record<string, string>>): Promise<void> }> {
  let version = 0;
  return {
    async show(files) {
      const at = `..${++version}`;
      await mkdir(join(folder, at));
      for (const [name, text] of Object.entries(files)) {
        await writeFile(join(folder, at, name), text);
        if (version === 1) await symlink(join("..data", name), join(folder, name));
      }
      await symlink(at, join(folder, "..next"));
      await rename(join(folder, "..next"), join(folder, "..data"));
    },
  };
}

for (const runtime of ["deno", "node"] satisfies readonly Runtime[]) {
  test(`${runtime}: a renewed serving certificate is used, a broken one is rejected, and a watch continues through both`, {
    skip: startSkipped(runtime),
  }, () =>
    inFolder(async (folder) => {
      const ca = authority("operator's authority"), first = servingOf(ca), second = servingOf(ca), third = servingOf(ca);
      const { show } = await mounted(folder);
      const filesOf = ({ cert, key }: KeyedCertificate) => ({ "tls.crt": cert, "tls.key": key });
      await show(filesOf(first));
      const args = [`--tls-cert-file=${join(folder, "tls.crt")}`, `--tls-private-key-file=${join(folder, "tls.key")}`];
      const server = await startRealServer({ runtime, args });
      const client = httpsClient({ ...server, ca: ca.cert });
      try {
        assert.equal(await shownCertificate(server), lettersOf(first));
        const watching = await client.stream(`${path}?watch=1&timeoutSeconds=100`);
        const seen: string[] = [];
        const watched = (async () => {
          for await (const { object } of documents(watching.chunks)) {
            seen.push(object.metadata.name);
            if (seen.length === 3) break;
          }
        })();
        const make = async (name: string) =>
          assert.equal((await client.ask(path, { method: "POST", body: { metadata: { name } } })).status, 201);
        await make("before");

        await show(filesOf(second));
        await until(async () => assert.equal(await shownCertificate(server), lettersOf(second)));
        await make("renewed");

        await show({ "tls.crt": third.cert, "tls.key": second.key });
        await until(() => assert.match(server.errors(), /cannot renew the serving certificate.*the key is not that of the certificate/));
        assert.equal(await shownCertificate(server), lettersOf(second));
        await show(filesOf(third));
        await until(async () => assert.equal(await shownCertificate(server), lettersOf(third)));
        await make("after");
        await watched;
        assert.deepEqual(seen, ["before", "renewed", "after"], "on the connection that was open from the beginning on");
        assert.match(server.errors(), /the serving certificate was renewed.*notAfter=/);
        assert.equal(/PRIVATE KEY/.test(server.errors() + server.output()), false);
        // Written after the certificate is activated, and so after the first handshake with it.
        const kubeconfig = () => readFile(server.kubeconfig, "utf8");
        await until(async () => assert.ok((await kubeconfig()).includes(btoa(third.cert)), "the kubeconfig goes by it as well"));
      } finally {
        client.close();
        await server.close();
      }
    }));

  test(
    `${runtime}: client CAs and tokens change with their files`,
    { skip: startSkipped(runtime) },
    () =>
      inFolder(async (folder) => {
        const [old, next] = [authority("old"), authority("next")];
        const of = (ca: KeyedCertificate) => issue({ usage: "client", commonName: "carol", organizations: ["system:masters"] }, ca);
        const bundle = join(folder, "clients.pem"), tokens = join(folder, "tokens.csv");
        await writeFile(bundle, old.cert);
        await writeFile(tokens, "first,dave,1,system:masters\n");
        const server = await startRealServer({ runtime, args: [`--client-ca-file=${bundle}`, `--token-auth-file=${tokens}`] });
        const place = { port: server.port, ca: server.ca };
        const [byOld, byNext, byToken] = [
          httpsClient({ ...place, identity: of(old) }),
          httpsClient({ ...place, identity: of(next), single: true }),
          httpsClient(place),
        ];
        const status = async (client: typeof byOld, token?: string) =>
          (await client.ask(path, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } })).status;
        try {
          assert.deepEqual([await status(byOld), await status(byNext)], [200, 401]);
          await writeFile(bundle, "nobody\n");
          await until(() =>
            assert.match(server.errors(), /cannot renew the bundle of client authorities.*clients\.pem.*no PEM certificate found/)
          );
          assert.equal(await status(byOld), 200);
          await writeFile(bundle, next.cert);
          await until(async () => assert.equal(await status(byNext), 200));
          assert.equal(await status(byOld), 401, "also on the connection that was open before");
          const named = await run("openssl", ["s_client", "-connect", `127.0.0.1:${server.port}`]).catch(() => undefined);
          if (named !== undefined) {
            assert.match(named.output, /CN ?= ?next/, "clients that select a certificate by the accepted CAs get the new list");
            assert.doesNotMatch(named.output, /CN ?= ?old/);
          }

          assert.deepEqual([await status(byToken, "first"), await status(byToken, "second")], [200, 401]);
          await writeFile(tokens, "second\n");
          await until(() => assert.match(server.errors(), /cannot renew the token file.*line 1: expected token,user,uid/));
          assert.equal(await status(byToken, "first"), 200);
          await writeFile(tokens, "second,dave,1,system:masters\n");
          server.signal("SIGHUP");
          await until(async () => assert.deepEqual([await status(byToken, "first"), await status(byToken, "second")], [401, 200]));
          assert.doesNotMatch(server.errors(), /second/, "tokens are not for the log");
        } finally {
          for (const client of [byOld, byNext, byToken]) client.close();
          await server.close();
        }
      }),
  );

  test(`${runtime}: a renewed client certificate for etcd is used from the next connection on`, {
    skip: startSkipped(runtime) || etcdMissing(),
  }, (context) =>
    inFolder(async (folder) => {
      const [old, next] = await Promise.all(["old", "next"].map(async (name) => {
        await mkdir(join(folder, name));
        return await makeCertificates(join(folder, name));
      }));
      if (old === undefined || next === undefined) return context.skip("no openssl on PATH to make certificates with");
      const [trusted, certFile, keyFile] = ["trusted.pem", "tls.crt", "tls.key"].map((name) => join(folder, name));
      assert.ok(trusted !== undefined && certFile !== undefined && keyFile !== undefined);
      await Promise.all([
        copyFile(old.ca.certFile, trusted),
        copyFile(old.client.certFile, certFile),
        copyFile(old.client.keyFile, keyFile),
      ]);
      const etcd = await startEtcd({ flags: etcdFlags({ ...old, ca: { ...old.ca, certFile: trusted } }) });
      const args = [
        `--etcd-servers=${etcd.endpoint}`,
        `--etcd-cafile=${old.ca.certFile}`,
        `--etcd-certfile=${certFile}`,
        `--etcd-keyfile=${keyFile}`,
      ];
      const server = await startRealServer({ runtime, args }).catch(async (error: unknown) => {
        await etcd.stop();
        throw error;
      });
      const client = httpsClient(server);
      const make = async (name: string) => (await client.ask(path, { method: "POST", body: { metadata: { name } } })).status;
      try {
        assert.equal(await make("before"), 201);
        await copyFile(next.client.certFile, certFile);
        await until(() =>
          assert.match(server.errors(), /cannot renew the client certificate for etcd.*the key is not that of the certificate/)
        );
        await copyFile(next.client.keyFile, keyFile);
        await until(() => assert.match(server.errors(), /the client certificate for etcd was renewed/));
        assert.equal(await make("meanwhile"), 201);
        await copyFile(next.ca.certFile, trusted);
        await etcd.restart();
        await until(async () => assert.equal(await make("after"), 201, "etcd believes the new one only"));
      } finally {
        client.close();
        await server.close();
        await etcd.stop();
      }
    }));

  test(`${runtime}: a deleted certificate of the server's own is created again while it runs`, {
    skip: startSkipped(runtime),
  }, async () => {
    const server = await startRealServer({ runtime });
    try {
      const before = await shownCertificate(server);
      await writeFile(join(server.folder, "data", "pki", "serving.crt"), "");
      await until(async () => assert.notEqual(await shownCertificate(server), before));
      const client = httpsClient(server);
      assert.equal((await client.ask(path)).status, 200, "the authority that clients believe is the same");
      client.close();
    } finally {
      await server.close();
    }
  });
}
