import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { settings } from "../config/settings.ts";
import { fileSettings, launchOf, pathSettings, permissionFlags } from "./permissions.ts";

const sources = fileURLToPath(new URL("../..", import.meta.url));
const machine = ["/etc/hostname"];
/** The entries of each permission. */
const granted = (args: readonly string[], folder = "/srv") =>
  Object.fromEntries(
    permissionFlags(args, folder).map((flag) => flag.split("=")).map((
      [name = "", list],
    ) => [name.replace("--allow-", ""), list?.split(",")]),
  );

test("launchOf() says which programs are servers, and which of these end with the standard input of their caller", () => {
  const of = (...words: readonly string[]) => {
    const { isServer, followsInput } = launchOf(words, "/srv");
    return [isServer, followsInput];
  };
  assert.deepEqual(of(), [true, false]);
  assert.deepEqual(of("dev", "--exit-on-stdin-close"), [true, true]);
  assert.deepEqual(of("--exit-on-stdin-close", "--data-dir=:memory:"), [true, true]);
  assert.deepEqual(of("--compat=kube-apiserver", "--etcd-servers=http://127.0.0.1:2379"), [true, false]);
  assert.deepEqual(of("--no-such-flag"), [true, false]);
  for (const command of ["check", "convert", "import", "help"]) assert.deepEqual(of(command), [false, false], command);
});

test("permissionFlags() grants a server under test every port of its address, for its forks", () => {
  const net = (...args: readonly string[]) => granted(["--data-dir=:memory:", "--secure-port=7443", ...args]).net;
  assert.deepEqual([net()?.[0], net("--test-control")?.[0]], ["127.0.0.1:7443", "127.0.0.1"]);
});

test("launchOf() grants a command the files and the etcd of its own flags", () => {
  const words = [
    "import",
    "--data-dir=state",
    "--from-snapshot=a.db",
    "--from-encryption-provider-config",
    "keys.yaml",
    "--from-etcd-servers=https://10.0.0.1:2379,http://10.0.0.2",
  ];
  const { permissions, args } = launchOf(words, "/srv");
  assert.deepEqual(args, words);
  assert.deepEqual(permissions.slice(2), [
    `--allow-read=${[sources, ...machine].join()},/srv/a.db,/srv/keys.yaml,/srv/state`,
    "--allow-write=/srv/state",
    "--allow-net=127.0.0.1:6443,10.0.0.1:2379,10.0.0.2:80",
    "--allow-sys=hostname,networkInterfaces,ca",
    "--allow-env=NODE_USE_SYSTEM_CA",
  ]);
  for (const words of [["verify"], ["history", "pods", "web", "-n", "shop"]]) {
    assert.equal(launchOf(words, "/srv").permissions.at(-2), "--allow-sys=hostname,networkInterfaces,ca,statfs");
  }
});

test("permissionFlags() grants the sources, the data folder and the address, and nothing else", () => {
  assert.deepEqual(permissionFlags(["--data-dir=state", "--secure-port=7443"], "/srv"), [
    "--no-prompt",
    "--cached-only",
    `--allow-read=${[sources, ...machine].join()},/srv/state`,
    "--allow-write=/srv/state",
    "--allow-net=127.0.0.1:7443",
    "--allow-sys=hostname,networkInterfaces,ca",
    "--allow-env=NODE_USE_SYSTEM_CA",
  ]);
  assert.equal(Object.hasOwn(granted(["--data-dir=:memory:"]), "write"), false);
});

test("pathSettings has each setting whose value is a path", () => {
  const named = Object.keys(settings).filter((name) =>
    /(^config|file|manifest|-dir|-path|kubeconfig|(authentication|authorization|encryption-provider)-config)$/.test(name)
  );
  assert.deepEqual([...new Set(pathSettings)].toSorted(), named.toSorted());
});

test("permissionFlags() grants reading each file of a setting", () => {
  const named = Object.keys(settings).filter((name) =>
    /(file|manifest|authentication-config|authorization-config|encryption-provider-config)$/.test(name)
  ).toSorted();
  assert.deepEqual([...fileSettings].toSorted(), named);
  const needed: Readonly<Record<string, readonly string[]>> = {
    "oidc-ca-file": ["--oidc-issuer-url=https://issuer.example.com", "--oidc-client-id=a"],
  };
  const together = fileSettings.filter((name) => needed[name] === undefined);
  const { read } = granted([...together.map((name) => `--${name}=files/${name}`), "--etcd-servers=http://localhost:2379"]);
  for (const name of together) assert.ok(read?.includes(`/srv/files/${name}`), name);
  for (const [name, flags] of Object.entries(needed)) {
    assert.ok(granted([`--${name}=files/${name}`, ...flags])["read"]?.includes(`/srv/files/${name}`), name);
  }
});

test("permissionFlags() grants the addresses of etcd, with the default port of their scheme", () => {
  const servers = "--etcd-servers=http://[::1]:2379,https://etcd.example,http://10.0.0.1";
  assert.deepEqual(granted([servers, "--bind-address=::"]).net, ["[::]:6443", "[::1]:2379", "etcd.example:443", "10.0.0.1:80"]);
  const overrides = "--etcd-servers-overrides=/events#http://10.0.0.2:2379;http://10.0.0.1";
  assert.deepEqual(granted([servers, overrides]).net?.slice(-2), ["10.0.0.1:80", "10.0.0.2:2379"]);
});

test("permissionFlags() reads the configuration file, and suffices to report an error in it", () => {
  const folder = mkdtempSync(join(tmpdir(), "thole-permissions-"));
  try {
    const file = join(folder, "thole.yaml");
    writeFileSync(file, "data-dir: elsewhere\ntoken-auth-file: /tokens.csv\n");
    const { read, write } = granted(["--config=thole.yaml"], folder), data = join(folder, "elsewhere");
    assert.deepEqual([read?.toSorted(), write], [[sources, ...machine, "/tokens.csv", file, data].toSorted(), [data]]);
    writeFileSync(file, "nonsense: 1\n");
    assert.deepEqual(granted(["--config=thole.yaml", "--unknown"], folder).read?.includes(file), true);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("permissionFlags() grants the parent of the certificates' folder only until that folder exists", () => {
  const folder = mkdtempSync(join(tmpdir(), "thole-permissions-"));
  try {
    const args = ["--data-dir=/d", `--cert-dir=${join(folder, "pki")}`];
    assert.deepEqual(granted(args).write, ["/d", folder]);
    mkdirSync(join(folder, "pki"));
    writeFileSync(join(folder, "pki/ca.crt"), "");
    assert.deepEqual(granted(args).write, ["/d", join(folder, "pki")]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("permissionFlags() grants a plugin's package, or its folder without one", () => {
  const folder = mkdtempSync(join(tmpdir(), "thole-permissions-"));
  try {
    mkdirSync(join(folder, "package/deep"), { recursive: true });
    mkdirSync(join(folder, "alone"));
    writeFileSync(join(folder, "package/package.json"), "{}");
    const { read } = granted(["--plugins=cluster,./package/deep/a.ts,./alone/b.ts,some-package", "--data-dir=:memory:"], folder);
    assert.deepEqual(read, [sources, ...machine, join(folder, "package"), join(folder, "alone")]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("permissionFlags() separates a comma in a path from the next path", () => {
  assert.match(permissionFlags(["--data-dir=/a,/b"], "/").join(" "), /--allow-write=\/a,,\/b /);
});

test("permissionFlags() grants the files and servers of token issuers and webhooks", () => {
  const folder = mkdtempSync(join(tmpdir(), "thole-permissions-"));
  try {
    const issuers = join(folder, "issuers.yaml"), webhook = join(folder, "webhook.yaml");
    writeFileSync(issuers, "jwt:\n- issuer: {url: https://accounts.google.com}\n- issuer:\n    url: 'https://a.example.com:8443/x'\n");
    writeFileSync(
      webhook,
      JSON.stringify({
        "current-context": "w",
        contexts: [{ name: "w", context: { cluster: "w" } }],
        clusters: [{ name: "w", cluster: { server: "https://10.0.0.7:443/review" } }],
      }),
    );
    const { read, net } = granted([
      "--data-dir=:memory:",
      `--authentication-config=${issuers}`,
      `--authentication-token-webhook-config-file=${webhook}`,
    ]);
    assert.ok([issuers, webhook].every((file) => read?.includes(file)));
    assert.deepEqual(net, ["127.0.0.1:6443", "accounts.google.com:443", "a.example.com:8443", "www.googleapis.com:443", "10.0.0.7:443"]);
    assert.deepEqual(granted(["--oidc-issuer-url=https://b.example.com/realm", "--oidc-client-id=a"]).net, [
      "127.0.0.1:6443",
      "b.example.com:443",
    ]);
    assert.deepEqual(granted([`--authentication-config=${folder}/none`]).net, ["127.0.0.1:6443"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("permissionFlags() grants the kubeconfigs of authorization and image webhooks, with their files and servers", () => {
  const folder = mkdtempSync(join(tmpdir(), "thole-permissions-"));
  try {
    const config = join(folder, "authorization.yaml"),
      [one, two] = ["one.yaml", "two.yaml"].map((name) => join(folder, name)) as [string, string];
    const kubeconfig = (host: string) =>
      JSON.stringify({
        "current-context": "a",
        contexts: [{ name: "a", context: { cluster: "c", user: "u" } }],
        clusters: [{ name: "c", cluster: { server: `https://${host}/authorize`, "certificate-authority": "ca.pem" } }],
        users: [{ name: "u", user: { "client-certificate": "/etc/cert.pem", "client-key": "/etc/key.pem" } }],
      });
    writeFileSync(one, kubeconfig("10.0.0.7:8443"));
    writeFileSync(two, kubeconfig("b.example.com"));
    writeFileSync(config, `authorizers:\n- webhook:\n    connectionInfo:\n      type: KubeConfigFile\n      kubeConfigFile: "${two}"\n`);
    const flags = [`--authorization-mode=Webhook`, `--authorization-webhook-config-file=${one}`];
    const first = granted(["--data-dir=:memory:", ...flags]);
    assert.ok([one, join(folder, "ca.pem"), "/etc/cert.pem", "/etc/key.pem"].every((file) => first.read?.includes(file)));
    assert.deepEqual(first.net, ["127.0.0.1:6443", "10.0.0.7:8443"]);
    const admission = join(folder, "admission.yaml"), imagePolicy = { kubeConfigFile: one };
    writeFileSync(admission, JSON.stringify({ plugins: [{ name: "ImagePolicyWebhook", configuration: { imagePolicy } }] }));
    const third = granted(["--data-dir=:memory:", `--admission-control-config-file=${admission}`]);
    assert.ok([admission, one, join(folder, "ca.pem"), "/etc/cert.pem", "/etc/key.pem"].every((file) => third.read?.includes(file)));
    assert.deepEqual(third.net, ["127.0.0.1:6443", "10.0.0.7:8443"]);
    const second = granted(["--data-dir=:memory:", `--authorization-config=${config}`]);
    assert.ok([config, two, join(folder, "ca.pem")].every((file) => second.read?.includes(file)));
    assert.deepEqual(second.net, ["127.0.0.1:6443", "b.example.com:443"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("permissionFlags() grants the collector of traces, and hides all variables from its packages", () => {
  const folder = mkdtempSync(join(tmpdir(), "thole-permissions-"));
  try {
    const file = join(folder, "tracing.yaml"), flag = `--tracing-config-file=${file}`;
    const at = (endpoint: string) => {
      writeFileSync(file, `apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\nendpoint: "${endpoint}"\n`);
      return granted(["--data-dir=:memory:", flag]);
    };
    assert.deepEqual(at("10.0.0.7:4317").net, ["127.0.0.1:6443", "10.0.0.7:4317"]);
    assert.deepEqual(at("[::1]:4317").net, ["127.0.0.1:6443", "[::1]:4317"]);
    assert.deepEqual(at("collector:4317").net, ["127.0.0.1:6443", "collector", "0.0.0.0/0:4317", "[::1]:4317"]);
    const { net, read, write } = at("unix:///run/otel.sock");
    assert.deepEqual([net, write], [["127.0.0.1:6443", "unix:/run/otel.sock"], ["/run/otel.sock"]]);
    assert.ok(read?.includes("/run/otel.sock") && read.includes(file));
    assert.deepEqual(at("https://a").net, ["127.0.0.1:6443"]);
    assert.ok(permissionFlags([flag], folder).includes("--ignore-env"));
    assert.ok(!permissionFlags([], folder).includes("--ignore-env"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("permissionFlags() grants the folder of the audit log, and the files and servers in the kubeconfig of the audit webhook", () => {
  const folder = mkdtempSync(join(tmpdir(), "thole-permissions-"));
  try {
    mkdirSync(join(folder, "logs"));
    const file = join(folder, "webhook.yaml");
    writeFileSync(
      file,
      `current-context: a
contexts: [{name: a, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://10.0.0.8/audit", certificate-authority: ca.crt}}]
users: [{name: u, user: {tokenFile: /var/token}}]
`,
    );
    const args = ["--data-dir=:memory:", `--audit-log-path=${join(folder, "logs/audit.log")}`, `--audit-webhook-config-file=${file}`];
    const { read, write, net, env } = granted(args);
    assert.deepEqual([write, net, env], [[join(folder, "logs")], ["127.0.0.1:6443", "10.0.0.8:443"], ["NODE_USE_SYSTEM_CA"]]);
    for (const path of [file, join(folder, "ca.crt"), "/var/token"]) assert.ok(read?.includes(path), path);
    // A missing folder is created in its nearest existing parent; a file that cannot be used grants nothing but itself.
    writeFileSync(file, "users: [");
    const missing = granted([
      "--data-dir=:memory:",
      `--audit-log-path=${join(folder, "a/b/c.log")}`,
      `--audit-webhook-config-file=${file}`,
    ]);
    assert.deepEqual([missing.write, missing.net], [[folder], ["127.0.0.1:6443"]]);
    assert.equal(Object.hasOwn(granted(["--data-dir=:memory:", "--audit-log-path=-"]), "write"), false);
    assert.deepEqual(granted(["--audit-webhook-config-file=in-cluster"]).env, [
      "NODE_USE_SYSTEM_CA",
      "KUBERNETES_SERVICE_HOST",
      "KUBERNETES_SERVICE_PORT",
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("permissionFlags() permits running Deno only for several workers", () => {
  const etcd = "--etcd-servers=http://127.0.0.1:2379",
    runs = (...args: readonly string[]) => permissionFlags(args, "/srv", "/opt/deno").filter((flag) => flag.startsWith("--allow-run"));
  assert.deepEqual(runs(etcd, "--workers=2"), ["--allow-run=/opt/deno"]);
  for (const args of [[], [etcd], [etcd, "--workers=1"], ["--workers=2"], ["--workers=auto"]]) assert.deepEqual(runs(...args), []);
  assert.deepEqual(
    permissionFlags([etcd, "--workers=2", "--workers=1"], "/srv"),
    permissionFlags([etcd], "/srv"),
    "the workers have the others",
  );
});

test("launchOf() grants check every file that the settings name, also if others are mistaken, and no variables to the package yaml", () => {
  const { permissions } = launchOf(["check", "--mistake", "--secure-port=70000", "--token-auth-file=tokens.csv"], "/srv");
  const read = permissions.find((flag) => flag.startsWith("--allow-read="))!;
  assert.ok(read.split(",").includes("/srv/tokens.csv"), read);
  assert.ok(!permissions.join().includes("70000"), "a port that Deno would not accept");
  assert.ok(permissions.includes("--ignore-env"));
  assert.ok(!launchOf(["serve"], "/srv").permissions.includes("--ignore-env"));
});

test("permissionFlags() grants the files and hosts that settings of plugins name, beside those of the server's settings", () => {
  const folder = mkdtempSync(join(tmpdir(), "thole-permissions-"));
  try {
    writeFileSync(join(folder, "badges.csv"), "");
    const args = [
      "--secure-port=7443",
      "--badge-file=badges.csv",
      "--badge-folder=.",
      "--no-badge=missing.csv",
      "--is-badge",
      "--badge-url=https://badges/a",
    ];
    const { read, net } = granted(args, folder);
    assert.ok(read?.includes(join(folder, "badges.csv")));
    assert.ok(!read?.includes(folder) && !read?.includes(join(folder, "missing.csv")));
    assert.deepEqual(net, ["127.0.0.1:7443", "badges:443"]);
    const modules = launchOf(["--help", "--plugins=./mine/plugin.ts"], folder).permissions.find((flag) => flag.startsWith("--allow-read="));
    assert.ok(modules?.split(",").includes(join(folder, "mine")), "help loads the modules of plugins");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("launchOf() grants convert its files and folders, and nothing else", () => {
  const permissions = (...words: readonly string[]) => launchOf(["convert", ...words], "/srv").permissions;
  assert.deepEqual(permissions("-f", "a.yaml", "-f", "-", "--filename=/etc/objects", "-R"), [
    "--no-prompt",
    "--cached-only",
    "--ignore-env",
    "--quiet",
    `--allow-read=${sources},/srv/a.yaml,/etc/objects`,
  ]);
  assert.deepEqual(permissions("--mistake").at(-1), `--allow-read=${sources}`);
});

test("launchOf() grants advise its files, the server of its kubeconfig, the etcd to read, and writing where --fix changes files", () => {
  const folder = mkdtempSync(join(tmpdir(), "thole-permissions-"));
  try {
    const kubeconfig = {
      "current-context": "a",
      contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
      clusters: [{ name: "a", cluster: { server: "https://[::1]:6443" } }],
      users: [{ name: "a", user: { tokenFile: "token" } }],
    };
    writeFileSync(join(folder, "kc"), JSON.stringify(kubeconfig));
    writeFileSync(join(folder, "a.yaml"), "");
    const permissions = (...words: readonly string[]) => launchOf(["advise", ...words], folder).permissions.slice(4);
    assert.deepEqual(permissions("--kubeconfig", "kc", "--audit-log=audit.log"), [
      `--allow-read=${[sources, "kc", "audit.log", "token"].map((each, index) => index === 0 ? each : join(folder, each)).join()}`,
      "--allow-net=[::1]:6443",
      "--allow-sys=ca",
    ]);
    assert.deepEqual(permissions("--from-etcd-servers=https://a:2379,http://b", "--from-etcd-cafile=ca.crt"), [
      `--allow-read=${sources},${join(folder, "ca.crt")}`,
      "--allow-net=a:2379,b:80",
      "--allow-sys=ca",
    ]);
    assert.deepEqual(permissions("--from-snapshot", "a.db", "--from-encryption-provider-config=keys.yaml"), [
      `--allow-read=${sources},${join(folder, "a.db")},${join(folder, "keys.yaml")}`,
    ]);
    assert.deepEqual(permissions("-f", "a.yaml", "-f", ".", "--fix"), [
      `--allow-read=${sources},${join(folder, "a.yaml")},${folder}`,
      `--allow-write=${folder}`,
      "--allow-run=helm",
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
