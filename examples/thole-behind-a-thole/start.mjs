// Starts two servers in memory, on loopback, one in front of the other: node start.mjs. Ctrl-C ends both.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startThole } from "../start-thole.mjs";

const own = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Resolves when the server in front serves the group of the one behind. `kubectl` talks to the one in front. */
export async function startBoth() {
  const folder = mkdtempSync(join(tmpdir(), "thole-behind-a-thole-")), file = (name) => join(folder, name), running = [];
  const stop = async () => {
    for (const server of running.toReversed()) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const start = async (...flags) => {
    const server = await startThole(...flags);
    running.push(server);
    return server;
  };
  try {
    makeCertificates(folder);
    const front = await start(
      // The certificate by which the front proves that it may name users, and what it publishes about it.
      `--proxy-client-cert-file=${file("front.crt")}`,
      `--proxy-client-key-file=${file("front.key")}`,
      `--requestheader-client-ca-file=${file("proxies.crt")}`,
      "--requestheader-allowed-names=front",
      "--requestheader-username-headers=X-Remote-User",
      "--requestheader-group-headers=X-Remote-Group",
      "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    );
    good(front.kubectl("apply", "-f", own("account.yaml")));
    const token = good(front.kubectl("create", "token", "berths", "--namespace=harbour")).trim();
    writeFileSync(file("account"), kubeconfigOf(front.kubeconfig, token), { mode: 0o600 });
    const behind = await start(
      `--plugins=cluster,${own("berths.ts")}`,
      `--tls-cert-file=${file("berths.crt")}`,
      `--tls-private-key-file=${file("berths.key")}`,
      // The front authenticates and authorizes.
      `--authentication-kubeconfig=${file("account")}`,
      `--authorization-kubeconfig=${file("account")}`,
    );
    await register(front, behind, readFileSync(file("services.crt")).toString("base64"), file("registration.yaml"));
    return { kubectl: front.kubectl, kubeconfig: front.kubeconfig, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Two authorities: one for those who may name users, and one for services. */
function makeCertificates(folder) {
  const make = (name, ...args) => {
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", `${name}.key`];
    execFileSync("openssl", ["req", "-x509", ...key, "-out", `${name}.crt`, "-subj", `/CN=${name}`, "-days", "365", ...args], {
      ...{ cwd: folder, stdio: "pipe" },
    });
  };
  const by = (ca) => ["-CA", `${ca}.crt`, "-CAkey", `${ca}.key`, "-addext", "basicConstraints=critical,CA:false"];
  for (const name of ["proxies", "services"]) make(name);
  make("front", ...by("proxies"), "-addext", "extendedKeyUsage=clientAuth");
  // The name of the service, not of a host.
  const names = "subjectAltName=DNS:berths.harbour.svc,IP:127.0.0.1";
  make("berths", ...by("services"), "-addext", "extendedKeyUsage=serverAuth", "-addext", names);
}

/** Creates service and APIService, and waits until the front passes the group on. */
async function register(front, behind, caBundle, file) {
  const text = readFileSync(own("registration.yaml"), "utf8");
  writeFileSync(file, text.replaceAll("PORT", new URL(behind.url).port).replaceAll("CA_BUNDLE", caBundle));
  good(front.kubectl("apply", "-f", file));
  good(front.kubectl("wait", "--for=condition=Available", "apiservice/v1.harbour.example.com", "--timeout=60s"));
  // Discovery follows a moment later.
  const known = () => front.kubectl("get", "berths").status === 0;
  for (let left = 100; left > 0 && !known(); left--) await pause(100);
}

/** The kubeconfig of the administrator with another token. */
function kubeconfigOf(path, token) {
  const config = readFileSync(path, "utf8"), [server] = /https:\/\/[\w.:[\]]+/.exec(config);
  const [, ca] = /certificate-authority-data"?: *"?([A-Za-z0-9+/=]+)/.exec(config);
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "front",
    contexts: [{ name: "front", context: { cluster: "front", user: "berths" } }],
    clusters: [{ name: "front", cluster: { server, "certificate-authority-data": ca } }],
    users: [{ name: "berths", user: { token } }],
  });
}

function good({ status, stdout, stderr }) {
  if (status !== 0) throw new Error(`kubectl: ${stderr}`);
  return stdout;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { kubeconfig, stop } = await startBoth();
  console.log(`The server in front serves harbour.example.com/v1\nexport KUBECONFIG=${kubeconfig}`);
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop);
}
