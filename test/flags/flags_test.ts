// Each flag changes what the server does. The table of proofs has a row for every row of server/config/settings.ts.
import assert from "node:assert/strict";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { connect, type SecureVersion } from "node:tls";
import { type SettingName, settings } from "../../server/config/settings.ts";
import { definePlugin } from "../../core/define/define.ts";
import { mediaType } from "../../core/codec/negotiate.ts";
import { issue, lettersOf, shownCertificate } from "../../server/listen/testing/clients.ts";
import { etcdFlags, makeCertificates } from "../store/certificates.ts";
import { configMaps } from "../../plugins/configmaps/mod.ts";
import { plugins as builtIn } from "../../plugins/mod.ts";
import { openEtcd } from "../../kernel/store/etcd/etcd.ts";
import { answered, configurationsOf, openAdmissionWebhook, webhookOf } from "../admission-webhook.ts";
import { etcdMissing, startEtcd } from "../etcd.ts";
import { documents, httpsClient } from "../https.ts";
import { openCollector } from "../otlp-receiver.ts";
import { freePort } from "../ports.ts";
import { startProgram, startRealServer, startSkipped, until } from "../real-server.ts";
import { connecting } from "./connecting.ts";
import { electing } from "./electing.ts";
import { emulating } from "./emulating.ts";
import { observing } from "./observing.ts";
import { aggregating } from "./aggregating.ts";
import { clustered } from "./clustered.ts";
import { proxied } from "./proxied.ts";
import { requestsUntilGoaway } from "./goaway.ts";
import { auditing } from "./auditing.ts";
import { bootstrapToken, issuing, makeBootstrapToken } from "./issuing.ts";
import { holdsItsPlace, inFolder, make, path, type Proof, type Served, served, statusOf } from "./served.ts";
import { isAnsweredBeside, streamWindow } from "./streams.ts";
import { authorizing } from "./authorizing.ts";
import { testing } from "./testing.ts";
import { tokens } from "./tokens.ts";
import { http2StreamWindowBytes } from "../../server/listen/http2/stream.ts";

/** Calls `use` with an etcd; the test is skipped without one. */
async function withEtcd(
  context: { skip(reason: string): void },
  flags: readonly string[],
  use: (endpoint: string) => Promise<void>,
): Promise<void> {
  const missing = etcdMissing();
  if (missing !== false) return context.skip(missing);
  const etcd = await startEtcd({ flags });
  try {
    await use(etcd.endpoint);
  } finally {
    await etcd.stop();
  }
}

async function keysIn(endpoint: string, prefix: string): Promise<readonly string[]> {
  const store = await openEtcd({ endpoints: [endpoint] });
  try {
    return (await store.list({ prefix }, { limit: 0 })).entries.map(({ key }) => key);
  } finally {
    await store.close();
  }
}

/** An etcd with TLS and client certificates, and the flags for it without those in `without`. */
function secureEtcd(without: readonly string[], wanted: RegExp): Proof {
  return (context) =>
    inFolder(async (folder) => {
      const made = await makeCertificates(folder);
      if (made === undefined) return context.skip("no openssl on PATH to make certificates with");
      const { ca, client } = made;
      await withEtcd(context, etcdFlags(made), async (endpoint) => {
        const all = [`--etcd-cafile=${ca.certFile}`, `--etcd-certfile=${client.certFile}`, `--etcd-keyfile=${client.keyFile}`];
        const servers = `--etcd-servers=${endpoint}`;
        await served([servers, ...all], (server) => make(server, "a"));
        const some = all.filter((flag) => !without.some((name) => flag.startsWith(name)));
        await assert.rejects(served([servers, ...some], () => Promise.resolve()), (error: Error) =>
          wanted.test(`${error.message} ${error.cause}`));
      });
    });
}

/** The version of TLS on which a client agrees with a server that has not to be newer than this one. */
function agreedVersion(port: number, ca: string, maxVersion: SecureVersion, ciphers?: string): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, ca, maxVersion, ...(ciphers === undefined ? {} : { ciphers }) }, () => {
      resolve(socket.getProtocol());
      socket.destroy();
    });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("closed")));
  });
}

const proofs: { readonly [Name in SettingName]: Proof } = {
  "config": () =>
    inFolder(async (folder) => {
      const file = join(folder, "thole.yaml");
      await writeFile(
        file,
        "anonymous-auth: false\nplatform-name: acme\nruntime-config: {events.k8s.io/v1: false}\nplugins: []\nrequest-timeout: 30s\n",
      );
      await served([`--config=${file}`, "--platform-name=other"], async (server) => {
        assert.equal(await statusOf(server, "/version", { authorization: "" }), 401);
        assert.equal(await statusOf(server, "/apis/events.k8s.io/v1"), 404);
        assert.equal(
          await statusOf(server, path, { accept: "application/vnd.other.protobuf" }),
          200,
          "the command line wins over the file",
        );
        assert.equal(await statusOf(server, path, { accept: "application/vnd.acme.protobuf" }), 406);
      });
      await writeFile(file, "anonymous-aut: false\nsecure-port: many\n");
      await assert.rejects(served([`--config=${file}`], () => Promise.resolve()), (error: Error) => {
        assert.match(
          error.message,
          /unknown setting "anonymous-aut": did you mean "anonymous-auth"\?\n.*setting "secure-port": "many" is not a number/,
        );
        return true;
      });
    }),

  "service-cluster-ip-range": () =>
    served(["--service-cluster-ip-range=192.0.2.0/28"], async ({ client }) => {
      const made = await client.ask("/api/v1/namespaces/default/services", {
        method: "POST",
        body: { metadata: { name: "a" }, spec: { ports: [{ port: 80 }] } },
      });
      assert.match(made.json().spec.clusterIP, /^192\.0\.2\./);
    }),

  "service-node-port-range": () =>
    served(["--service-node-port-range=31000"], async ({ client }) => {
      const made = await client.ask("/api/v1/namespaces/default/services", {
        method: "POST",
        body: { metadata: { name: "a" }, spec: { type: "NodePort", ports: [{ port: 80 }] } },
      });
      assert.equal(made.json().spec.ports[0].nodePort, 31_000);
    }),

  "endpoint-reconciler-type": () =>
    assert.rejects(served(["--endpoint-reconciler-type=some"], () => Promise.resolve()), /it must be lease or none/),

  ...connecting,
  ...aggregating,

  "advertise-address": () => assert.rejects(served(["--advertise-address=here"], () => Promise.resolve()), /"here" is not an IP address/),

  "bind-address": () =>
    served(["--bind-address=127.0.0.2"], async (server) => {
      assert.match(server.url, /^https:\/\/127\.0\.0\.2:/);
      const there = httpsClient({ ...server, host: "127.0.0.2" });
      assert.equal((await there.ask("/version")).status, 200, "the certificate is for that address");
      there.close();
      // Not the default address: another process may use that port there.
      await assert.rejects(httpsClient({ ...server, host: "127.0.0.3" }).ask("/version"), /ECONNREFUSED|refused/);
    }),
  "secure-port": async () => {
    const port = await freePort();
    await served([`--secure-port=${port}`], async (server) => {
      assert.equal(server.port, port);
      const second = await startProgram([`--secure-port=${port}`, "--data-dir=:memory:"]);
      assert.equal(await second.exited, 1);
      assert.match(second.errors(), /^thole: cannot start: .*(EADDRINUSE|in use)/m);
      assert.doesNotMatch(second.errors(), /^ +at /m);
    });
  },
  "workers": async () => {
    for (
      const [words, wanted] of [
        [["--workers=none"], /flag "--workers": "none" is not auto or a number from 1$/m],
        [["--workers=2"], /flag "--workers": the embedded store belongs to one process/],
        [["--workers=2", "--etcd-servers=http://127.0.0.1:1"], /more than 1 worker needs "--data-dir" on disk/],
      ] as const
    ) {
      const program = await startProgram([...words, "--data-dir=:memory:"]);
      assert.equal(await program.exited, 1);
      assert.match(program.errors(), wanted);
    }
    // test/workers has the servers with several.
    await served(
      ["--workers=auto"],
      (server) => until(async () => assert.equal(await statusOf(server, "/readyz"), 200)),
    );
  },
  "cert-dir": () =>
    inFolder(async (folder) => {
      const data = join(folder, "data"), certificates = join(folder, "certificates");
      await served([`--data-dir=${data}`, `--cert-dir=${certificates}`], () => Promise.resolve());
      assert.deepEqual((await readdir(certificates)).filter((name) => name.startsWith("ca.")).length > 0, true);
      assert.equal((await readdir(data)).includes("pki"), false);
      assert.equal((await stat(certificates)).mode & 0o077, 0, "other users may not read it");
    }),
  "tls-cert-file": ownCertificate,
  "tls-private-key-file": ownCertificate,
  "client-ca-file": () =>
    inFolder(async (folder) => {
      const ca = issue({ usage: "ca", commonName: "theirs" });
      const identity = issue({ usage: "client", commonName: "carol", organizations: ["system:masters"] }, ca);
      await writeFile(join(folder, "ca.pem"), ca.cert);
      const ask = async (server: Served, shown: { readonly cert: string; readonly key: string }) => {
        const client = httpsClient({ port: server.port, ca: server.ca, identity: shown });
        const { status } = await client.ask(path);
        client.close();
        return status;
      };
      await served([`--client-ca-file=${join(folder, "ca.pem")}`], async (server) => {
        assert.equal(await ask(server, identity), 200);
        assert.equal(await ask(server, server.running.admin), 200, "the server's own kubeconfig does as well");
      });
      await served([], async (server) => assert.equal(await ask(server, identity), 401));
    }),
  "root-ca-file": () =>
    inFolder(async (folder) => {
      const file = join(folder, "ca.pem"), { cert } = issue({ usage: "ca", commonName: "the cluster's" });
      const map = "/api/v1/namespaces/default/configmaps/kube-root-ca.crt";
      await writeFile(file, cert);
      await served([`--root-ca-file=${file}`], (server) =>
        until(async () => assert.equal((await server.client.ask(map)).json().data["ca.crt"].trim(), cert.trim())));
      await served([], async (server) => {
        await until(async () =>
          assert.equal(await statusOf(server, "/api/v1/namespaces/default/serviceaccounts/default"), 200, "the controllers are at work")
        );
        assert.equal(await statusOf(server, map), 404, "nothing is published unasked");
      });
    }),
  "token-auth-file": () =>
    inFolder(async (folder) => {
      const file = join(folder, "tokens");
      await writeFile(file, 't0ken,carol,7,"system:masters"\n');
      await served([`--token-auth-file=${file}`], async (server) => {
        assert.equal(await statusOf(server, path, { authorization: "Bearer t0ken" }), 200);
        assert.equal(await statusOf(server, path, { authorization: "Bearer token" }), 401);
      });
      await writeFile(file, "t0ken\n");
      await assert.rejects(served([`--token-auth-file=${file}`], () => Promise.resolve()), /line 1: expected token,user,uid/);
      await assert.rejects(
        served([`--token-auth-file=${folder}/none`], () => Promise.resolve()),
        /cannot read the token file: .*\/none/,
      );
    }),
  ...auditing,
  ...issuing,
  "authorization-mode": async () => {
    const secrets = "/api/v1/namespaces/default/secrets";
    const statusForAlice = (server: Served) => statusOf(server, secrets, { authorization: `Bearer ${server.tokens.alice}` });
    await served([], async (server) => assert.equal(await statusForAlice(server), 403));
    const modes = "--authorization-mode=AlwaysDeny,AlwaysAllow";
    await served([modes], async (server) => assert.equal(await statusForAlice(server), 200));
    await assert.rejects(served(["--authorization-mode=RBAC,rbac,RBAC"], () => Promise.resolve()), (error: Error) => {
      assert.equal(
        error.message,
        'authorization-mode "rbac" is not a valid mode: did you mean "RBAC"?\nauthorization-mode ["RBAC" "rbac" "RBAC"] has mode specified more than once',
      );
      return true;
    });
  },
  "enable-bootstrap-token-auth": () =>
    served(["--enable-bootstrap-token-auth"], async (server) => {
      await makeBootstrapToken(server);
      assert.equal(await statusOf(server, path, { authorization: `Bearer ${bootstrapToken}` }), 403, "a user without rights");
      assert.equal(await statusOf(server, path, { authorization: "Bearer abcdef.0123456789abcdee" }), 401);
    }),
  "tls-sni-cert-key": () =>
    inFolder(async (folder) => {
      const [cert, key] = [join(folder, "named.crt"), join(folder, "named.key")], named = issue({ usage: "server", names: ["localhost"] });
      await writeFile(cert, named.cert);
      await writeFile(key, named.key);
      await served([`--tls-sni-cert-key=${cert},${key}:named.example.com,*.named.example.com`], async ({ port }) => {
        for (const name of ["named.example.com", "a.named.example.com"]) {
          assert.equal(await shownCertificate({ port }, name), lettersOf(named));
        }
        assert.notEqual(await shownCertificate({ port }, "other.example.com"), lettersOf(named));
      });
      await assert.rejects(served([`--tls-sni-cert-key=${cert}`], () => Promise.resolve()), /needs the path of its key/);
      await assert.rejects(served([`--tls-sni-cert-key=${cert},${folder}/none`], () => Promise.resolve()), /certificate of a name/);
    }),
  "tls-min-version": async () => {
    const refused = /version|handshake|alert|ECONNRESET|closed|hang up/i;
    await served(["--tls-min-version=VersionTLS13"], async ({ port, ca }) => {
      assert.equal(await agreedVersion(port, ca, "TLSv1.3"), "TLSv1.3");
      await assert.rejects(agreedVersion(port, ca, "TLSv1.2"), refused);
    });
    await served([], async ({ port, ca }) => assert.equal(await agreedVersion(port, ca, "TLSv1.2"), "TLSv1.2"));
    await assert.rejects(served(["--tls-min-version=VersionTLS11"], () => Promise.resolve()), /must be VersionTLS12 or VersionTLS13/);
  },
  "tls-cipher-suites": async () => {
    await served(["--tls-cipher-suites=TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"], async (server) => {
      // Deno cannot choose, and says so.
      if ("Deno" in globalThis) assert.ok(server.logged.some((line) => line.includes("--tls-cipher-suites has no effect on Deno")));
      else await assert.rejects(agreedVersion(server.port, server.ca, "TLSv1.2", "ECDHE-ECDSA-AES128-GCM-SHA256"));
      assert.equal(await statusOf(server, "/version"), 200);
    });
    await assert.rejects(served(["--tls-cipher-suites=NONE"], () => Promise.resolve()), /there is no cipher suite "NONE"/);
  },
  "anonymous-auth": async () => {
    const strange = { authorization: "" };
    await served(["--anonymous-auth=false"], async (server) => assert.equal(await statusOf(server, "/livez", strange), 401));
    await served([], async (server) => {
      await until(async () => assert.equal(await statusOf(server, "/livez", strange), 200));
      assert.equal(await statusOf(server, path, strange), 403);
    });
  },

  "data-dir": () =>
    inFolder(async (folder) => {
      const data = join(folder, "data");
      let kubeconfig = "";
      await served([`--data-dir=${data}`], async (server) => {
        await make(server, "kept");
        kubeconfig = await readFile(join(data, "kubeconfig"), "utf8");
        for (const name of ["kubeconfig", "store.sqlite", "pki"]) assert.equal((await stat(join(data, name))).mode & 0o077, 0, name);
      });
      await served([`--data-dir=${data}`], async (server) => {
        assert.equal(await statusOf(server, `${path}/kept`), 200);
        const again = await readFile(join(data, "kubeconfig"), "utf8");
        assert.equal(again.replace(/server: .*/, ""), kubeconfig.replace(/server: .*/, ""), "existing copies stay valid");
      });
    }),
  "write-kubeconfig": () =>
    inFolder(async (folder) => {
      const file = join(folder, "new/kubeconfig");
      await served([`--write-kubeconfig=${file}`], async (server) => {
        assert.equal(await readFile(file, "utf8"), server.running.kubeconfigText);
        assert.equal((await stat(file)).mode & 0o077, 0, "other users may not read it");
        assert.equal(server.running.kubeconfig, file);
      });
      assert.deepEqual(await readdir(folder), [], "a server in memory removes it");
    }),
  "etcd-servers": (context) =>
    withEtcd(context, [], async (endpoint) => {
      await served([`--etcd-servers=${endpoint}`], (server) => make(server, "a"));
      assert.ok((await keysIn(endpoint, "/registry/")).includes("/registry/configmaps/default/a"));
    }),
  // That it holds is proved by test/server-overrides_test.ts.
  "etcd-servers-overrides": () =>
    assert.rejects(served(["--etcd-servers-overrides=/events#http://127.0.0.1:1"], () => Promise.resolve()), /needs "--etcd-servers"/),
  "etcd-prefix": (context) =>
    withEtcd(context, [], async (endpoint) => {
      await served([`--etcd-servers=${endpoint}`, "--etcd-prefix=/elsewhere/deep"], (server) => make(server, "a"));
      assert.ok((await keysIn(endpoint, "/elsewhere/")).includes("/elsewhere/deep/configmaps/default/a"));
      assert.deepEqual(await keysIn(endpoint, "/registry/"), []);
    }),
  "etcd-cafile": secureEtcd(["--etcd-cafile"], /certificate|etcd/i),
  "etcd-certfile": secureEtcd(["--etcd-certfile", "--etcd-keyfile"], /etcd|certificate/i),
  "etcd-keyfile": secureEtcd(["--etcd-keyfile"], /"--etcd-certfile" and "--etcd-keyfile" must be set together/),
  "encryption-provider-config": () =>
    inFolder(async (folder) => {
      const file = join(folder, "encryption.yaml");
      await writeFile(file, "kind: EncryptionConfiguration\napiVersion: apiserver.config.k8s.io/v1\n");
      const starts = served([`--encryption-provider-config=${file}`], () => Promise.resolve());
      await assert.rejects(starts, /resources: Required value: at least one resources is required/);
    }),
  "etcd-compaction-interval": async () => {
    const oldest = async (server: Served) => {
      const before = (await server.client.ask(path)).json().metadata.resourceVersion;
      await make(server, "a");
      await make(server, "b");
      return `${path}?resourceVersionMatch=Exact&resourceVersion=${before}`;
    };
    await served(["--etcd-compaction-interval=100ms"], async (server) => {
      const old = await oldest(server);
      await until(async () => assert.equal(await statusOf(server, old), 410));
    });
    await served(["--etcd-compaction-interval=0"], async (server) => assert.equal(await statusOf(server, await oldest(server)), 200));
  },

  ...clustered,
  ...proxied,
  ...tokens,
  ...authorizing,
  ...electing(withEtcd),
  ...emulating,

  "group-domain": otherNames,
  "platform-name": otherNames,
  "preset": async () => {
    await served(["--preset=control-plane"], async (server) => {
      assert.equal(await statusOf(server, "/api/v1/configmaps"), 200);
      assert.equal(await statusOf(server, "/api/v1/pods"), 404);
    });
    await assert.rejects(
      served(["--preset=kubernetis"], () => Promise.resolve()),
      /"--preset": "kubernetis" is not a preset: it must be kubernetes or control-plane/,
    );
  },
  "simulate": async () => {
    const path = "/apis/kwok.x-k8s.io/v1alpha1/stages", map = "/api/v1/namespaces/default/configmaps/kube-root-ca.crt";
    await served(["--simulate"], async (server) => {
      assert.equal(await statusOf(server, path), 200);
      await until(async () => assert.match((await server.client.ask(map)).json().data["ca.crt"], /^-----BEGIN CERTIFICATE-----/));
    });
    await served(["--simulate=false"], async (server) => assert.equal(await statusOf(server, path), 404));
  },
  "plugins": () =>
    inFolder(async (folder) => {
      const ofServer = async (words: string, of: readonly string[]) => {
        const server = await startRealServer({ args: [`--plugins=${words}`] });
        const client = httpsClient(server);
        const statuses = await Promise.all(of.map(async (each) => (await client.ask(each)).status));
        client.close();
        await server.close();
        return statuses;
      };
      assert.deepEqual(await ofServer("configmaps", ["/api/v1/configmaps", "/api/v1/namespaces"]), [200, 404]);
      assert.deepEqual(await ofServer("-configmaps", ["/api/v1/configmaps", "/api/v1/namespaces"]), [404, 200]);
      const broken = join(folder, "broken.ts");
      const plugin = JSON.stringify(new URL("../../plugin.ts", import.meta.url).href);
      await writeFile(
        broken,
        `const { definePlugin } = await import(${plugin});\nexport const broken = definePlugin({ name: "Not Good", summary: " " });\n`,
      );
      const program = await startProgram([`--plugins=configmap,${broken},${join(folder, "missing.ts")}`, "--data-dir=:memory:"]);
      assert.equal(await program.exited, 1);
      const lines = program.errors().trim().split("\n");
      assert.match(lines[0]!, /^thole: unknown plugin "configmap": did you mean "configmaps"\?/);
      assert.match(lines[1]!, /broken\.ts": "Not Good" is not a name/);
      assert.match(lines[2]!, /broken\.ts": the summary is empty$/);
      assert.match(lines[3]!, /^thole: cannot load the plugin module ".*missing\.ts"/);
      assert.doesNotMatch(program.errors(), /^ +at /m);
    }),
  "runtime-config": async () => {
    await served(["--runtime-config=events.k8s.io/v1=false,v1/secrets=false"], async (server) => {
      assert.equal(await statusOf(server, "/apis/events.k8s.io/v1/events"), 404);
      assert.doesNotMatch((await server.client.ask("/apis")).text, /events\.k8s\.io/);
      assert.equal(await statusOf(server, "/api/v1/secrets"), 404);
      assert.doesNotMatch((await server.client.ask("/api/v1")).text, /"secrets"/);
      assert.equal(await statusOf(server, "/api/v1/events"), 200);
    });
    await served(["--runtime-config=api/all=false,v1=true"], async (server) => {
      assert.deepEqual((await server.client.ask("/apis")).json().groups ?? [], []);
      assert.equal(await statusOf(server, path), 200);
    });
    await assert.rejects(
      served(["--runtime-config=events.k8s.io/v2"], () => Promise.resolve()),
      /unknown group version "events\.k8s\.io\/v2".*did you mean "events\.k8s\.io\/v1"\?/,
    );
  },
  "admission-control-config-file": () =>
    inFolder(async (folder) => {
      const strict = definePlugin({
        name: "strict",
        summary: "Refuses settings.",
        admission: [{ name: "NoSettings", resources: [configMaps], refuse: () => "there are enough", refuseDelete: () => "they are kept" }],
      });
      const rules = '[{apiGroups: [""], apiVersions: [v1], resources: [configmaps], operations: [CREATE]}]';
      const file = join(folder, "admission.yaml");
      await writeFile(
        file,
        "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n- name: NoSettings\n  configuration:\n" +
          "    apiVersion: apiserver.config.k8s.io/v1\n    kind: AdmissionStepConfiguration\n" +
          `    matchConstraints: {objectSelector: {matchLabels: {a: b}}, resourceRules: ${rules}}\n`,
      );
      const flag = `--admission-control-config-file=${file}`;
      const create = async ({ client }: Served, name: string, labels: object) =>
        (await client.ask(path, { method: "POST", body: { metadata: { name, labels } } })).status;
      await served([flag], async (server) => {
        assert.equal(await create(server, "one", { a: "b" }), 403);
        assert.equal(await create(server, "two", { a: "c" }), 201);
        assert.equal((await server.client.ask(`${path}/two`, { method: "DELETE" })).status, 200);
      }, [...builtIn, strict]);
      await assert.rejects(served([flag], () => Promise.resolve()), /unknown admission plugin/);
    }),
  "tracing-config-file": () =>
    inFolder(async (folder) => {
      const collector = await openCollector(), file = join(folder, "tracing.yaml");
      try {
        const head = "apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\nsamplingRatePerMillion: 1000000\n";
        await writeFile(file, `${head}endpoint: 127.0.0.1:${collector.port}\n`);
        await served([`--tracing-config-file=${file}`], (server) => make(server, "a"));
        // The end of a server waits a bounded time for its last spans; on a slow machine they arrive later.
        await until(() => assert.ok(collector.spans.some(({ name }) => name.startsWith("POST "))));
        await writeFile(file, `${head}endpoint: https://127.0.0.1\n`);
        await assert.rejects(served([`--tracing-config-file=${file}`], () => Promise.resolve()), /endpoint: Invalid value/);
      } finally {
        collector.close();
      }
    }),
  "webhook-addresses": async () => {
    const webhook = await openAdmissionWebhook((review) => answered(review, { allowed: false }));
    try {
      // The certificate of the webhook has this name.
      const { caBundle, port } = webhook, host = "localhost:6443";
      const configuration = {
        metadata: { name: "a" },
        webhooks: [
          webhookOf({ url: `https://${host}/x`, caBundle }, {
            matchConditions: [{ name: "a", expression: "object.metadata.name == 'a'" }],
          }),
        ],
      };
      await served([`--webhook-addresses=${host}=127.0.0.1:${port}`], async (server) => {
        const { status } = await server.client.ask(configurationsOf("validating"), { method: "POST", body: configuration });
        assert.equal(status, 201);
        await until(async () => {
          assert.equal((await server.client.ask(path, { method: "POST", body: { metadata: { name: "a" } } })).status, 400);
        });
        assert.equal(webhook.reviews.length, 1);
      });
      await assert.rejects(served(["--webhook-addresses=hook=127.0.0.1"], () => Promise.resolve()), /not of the form host:port=host:port/);
    } finally {
      await webhook.close();
    }
  },
  "enable-admission-plugins": async () => {
    const strict = definePlugin({
      name: "strict",
      summary: "Refuses settings.",
      admission: [{ name: "NoSettings", isOptional: true, resources: [configMaps], refuse: () => "there are enough" }],
    });
    const post = async ({ client }: Served) => (await client.ask(path, { method: "POST", body: { metadata: { name: "a" } } })).status;
    const plugins = [...builtIn, strict];
    await served([], async (server) => assert.equal(await post(server), 201), plugins);
    await served(["--enable-admission-plugins=NoSettings"], async (server) => assert.equal(await post(server), 403), plugins);
    await assert.rejects(
      served(["--enable-admission-plugins=ImagePolicyWebhook"], () => Promise.resolve(), plugins),
      /admission plugin "ImagePolicyWebhook" needs a configuration in the file of --admission-control-config-file/,
    );
  },
  "disable-admission-plugins": async () => {
    await served(["--disable-admission-plugins=NamespaceLifecycle,PodSecurity"], async ({ client }) => {
      const body = { metadata: { name: "a" } };
      assert.equal((await client.ask("/api/v1/namespaces/absent/configmaps", { method: "POST", body })).status, 201);
    });
    const strict = definePlugin({
      name: "strict",
      summary: "Refuses settings.",
      admission: [{ name: "NoSettings", resources: [configMaps], refuse: () => "there are enough" }],
    });
    const post = async ({ client }: Served) => (await client.ask(path, { method: "POST", body: { metadata: { name: "a" } } })).status;
    const plugins = [...builtIn, strict];
    await served([], async (server) => assert.equal(await post(server), 403), plugins);
    await served(["--disable-admission-plugins=NoSettings"], async (server) => assert.equal(await post(server), 201), plugins);
    await assert.rejects(
      served(["--disable-admission-plugins=NoSetting"], () => Promise.resolve(), plugins),
      /unknown admission plugin "NoSetting": did you mean "NoSettings"\?/,
    );
  },
  "controllers": async () => {
    // A quota's status is written by its controller.
    const quota = { kind: "ResourceQuota", apiVersion: "v1", metadata: { name: "a" }, spec: { hard: { configmaps: "2" } } };
    const of = "/api/v1/namespaces/default/resourcequotas";
    await served(["--controllers=*,-resourcequota-controller"], async ({ client }) => {
      assert.equal((await client.ask(of, { method: "POST", body: quota })).status, 201);
      const { text } = await client.ask("/readyz?verbose");
      assert.ok(text.includes("[+]poststarthook/start-garbage-collector-controller ok"), text);
      assert.ok(!text.includes("resourcequota"), text);
      assert.equal(JSON.parse((await client.ask(`${of}/a`)).text).status.used, undefined);
    });
    await served([], async ({ client }) => {
      assert.equal((await client.ask(of, { method: "POST", body: quota })).status, 201);
      await until(async () => assert.equal(JSON.parse((await client.ask(`${of}/a`)).text).status.used?.configmaps, "0"));
    });
    await assert.rejects(served(["--controllers=-garbagecollector"], () => Promise.resolve()), /did you mean "garbage-collector"\?/);
  },
  "feature-gates": async () => {
    const initial = `${path}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1`;
    await served(["--feature-gates=WatchList=false"], async (server) => {
      const { status, text } = await server.client.ask(initial);
      assert.equal(status, 422);
      assert.match(text, /sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled/);
    });
    await served([], async (server) => assert.equal(await statusOf(server, initial), 200));
    await assert.rejects(served(["--feature-gates=WatchLists=false"], () => Promise.resolve()), /"WatchLists".*did you mean "WatchList"\?/);
  },

  "suppress-deprecation-warnings": async () => {
    const warned = async (flag: string) => {
      let lines: readonly string[] = [];
      await served([flag, "--feature-gates=VolumeAttributesClass=true"], (server) => {
        lines = server.logged.filter((line) =>
          line.includes("Warning: Setting GA feature gate VolumeAttributesClass=true. It will be removed in a future release.")
        );
        return Promise.resolve();
      });
      return lines.length;
    };
    assert.equal(await warned("--suppress-deprecation-warnings=false"), 1);
    assert.equal(await warned("--suppress-deprecation-warnings"), 0);
  },

  "enable-priority-and-fairness": async () => {
    const isClassified = async ({ client }: Served) => "x-kubernetes-pf-flowschema-uid" in (await client.ask(path)).headers;
    // The schemas are known a moment after the start.
    await served(["--enable-priority-and-fairness=true"], (server) => until(async () => assert.ok(await isClassified(server))));
    await served(["--enable-priority-and-fairness=false"], async (server) => assert.equal(await isClassified(server), false));
  },
  "max-requests-inflight": async () => {
    const readyzAndRead = async (flag: string, status: number) => {
      const begun = Promise.withResolvers<void>(), slow = Promise.withResolvers<void>();
      let started = false;
      const plugin = definePlugin({
        name: "slow",
        summary: "Takes its time.",
        healthChecks: [{
          name: "slow",
          check() {
            if (!started) return Promise.resolve();
            begun.resolve();
            return slow.promise;
          },
        }],
      });
      await served([flag, "--enable-priority-and-fairness=false"], async (server) => {
        await until(async () => assert.equal(await statusOf(server, "/readyz"), 200));
        started = true;
        const waiting = server.client.ask("/readyz");
        await begun.promise; // It occupies its place, and no other request may occupy it before.
        await until(async () => assert.equal(await statusOf(server, path), status));
        slow.resolve();
        assert.equal((await waiting).status, 200);
        assert.equal(await statusOf(server, path), 200, "places are given back");
      }, [...builtIn, plugin]);
    };
    await readyzAndRead("--max-requests-inflight=1", 429);
    await readyzAndRead("--max-requests-inflight=2", 200);
    await readyzAndRead("--max-requests-inflight=0", 200);
  },
  "max-mutating-requests-inflight": () =>
    served(["--max-mutating-requests-inflight=1", "--enable-priority-and-fairness=false"], async (server) => {
      const slow = server.unfinished("POST", path);
      await holdsItsPlace(server);
      await until(async () => {
        const { status, headers, text } = await server.client.ask(path, { method: "POST", body: { metadata: { generateName: "a-" } } });
        assert.equal(status, 429);
        assert.equal(headers["retry-after"], "1");
        assert.match(text, /Too many requests/i);
      });
      assert.equal(await statusOf(server, path), 200, "reads have places of their own");
      slow.abort();
      await until(async () =>
        assert.equal((await server.client.ask(path, { method: "POST", body: { metadata: { generateName: "b-" } } })).status, 201)
      );
    }),
  "goaway-chance": async () => {
    await served(["--goaway-chance=0.02"], async (server) => assert.ok(await requestsUntilGoaway(server, 2_000) > 0));
    await served([], async (server) => assert.equal(await requestsUntilGoaway(server, 300), 0));
    for (const wrong of ["0.021", "-0.001", "often", "1e-999"]) {
      await assert.rejects(
        served([`--goaway-chance=${wrong}`], () => Promise.resolve()),
        /"--goaway-chance": .* is not a (valid probability|number)/,
        wrong,
      );
    }
  },
  "http2-max-streams-per-connection": async () => {
    await served(["--http2-max-streams-per-connection=2"], async (server) => {
      assert.equal(await isAnsweredBeside(1, 600, server), true);
      assert.equal(await isAnsweredBeside(2, 2, server), false, "it waits until one of the watches is over");
    });
    await served([], async (server) => assert.equal(await isAnsweredBeside(2, 600, server), true));
  },
  "http2-implementation": async () => {
    const windows: number[] = [];
    for (const args of [[], ["--http2-implementation=own"], ["--http2-implementation=runtime"]]) {
      await served(args, async (server) => void windows.push(await streamWindow(server)));
    }
    const own = http2StreamWindowBytes;
    assert.deepEqual(windows, [own, own, 65_535], "the window in the settings of a connection");
    await assert.rejects(served(["--http2-implementation=nghttp2"], () => Promise.resolve()), /it must be own or runtime/);
  },
  "request-timeout": () =>
    served(["--request-timeout=200ms"], async (server) => {
      const { status, text } = await server.unfinished("POST", path).answer;
      assert.equal(status, 504);
      assert.match(text, /request did not complete within requested timeout/);
      const watch = await server.client.stream(`${path}?watch=1&timeoutSeconds=1&resourceVersion=0`);
      assert.equal(watch.status, 200, "watches have times of their own");
      for await (const _ of documents(watch.chunks));
    }),
  "min-request-timeout": () =>
    served(["--min-request-timeout=1"], async ({ client }) => {
      const { status, chunks } = await client.stream(`${path}?watch=1`);
      assert.equal(status, 200);
      for await (const _ of documents(chunks)); // Ends by itself; with the default it would after half an hour.
    }),
  ...observing,
  ...testing,
  "shutdown-delay-duration": () =>
    served(["--shutdown-delay-duration=3s"], async (server) => {
      await until(async () => assert.equal(await statusOf(server, "/livez"), 200));
      const closed = server.running.close();
      const { status, text } = await server.client.ask("/readyz?verbose");
      assert.equal(status, 500);
      assert.match(text, /\[-\]shutdown failed: reason withheld/);
      assert.equal(await statusOf(server, "/livez"), 200);
      await make(server, "late");
      await closed;
      await assert.rejects(server.client.ask("/livez"));
    }),
};

/** Both files together: one alone is rejected. */
function ownCertificate(): Promise<void> {
  return inFolder(async (folder) => {
    const ca = issue({ usage: "ca", commonName: "theirs" });
    const leaf = issue({ usage: "server", commonName: "theirs", names: ["127.0.0.1"] }, ca);
    const [cert, key] = [join(folder, "tls.crt"), join(folder, "tls.key")];
    await writeFile(cert, leaf.cert + ca.cert);
    await writeFile(key, leaf.key);
    await served([`--tls-cert-file=${cert}`, `--tls-private-key-file=${key}`], async (server) => {
      const client = httpsClient({ ...server, ca: ca.cert });
      assert.equal((await client.ask(path)).status, 200);
      client.close();
    });
    for (const alone of [`--tls-cert-file=${cert}`, `--tls-private-key-file=${key}`]) {
      await assert.rejects(served([alone], () => Promise.resolve()), /must be set together/);
    }
    await assert.rejects(
      served([`--tls-cert-file=${key}`, `--tls-private-key-file=${key}`], () => Promise.resolve()),
      /cannot use the serving certificate in "[^"]*tls.key" .*: no PEM certificate found/,
    );
  });
}

const usual = /k8s\.io|kubernetes/i;

/** Everything works with other names, and the default ones occur nowhere. */
function otherNames(): Promise<void> {
  const names = { domain: "plumbing.example", platform: "thole" };
  return served([`--group-domain=${names.domain}`, `--platform-name=${names.platform}`], async (server) => {
    const seen: string[] = [];
    const ask: typeof server.client.ask = async (...of) => {
      const answer = await server.client.ask(...of);
      seen.push(`${of[0]}: ${JSON.stringify(answer.headers)}${answer.text}`);
      return answer;
    };
    const protobuf = mediaType("protobuf", names);
    assert.equal(protobuf, "application/vnd.thole.protobuf");
    assert.equal((await ask(path, { method: "POST", body: { metadata: { name: "a" }, data: { k: "v" } } })).status, 201);
    const binary = await ask(`${path}/a`, { headers: { accept: protobuf } });
    assert.equal(binary.headers["content-type"], protobuf);
    const copy = await ask(`${path}/a`, { method: "PUT", body: binary.bytes, headers: { "content-type": protobuf } });
    assert.equal(copy.json().data.k, "v");
    assert.equal(await statusOf(server, path, { accept: "application/vnd.kubernetes.protobuf" }), 406);

    const group = `coordination.${names.domain}`;
    const lease = { apiVersion: `${group}/v1`, kind: "Lease", metadata: { name: "l" }, spec: { holderIdentity: "me" } };
    assert.equal((await ask(`/apis/${group}/v1/namespaces/default/leases`, { method: "POST", body: lease })).status, 201);
    assert.equal((await ask(`/apis/${group}/v1/namespaces/default/leases/none`)).json().details.group, group);
    assert.equal((await ask(`/apis/coordination.k8s.io/v1/namespaces/default/leases`)).status, 404);
    const space = (await ask("/api/v1/namespaces/default")).json();
    assert.equal(space.metadata.labels["thole.io/metadata.name"], "default");
    const table = await ask(path, { headers: { accept: `application/json;as=Table;v=v1;g=meta.${names.domain}` } });
    assert.equal(table.json().apiVersion, `meta.${names.domain}/v1`);
    assert.equal((await ask("/api/v1/namespaces", { method: "POST", body: { metadata: { name: "gone" } } })).status, 201);
    assert.equal((await ask("/api/v1/namespaces/gone", { method: "DELETE" })).status, 200);
    await until(async () => assert.equal(await statusOf(server, "/api/v1/namespaces/gone"), 404));

    const aggregated = { accept: `application/json;v=v2;g=apidiscovery.${names.domain};as=APIGroupDiscoveryList` };
    assert.equal((await ask("/apis", { headers: aggregated })).json().kind, "APIGroupDiscoveryList");
    for (
      const each of [
        "/",
        "/api",
        "/api/v1",
        "/apis",
        `/apis/${group}`,
        `/apis/${group}/v1`,
        "/openapi/v3",
        "/openapi/v3/api/v1",
        `/openapi/v3/apis/${group}/v1`,
      ]
    ) {
      assert.equal((await ask(each)).status, 200, each);
    }
    assert.equal((await ask(path, { method: "POST", body: { metadata: { name: "Bad", labels: { "-": "" } } } })).status, 422);
    // Managed fields and links contain the requested path; `x-kubernetes-` is a prefix of OpenAPI. A start hook has the name of upstream's.
    const spelled = seen.filter((text) => !text.startsWith("/apis/coordination.k8s.io/"))
      .map((text) =>
        text.replaceAll(/x-kubernetes-|start-kubernetes-service-cidr/g, "").replaceAll(/https:\/\/(git\.)?(kubernetes|k8s)\.io\/\S*/g, "")
      );
    const shown = (text: string) => `${text.slice(0, 50)} ... ${text.slice(Math.max(0, text.search(usual) - 80)).slice(0, 160)}`;
    assert.deepEqual(spelled.filter((text) => usual.test(text)).map(shown), []);
  });
}

test("every flag has a proof, and every proof is of a flag", () => {
  assert.deepEqual(Object.keys(proofs).toSorted(), Object.keys(settings).toSorted());
});

/**
 * Flags whose effect is in code that uses what the runtimes do differently: sockets, TLS, requests to other servers, processes, files and their modes,
 * compression. The effects of the others are in code that is the same on both: Deno's suite proves them.
 */
const onBoth: ReadonlySet<SettingName> = new Set<SettingName>([
  "bind-address",
  "cert-dir",
  "tls-cert-file",
  "tls-private-key-file",
  "client-ca-file",
  "requestheader-client-ca-file",
  "oidc-ca-file",
  "authentication-token-webhook-config-file",
  "data-dir",
  "write-kubeconfig",
  "etcd-servers",
  "etcd-cafile",
  "etcd-certfile",
  "webhook-addresses",
  "goaway-chance",
  "http2-max-streams-per-connection",
  "http2-implementation",
  "request-timeout",
  "audit-log-path",
  "audit-log-compress",
  "audit-webhook-config-file",
  "tracing-config-file",
  "shutdown-send-retry-after",
  "shutdown-watch-termination-grace-period",
  "shutdown-delay-duration",
  "exit-on-stdin-close",
  "test-control",
]);
const skipOnNode = startSkipped("deno");

/** Proofs of several flags run once. */
const proved = new Map<Proof, Promise<void>>();
function prove(proof: Proof, context: Parameters<Proof>[0]): Promise<void> {
  if (proof.length > 0) return proof(context); // It may skip its own test.
  const result = proved.get(proof) ?? proof(context);
  proved.set(proof, result);
  return result;
}

for (const [name, proof] of Object.entries(proofs) as [SettingName, Proof][]) { // The keys of `proofs`.
  const skip = !onBoth.has(name) && skipOnNode;
  test(`--${name} changes what the server does`, { skip }, (context) => prove(proof, context));
}

test("every mistake on the command line is reported on a separate line, with a suggestion, and the exit code is 1", {
  skip: skipOnNode,
}, async () => {
  const program = await startProgram(["--secure-prt=1", "--request-timeout=soon", "--anonymous-auth=perhaps", "serve"]);
  assert.equal(await program.exited, 1);
  assert.deepEqual(program.errors().trim().split("\n"), [
    'thole: unknown flag "--secure-prt": did you mean "--secure-port"?',
    'thole: flag "--request-timeout": "soon" is not a duration such as "30s" or "1m30s"',
    'thole: flag "--anonymous-auth": "perhaps" is not true or false',
    'thole: unexpected argument "serve": the form of a setting is --name=value',
  ]);
});

test("--version prints the program and its release, and exits with 0", { skip: skipOnNode }, async () => {
  const program = await startProgram(["--version", "--nonsense"]);
  assert.equal(await program.exited, 0);
  assert.match(program.output(), /^Thole \d+\.\d+\.\d+ \(Kubernetes v1\.35\.0\+thole-\S+\) on deno\S+, \w+\/\w+\n$/);
});

test("--help prints every flag and exits with 0", { skip: skipOnNode }, async () => {
  const program = await startProgram(["--help"]);
  assert.equal(await program.exited, 0);
  for (const name of Object.keys(settings)) assert.ok(program.output().includes(`  --${name}`), name);
});
