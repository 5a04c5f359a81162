// Starts etcd, kube-apiserver and Thole behind it, on loopback, and registers Thole's group: node start.mjs. Ctrl-C ends all three.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { authority, certificate, signingKey } from "./certificates.mjs";
import { background, freePort, pathOf, until } from "./programs.mjs";

const own = dirname(fileURLToPath(import.meta.url));
const adminToken = "admin", service = "thole.thole.svc";

/** Programs that have to be on PATH, and are not. */
export const missing = ["kube-apiserver", "etcd", "kubectl", "openssl"].filter((name) => pathOf(name) === undefined);

/** Resolves when the group is available in the cluster. `kubectl` runs it as the administrator of the cluster, `stop` ends all three servers. */
export async function startBehind() {
  const folder = mkdtempSync(join(tmpdir(), "behind-"));
  const running = [];
  const stop = async () => {
    // The order of the start, reversed. kube-apiserver waits for open watches after SIGTERM.
    for (const { program, signal } of running.toReversed()) await program.stop(signal);
    rmSync(folder, { recursive: true, force: true });
  };
  const start = (signal, command, ...args) => {
    const program = background(command, args, { cwd: folder });
    running.push({ program, signal });
    return program;
  };
  try {
    makeCertificates(folder);
    const cluster = await startCluster(folder, start);
    const { kubectl } = cluster;
    good(kubectl("apply", "-f", join(own, "manifests/account.yaml"), "-f", join(own, "manifests/sailors.yaml")));
    const token = good(kubectl("create", "token", "thole", "--namespace=thole", "--duration=24h")).trim();
    writeFileSync(join(folder, "thole-kubeconfig.yaml"), kubeconfig(cluster.url, folder, token), { mode: 0o600 });
    const { thole, port } = await startThole(start);
    await register(kubectl, folder, thole, port);
    return { kubectl, kubeconfig: cluster.file, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function makeCertificates(folder) {
  for (const ca of ["cluster-ca", "proxy-ca", "thole-ca"]) authority(folder, ca);
  certificate(folder, { ca: "cluster-ca", name: "kube-apiserver", names: ["DNS:localhost", "IP:127.0.0.1"] });
  // The kube-apiserver proves by this certificate that it may name users in headers.
  certificate(folder, { ca: "proxy-ca", name: "front-proxy-client" });
  certificate(folder, { ca: "thole-ca", name: "thole", names: [`DNS:${service}`, "IP:127.0.0.1"] });
  signingKey(folder, "accounts");
}

async function startCluster(folder, start) {
  const [etcdPort, peerPort, port] = [await freePort(), await freePort(), await freePort()];
  const etcdUrl = `http://127.0.0.1:${etcdPort}`, peerUrl = `http://127.0.0.1:${peerPort}`, url = `https://127.0.0.1:${port}`;
  start(
    "SIGTERM",
    pathOf("etcd"),
    "--data-dir=etcd",
    `--listen-client-urls=${etcdUrl}`,
    `--advertise-client-urls=${etcdUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
  );
  writeFileSync(join(folder, "tokens.csv"), `${adminToken},admin,admin,system:masters\n`, { mode: 0o600 });
  const program = start(
    "SIGKILL",
    pathOf("kube-apiserver"),
    `--etcd-servers=${etcdUrl}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    "--tls-cert-file=kube-apiserver.crt",
    "--tls-private-key-file=kube-apiserver.key",
    "--client-ca-file=cluster-ca.crt",
    "--token-auth-file=tokens.csv",
    "--authorization-mode=RBAC",
    "--requestheader-client-ca-file=proxy-ca.crt",
    "--requestheader-allowed-names=front-proxy-client",
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    "--proxy-client-cert-file=front-proxy-client.crt",
    "--proxy-client-key-file=front-proxy-client.key",
    "--service-account-key-file=accounts.key",
    "--service-account-signing-key-file=accounts.key",
    "--service-account-issuer=https://kubernetes.default.svc",
    "--service-cluster-ip-range=10.0.0.0/24",
  );
  const file = join(folder, "kubeconfig.yaml");
  writeFileSync(file, kubeconfig(url, folder, adminToken), { mode: 0o600 });
  const kubectl = (...args) =>
    spawnSync("kubectl", args, { encoding: "utf8", env: { ...process.env, KUBECONFIG: file, HOME: folder }, timeout: 60_000 });
  await until(program, "kube-apiserver is not ready", () => kubectl("get", "--raw=/readyz").status === 0);
  const published = ["get", "configmap", "extension-apiserver-authentication", "--namespace=kube-system"];
  await until(program, "kube-apiserver publishes no CA of its front proxy", () => kubectl(...published).status === 0);
  return { url, file, kubectl };
}

async function startThole(start) {
  const [command, ...words] = (process.env.THOLE ?? join(own, "node_modules/.bin/thole")).split(" ");
  const thole = start(
    "SIGTERM",
    command,
    ...words,
    "--data-dir=:memory:",
    "--secure-port=0",
    `--plugins=cluster,${join(own, "boats.ts")}`,
    "--tls-cert-file=thole.crt",
    "--tls-private-key-file=thole.key",
    // The cluster authenticates and authorizes.
    "--authentication-kubeconfig=thole-kubeconfig.yaml",
    "--authorization-kubeconfig=thole-kubeconfig.yaml",
  );
  const port = await until(thole, "Thole is not ready", () => /^Thole serves on https:\/\/127\.0\.0\.1:(\d+)$/m.exec(thole.output)?.[1]);
  return { thole, port };
}

/** Creates service and APIService, and waits until the kube-apiserver forwards the group. */
async function register(kubectl, folder, thole, port) {
  const caBundle = readFileSync(join(folder, "thole-ca.crt")).toString("base64");
  for (const name of ["service", "apiservice"]) {
    const text = readFileSync(join(own, `manifests/${name}.yaml`), "utf8").replaceAll("PORT", port).replaceAll("CA_BUNDLE", caBundle);
    const path = join(folder, `${name}.yaml`);
    writeFileSync(path, text);
    good(kubectl("apply", "-f", path));
  }
  const available = ["wait", "--for=condition=Available", "apiservice/v1.harbour.example.com", "--timeout=1s"];
  await until(thole, "the group is not available", () => kubectl(...available).status === 0);
}

/** A kubeconfig of the cluster with this token. */
function kubeconfig(url, folder, token) {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "cluster",
    contexts: [{ name: "cluster", context: { cluster: "cluster", user: "user" } }],
    clusters: [{ name: "cluster", cluster: { server: url, "certificate-authority": join(folder, "cluster-ca.crt") } }],
    users: [{ name: "user", user: { token } }],
  });
}

function good({ status, stdout, stderr }) {
  if (status !== 0) throw new Error(`kubectl: ${stderr}`);
  return stdout;
}

async function main() {
  if (missing.length > 0) throw new Error(`not on PATH: ${missing.join(", ")}`);
  const { kubeconfig: file, stop } = await startBehind();
  console.log(`The cluster serves harbour.example.com/v1\nexport KUBECONFIG=${file}`);
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
