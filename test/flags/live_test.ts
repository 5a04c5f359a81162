// Each setting, changed in the file while the server runs: it takes effect, or it is rejected with its reason.
// In Deno's suite only: what a setting changes does not depend on the runtime.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { definePlugin } from "../../core/define/define.ts";
import { type SettingName, settings } from "../../server/config/settings.ts";
import { configMaps } from "../../plugins/configmaps/mod.ts";
import { plugins as builtIn } from "../../plugins/mod.ts";
import { etcdMissing, startEtcd } from "../etcd.ts";
import { documents } from "../https.ts";
import { until } from "../real-server.ts";
import { bootstrapToken, issueToken, legacyToken, makeAccount, makeBootstrapToken, reviewOf } from "./issuing.ts";
import { otherAudit } from "./auditing.ts";
import { makeProxies, standard, whoIs } from "./proxied.ts";
import { requestsUntilGoaway } from "./goaway.ts";
import { holdsItsPlace, inFolder, type Served, served } from "./served.ts";

const path = "/api/v1/namespaces/default/configmaps";
const statusOf = async ({ client }: Served, of = path, headers: Record<string, string> = {}) => (await client.ask(of, { headers })).status;
const post = async ({ client }: Served) => (await client.ask(path, { method: "POST", body: { metadata: { generateName: "a-" } } })).status;

/** A token of a new account. */
async function freshToken(server: Served, spec: object = {}) {
  await makeAccount(server);
  const issued = await issueToken(server, spec);
  await server.client.ask("/api/v1/namespaces/default/serviceaccounts/robot", { method: "DELETE" });
  return issued;
}

interface Live {
  /** The configuration file before and after. */
  readonly before: string;
  readonly after: string;
  /** Files below FOLDER in the configuration. */
  readonly files?: Readonly<Record<string, string>>;
  readonly plugins?: typeof builtIn;
  /** The observable effect; of the state before only if it can be observed without a timeout. */
  readonly sees: (server: Served) => Promise<unknown>;
  readonly saw?: unknown;
  readonly nowSees: unknown;
}

const strict = definePlugin({
  name: "strict",
  summary: "Refuses settings.",
  admission: [{ name: "NoSettings", resources: [configMaps], refuse: () => "there are enough" }],
});
const initial = `${path}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1`;
const carol = { username: "carol", groups: ["system:masters", "system:authenticated"] };
/** Without the group of the header. */
const ordinary = { ...carol, groups: ["system:authenticated"] };
const live: { readonly [Name in SettingName]?: Live } = {
  "anonymous-auth": {
    before: "anonymous-auth: false",
    after: "anonymous-auth: true",
    sees: (server) => statusOf(server, "/version", { authorization: "" }),
    saw: 401,
    nowSees: 200,
  },
  "enable-bootstrap-token-auth": {
    before: "enable-bootstrap-token-auth: false",
    after: "enable-bootstrap-token-auth: true",
    sees: async (server) => {
      await makeBootstrapToken(server);
      return await statusOf(server, path, { authorization: `Bearer ${bootstrapToken}` });
    },
    saw: 401,
    nowSees: 403, // a user without rights
  },
  "authorization-mode": {
    before: "authorization-mode: [AlwaysAllow]",
    after: "authorization-mode: [AlwaysDeny]",
    sees: (server) => statusOf(server, path, { authorization: "" }),
    saw: 200,
    nowSees: 403,
  },
  "requestheader-allowed-names": proxy("requestheader-allowed-names", "somebody-else", carol, 401),
  "requestheader-username-headers": proxy("requestheader-username-headers", "X-Remote-User", 401, carol),
  "requestheader-uid-headers": proxy("requestheader-uid-headers", "X-Remote-Uid", carol, { ...carol, uid: "u-7" }),
  "requestheader-group-headers": proxy("requestheader-group-headers", "X-Remote-Group", ordinary, carol),
  "requestheader-extra-headers-prefix": proxy("requestheader-extra-headers-prefix", "X-Remote-Extra-", carol, {
    ...carol,
    extra: { scopes: ["a", "b"] },
  }),
  "service-account-issuer": {
    before: "",
    after: "service-account-issuer: [https://elsewhere.example.com]",
    sees: async ({ client }) => (await client.ask("/.well-known/openid-configuration")).json().issuer,
    saw: "https://kubernetes.default.svc",
    nowSees: "https://elsewhere.example.com",
  },
  "service-account-jwks-uri": {
    before: "service-account-jwks-uri: https://one.example.com/keys",
    after: "service-account-jwks-uri: https://two.example.com/keys",
    sees: async ({ client }) => (await client.ask("/.well-known/openid-configuration")).json().jwks_uri,
    saw: "https://one.example.com/keys",
    nowSees: "https://two.example.com/keys",
  },
  "service-account-max-token-expiration": {
    before: "service-account-max-token-expiration: 2h",
    after: "service-account-max-token-expiration: 1h",
    sees: async (server) => (await freshToken(server, { expirationSeconds: 7200 })).spec.expirationSeconds,
    saw: 7200,
    nowSees: 3600,
  },
  "service-account-extend-token-expiration": {
    before: "{service-account-max-token-expiration: 1h, service-account-extend-token-expiration: false}",
    after: "{service-account-max-token-expiration: 1h, service-account-extend-token-expiration: true}",
    sees: ({ logged }) => Promise.resolve(logged.some((line) => line.includes("service-account-extend-token-expiration is true"))),
    saw: false,
    nowSees: true,
  },
  "service-account-lookup": {
    before: "service-account-lookup: true",
    after: "service-account-lookup: false",
    async sees(server) {
      await makeAccount(server);
      const token = await legacyToken(server);
      await server.client.ask("/api/v1/namespaces/default/serviceaccounts/robot", { method: "DELETE" });
      return await reviewOf(server, token);
    },
    nowSees: "system:serviceaccount:default:robot",
  },
  "api-audiences": {
    before: "api-audiences: [one]",
    after: "api-audiences: [two]",
    sees: async (server) => (await freshToken(server)).spec.audiences,
    saw: ["one"],
    nowSees: ["two"],
  },
  "etcd-compaction-interval": {
    before: "etcd-compaction-interval: 0",
    after: "etcd-compaction-interval: 50ms",
    async sees(server) {
      const { resourceVersion } = (await server.client.ask(path)).json().metadata;
      await post(server);
      await post(server);
      const old = `${path}?resourceVersionMatch=Exact&resourceVersion=${resourceVersion}`;
      return await until(async () => {
        const status = await statusOf(server, old);
        assert.equal(status, 410);
        return status;
      });
    },
    nowSees: 410,
  },
  "plugins": { before: "plugins: [-configmaps]", after: "plugins: []", sees: (server) => statusOf(server), saw: 404, nowSees: 200 },
  "preset": {
    before: "preset: control-plane",
    after: "preset: kubernetes",
    sees: (server) => statusOf(server, "/api/v1/pods"),
    saw: 404,
    nowSees: 200,
  },
  "simulate": {
    before: "simulate: false",
    after: "simulate: true",
    sees: (server) => statusOf(server, "/apis/kwok.x-k8s.io/v1alpha1/stages"),
    saw: 404,
    nowSees: 200,
  },
  "runtime-config": {
    before: "",
    after: "runtime-config: {v1/configmaps: false}",
    sees: (server) => statusOf(server),
    saw: 200,
    nowSees: 404,
  },
  "enable-admission-plugins": {
    before: "",
    after: "enable-admission-plugins: [NoSettings]",
    plugins: [...builtIn, { ...strict, admission: strict.admission!.map((step) => ({ ...step, isOptional: true as const })) }],
    sees: post,
    saw: 201,
    nowSees: 403,
  },
  "disable-admission-plugins": {
    before: "",
    after: "disable-admission-plugins: [NoSettings]",
    plugins: [...builtIn, strict],
    sees: post,
    saw: 403,
    nowSees: 201,
  },
  "controllers": {
    before: "",
    after: "controllers: ['-*']",
    sees: async ({ client }) => /start-namespace-controller/.test((await client.ask("/readyz?verbose")).text),
    saw: true,
    nowSees: false,
  },
  "feature-gates": {
    before: "feature-gates: {WatchList: false}",
    after: "feature-gates: {WatchList: true}",
    sees: (server) => statusOf(server, initial),
    saw: 422,
    nowSees: 200,
  },
  "max-requests-inflight": inflight("max-requests-inflight"),
  "max-mutating-requests-inflight": {
    before: "max-mutating-requests-inflight: 0\nenable-priority-and-fairness: false",
    after: "max-mutating-requests-inflight: 1\nenable-priority-and-fairness: false",
    async sees(server) {
      const slow = server.unfinished("POST", path);
      try {
        await holdsItsPlace(server);
        return await until(async () => {
          const status = await post(server);
          assert.equal(status, 429);
          return status;
        });
      } finally {
        slow.abort();
      }
    },
    nowSees: 429,
  },
  "request-timeout": {
    before: "",
    after: "request-timeout: 100ms",
    sees: async (server) => (await server.unfinished("POST", path).answer).status,
    nowSees: 504,
  },
  "min-request-timeout": {
    before: "min-request-timeout: 1800",
    after: "min-request-timeout: 1",
    async sees({ client }) {
      const { chunks } = await client.stream(`${path}?watch=1`);
      for await (const _ of documents(chunks)); // Ends by itself; before it would after half an hour.
      return "ended";
    },
    nowSees: "ended",
  },
  "suppress-deprecation-warnings": {
    before: "{suppress-deprecation-warnings: true, feature-gates: {VolumeAttributesClass: true}}",
    after: "{suppress-deprecation-warnings: false, feature-gates: {VolumeAttributesClass: true}}",
    sees: (server) => Promise.resolve(server.logged.some((line) => line.includes("Setting GA feature gate VolumeAttributesClass=true"))),
    saw: false,
    nowSees: true,
  },
  "shutdown-send-retry-after": retryAfter(),
  "shutdown-watch-termination-grace-period": {
    before: "shutdown-watch-termination-grace-period: 0s",
    after: "shutdown-watch-termination-grace-period: 3s",
    async sees({ client, running }) {
      const watches = await Promise.all(Array.from({ length: 24 }, () => client.stream(`${path}?watch=1&resourceVersion=0`)));
      let over = 0;
      const ended = watches.map(async ({ chunks }) => {
        for await (const _ of chunks);
        over++;
      });
      const closed = running.close();
      await Promise.race(ended);
      await new Promise((resolve) => setImmediate(resolve));
      const someLast = over < watches.length;
      await Promise.all(ended);
      await closed;
      return someLast;
    },
    nowSees: true,
  },
  "livez-grace-period": {
    before: "livez-grace-period: 0s",
    after: "livez-grace-period: 1h",
    plugins: [
      ...builtIn,
      definePlugin({
        name: "stuck",
        summary: "Never gets ready.",
        startHooks: [{ name: "get-ready", run: () => new Promise(() => {}) }],
      }),
    ],
    sees: (server) => statusOf(server, "/livez"),
    saw: 500,
    nowSees: 200,
  },
  "slow-request-threshold": {
    before: "slow-request-threshold: 0",
    after: "slow-request-threshold: 20ms",
    plugins: [
      ...builtIn,
      definePlugin({
        name: "slow",
        summary: "Takes its time.",
        admission: [{ name: "Slow", resources: [configMaps], refuse: () => new Promise((resolve) => setTimeout(resolve, 30)) }],
      }),
    ],
    async sees(server) {
      await post(server);
      return server.logged.some((line) => line.includes("a request was slow"));
    },
    saw: false,
    nowSees: true,
  },
  "goaway-chance": {
    before: "goaway-chance: 0",
    after: "goaway-chance: 0.02",
    sees: async (server) => await requestsUntilGoaway(server, 2_000) > 0,
    nowSees: true,
  },
  "shutdown-delay-duration": {
    before: "shutdown-delay-duration: 0s",
    after: "shutdown-delay-duration: 3s",
    async sees(server) {
      const closed = server.running.close();
      const statuses = [await statusOf(server, "/readyz"), await statusOf(server, "/version")];
      await closed;
      return statuses;
    },
    nowSees: [500, 200],
  },
};

function retryAfter(): Live {
  const mayGoOn = Promise.withResolvers<undefined>();
  const slow = definePlugin({
    name: "slow",
    summary: "Takes its time.",
    admission: [{ name: "Slow", resources: [configMaps], refuse: () => mayGoOn.promise }],
  });
  return {
    before: "shutdown-send-retry-after: false",
    after: "shutdown-send-retry-after: true",
    plugins: [...builtIn, slow],
    async sees(server) {
      const inFlight = post(server);
      await holdsItsPlace(server);
      const closed = server.running.close();
      const late = await until(async () => {
        const status = await statusOf(server);
        assert.equal(status, 429);
        return status;
      });
      mayGoOn.resolve(undefined);
      assert.equal(await inFlight, 201);
      await closed;
      return late;
    },
    nowSees: 429,
  };
}

function inflight(name: SettingName): Live {
  let begun = () => {}, wait = Promise.resolve();
  const check = () => {
    begun();
    return wait;
  };
  const plugin = definePlugin({ name: "slow", summary: "Takes its time.", healthChecks: [{ name: "slow", check }] });
  return {
    before: `${name}: 0\nenable-priority-and-fairness: false`,
    after: `${name}: 1\nenable-priority-and-fairness: false`,
    plugins: [...builtIn, plugin],
    async sees(server) {
      const place = Promise.withResolvers<void>(), answer = Promise.withResolvers<void>();
      begun = place.resolve;
      wait = answer.promise;
      const waiting = server.client.ask("/readyz");
      try {
        await place.promise; // No other request may occupy the place before.
        return await until(async () => {
          const status = await statusOf(server);
          assert.equal(status, 429);
          return status;
        });
      } finally {
        answer.resolve();
        await waiting;
      }
    },
    nowSees: 429,
  };
}

/** A front proxy setting without and with a value, and the effect of its headers. */
function proxy(name: SettingName, value: string, saw: unknown, nowSees: unknown): Live {
  const { ca, proxy } = makeProxies();
  const names = { "username-headers": "X-Remote-User", "group-headers": "X-Remote-Group" };
  const others = Object.entries(names).filter(([each]) => name !== `requestheader-${each}`);
  const before = ["requestheader-client-ca-file: FOLDER/proxies.pem", ...others.map(([each, is]) => `requestheader-${each}: ${is}`)].join(
    "\n",
  );
  return {
    before,
    after: `${before}\n${name}: ${value}`,
    files: { "proxies.pem": ca.cert },
    sees: (server) => whoIs(server, { ...standard, "X-Remote-Group": "system:masters", "X-Remote-Extra-Example.org%2Fzone": [] }, proxy),
    saw,
    nowSees,
  };
}

/** Settings of a store that does not respond, with their observable effect. */
const hung: { readonly [Name in SettingName]?: string } = {
  "etcd-healthcheck-timeout": "/livez/etcd",
  "etcd-readycheck-timeout": "/readyz/etcd-readiness",
};

/** A non-default value for each setting that cannot change; none for the one that the file must not contain. */
const others: { readonly [Name in SettingName]?: string } = {
  "bind-address": "127.0.0.2",
  "secure-port": "7",
  "workers": "auto",
  "cert-dir": "/elsewhere",
  "tls-cert-file": "a, tls-private-key-file: b",
  "tls-private-key-file": "b, tls-cert-file: a",
  "tls-sni-cert-key": "['/a,/b:example.com']",
  "tls-min-version": "VersionTLS13",
  "tls-cipher-suites": "[TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256]",
  "client-ca-file": "ca.pem",
  "root-ca-file": "ca.pem",
  "requestheader-client-ca-file": "ca.pem",
  "token-auth-file": "tokens",
  "service-account-signing-key-file": "signing.pem",
  "service-account-key-file": "[key.pem]",
  "authentication-config": "authentication.yaml",
  "oidc-issuer-url": "'https://issuer.example.com', oidc-client-id: a",
  "oidc-client-id": "a, oidc-issuer-url: 'https://issuer.example.com'",
  "oidc-ca-file": "ca.pem",
  "oidc-username-claim": "email",
  "oidc-username-prefix": "'x:'",
  "oidc-groups-claim": "groups",
  "oidc-groups-prefix": "'x:'",
  "oidc-signing-algs": "[ES256]",
  "oidc-required-claim": "{hd: example.com}",
  "authentication-token-webhook-config-file": "webhook.yaml",
  "authentication-token-webhook-version": "v1",
  "authentication-token-webhook-cache-ttl": "1m",
  "admission-control-config-file": "admission.yaml",
  "tracing-config-file": "tracing.yaml",
  "webhook-addresses": "{'hook.default.svc:443': '127.0.0.1:8443'}",
  "authorization-config": "authorization.yaml",
  "authorization-webhook-config-file": "webhook.yaml, authorization-mode: [Webhook]",
  "authorization-webhook-version": "v1",
  "authorization-webhook-cache-authorized-ttl": "1m",
  "authorization-webhook-cache-unauthorized-ttl": "1m",
  ...otherAudit,
  "authentication-kubeconfig": "front.yaml",
  "authentication-skip-lookup": "true",
  "authentication-tolerate-lookup-failure": "true",
  "authorization-kubeconfig": "front.yaml",
  "authorization-always-allow-paths": "[/version]",
  "enable-priority-and-fairness": "false",
  "data-dir": "/elsewhere",
  "write-kubeconfig": "/elsewhere",
  "etcd-servers": "['http://127.0.0.1:1']",
  "etcd-servers-overrides": "['/events#http://127.0.0.1:2'], etcd-servers: ['http://127.0.0.1:1']",
  "etcd-prefix": "/elsewhere",
  "etcd-cafile": "ca.pem",
  "etcd-certfile": "a, etcd-keyfile: b",
  "encryption-provider-config": "encryption.yaml",
  "etcd-keyfile": "b, etcd-certfile: a",
  "http2-max-streams-per-connection": "7",
  "http2-implementation": "runtime",
  "leader-elect": "false",
  "leader-elect-lease-duration": "20s",
  "leader-elect-renew-deadline": "9s",
  "leader-elect-retry-period": "1s",
  "service-cluster-ip-range": "192.0.2.0/24",
  "service-node-port-range": "31000-31999",
  "endpoint-reconciler-type": "none",
  "advertise-address": "192.0.2.1",
  "kubelet-certificate-authority": "ca.pem",
  "kubelet-client-certificate": "a, kubelet-client-key: b",
  "kubelet-client-key": "b, kubelet-client-certificate: a",
  "kubelet-preferred-address-types": "[ExternalIP]",
  "proxy-client-cert-file": "a, proxy-client-key-file: b",
  "proxy-client-key-file": "b, proxy-client-cert-file: a",
  "enable-aggregator-routing": "true",
  "aggregator-reject-forwarding-redirect": "false",
  "group-domain": "plumbing.example",
  "platform-name": "acme",
  "exit-on-stdin-close": "true",
  "test-control": "true",
  "logging-format": "json",
  "v": "3",
  "vmodule": "['httplog=3']",
  "show-hidden-metrics-for-version": "'1.34'",
  "disabled-metrics": "[apiserver_request_total]",
  "allow-metric-labels": "{'apiserver_request_total,verb': GET}",
  "allow-metric-labels-manifest": "labels.yaml",
  "emulated-version": "['1.34']",
  "min-compatibility-version": "['1.33']",
  "emulation-forward-compatible": "true, emulated-version: ['1.34']",
  "runtime-config-emulation-forward-compatible": "true, emulated-version: ['1.34']",
};

test("every setting takes effect while the server runs, or has a reason why it does not", () => {
  const names = Object.keys(settings) as SettingName[]; // The keys of the table.
  assert.deepEqual(
    [...Object.keys(live), ...Object.keys(hung)].toSorted(),
    names.filter((name) => settings[name].fixed === undefined).toSorted(),
  );
  const fixed = names.filter((name) => settings[name].fixed !== undefined && name !== "config");
  assert.deepEqual(Object.keys(others).toSorted(), fixed.toSorted());
  for (const name of fixed) assert.match(settings[name].fixed ?? "", /\w+ \w+/);
});

for (const [name, { before, after, files = {}, plugins, sees, saw, nowSees }] of Object.entries(live)) {
  test(`${name} takes effect while the server runs`, () =>
    inFolder(async (folder) => {
      const file = join(folder, "thole.yaml");
      for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
      await writeFile(file, `${before.replaceAll("FOLDER", folder)}\n`);
      await served([`--config=${file}`], async (server) => {
        if (saw !== undefined) assert.deepEqual(await sees(server), saw);
        await writeFile(file, `${after.replaceAll("FOLDER", folder)}\n`);
        await server.running.reload();
        assert.match(server.logged.join("\n"), new RegExp(`is active","changed":\\["${name}"\\]`));
        assert.deepEqual(await sees(server), nowSees);
      }, plugins);
    }));
}

for (const [name, of] of Object.entries(hung)) {
  test(`${name} takes effect while the server runs`, { skip: etcdMissing() }, () =>
    inFolder(async (folder) => {
      const file = join(folder, "thole.yaml");
      await writeFile(file, `${name}: 1h\n`);
      const etcd = await startEtcd();
      try {
        await served([`--config=${file}`, `--etcd-servers=${etcd.endpoint}`], async (server) => {
          assert.equal(await statusOf(server, of), 200);
          await writeFile(file, `${name}: 200ms\n`);
          await server.running.reload();
          process.kill(etcd.pid, "SIGSTOP");
          try {
            await until(async () => assert.equal((await server.client.ask(of)).text, "internal server error: timed out\n"));
          } finally {
            process.kill(etcd.pid, "SIGCONT");
          }
        });
      } finally {
        await etcd.stop();
      }
    }));
}

test("a change of settings that need a restart is rejected as a whole, with the reason of each", () =>
  inFolder(async (folder) => {
    const file = join(folder, "thole.yaml");
    await writeFile(file, "");
    // On the command line they would override the file.
    await served([`--config=${file}`], async (server) => {
      for (const [name, value] of Object.entries(others)) {
        if (["secure-port", "data-dir", "token-auth-file"].includes(name)) continue; // Set by the test server itself.
        const told = server.logged.length;
        await writeFile(file, `{${name}: ${value}, plugins: [-configmaps]}\n`);
        await server.running.reload();
        const line = JSON.parse(server.logged.slice(told).find((each) => /rejected/.test(each)) ?? "{}");
        const reason = settings[name as SettingName].fixed ?? ""; // A key of `others`.
        assert.ok(
          line.mistakes?.includes(`setting "${name}" cannot change while the server runs: ${reason}; restart the server to change it`),
          `${name}: ${JSON.stringify(line)}`,
        );
        assert.equal(await statusOf(server), 200, "no part of it is active");
      }
    });
  }));
