/** The permissions of Deno that a server with these settings needs. `scripts/start.mjs` runs this file before it starts the server. */
import { existsSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import { dirname, isAbsolute, join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { append } from "../../core/append.ts";
import { addressOfAccess, filesOfAccess, inCluster } from "../access/remote/kubeconfig.ts";
import { ConfigError, parseArguments } from "../config/parse.ts";
import { type Config, defaults, type SettingName } from "../config/settings.ts";
import { isModule } from "../config/choose-plugins.ts";

/** Settings that name files which are read. */
export const fileSettings = Object.freeze(
  [
    "tls-cert-file",
    "tls-private-key-file",
    "client-ca-file",
    "root-ca-file",
    "requestheader-client-ca-file",
    "token-auth-file",
    "service-account-signing-key-file",
    "service-account-key-file",
    "authentication-config",
    "oidc-ca-file",
    "authentication-token-webhook-config-file",
    "authorization-config",
    "authorization-webhook-config-file",
    "etcd-cafile",
    "etcd-certfile",
    "etcd-keyfile",
    "allow-metric-labels-manifest",
    "audit-policy-file",
    "audit-webhook-config-file",
  ] as const satisfies readonly SettingName[],
);

/** Settings that name kubeconfig files, or are `in-cluster`: what these refer to is granted, too. */
export const kubeconfigSettings = Object.freeze(
  [
    "audit-webhook-config-file",
    "authentication-token-webhook-config-file",
    "authorization-webhook-config-file",
    "authentication-kubeconfig",
    "authorization-kubeconfig",
  ] as const satisfies readonly SettingName[],
);

/** The name of the machine, for the lease of the elected server. Deno reads nothing of /proc for metrics, whatever is granted here. */
const machineFiles = Object.freeze(["/etc/hostname"]);

const sources = fileURLToPath(new URL("../..", import.meta.url));

/** Flags of `deno run` for the server with these arguments, started in `folder`. Where the arguments cannot be used, the flags are
 *  enough for the server to say why. */
export function permissionFlags(args: readonly string[], folder: string): readonly string[] {
  let configurationFile: string | undefined;
  let config: Config = defaults;
  try {
    const parsed = parseArguments(args, (path) => readFileSync(configurationFile = resolve(folder, path), "utf8"));
    if (!parsed.help) config = parsed.config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
  }
  const { read, write } = paths(config, folder), remotes = remoteAccess(config, folder);
  if (configurationFile !== undefined) read.push(configurationFile);
  return [
    "--no-prompt",
    "--cached-only",
    `--allow-read=${listed([...read, ...remotes.files, ...write])}`,
    ...(write.length === 0 ? [] : [`--allow-write=${listed(write)}`]),
    `--allow-net=${listed([...addresses(config), ...issuerAddresses(config, folder), ...remotes.addresses])}`,
    "--allow-sys=hostname,networkInterfaces",
    ...(remotes.isInCluster ? ["--allow-env=KUBERNETES_SERVICE_HOST,KUBERNETES_SERVICE_PORT"] : []),
  ];
}

/** Deno separates entries by commas; a comma in one is written twice. */
function listed(entries: readonly string[]): string {
  return [...new Set(entries)].map((entry) => entry.replaceAll(",", ",,")).join(",");
}

function paths(config: Config, folder: string): { read: string[]; write: string[] } {
  const at = (path: string) => resolve(folder, path);
  const files = fileSettings.flatMap((name) => config[name]).filter((path) => path !== "");
  const read = [
    sources,
    ...machineFiles,
    ...files.map(at),
    ...config.plugins.filter(isModule).filter(isPath).map((path) => packageOf(at(path))),
  ];
  const write = config["data-dir"] === ":memory:" ? [] : [at(config["data-dir"])];
  const auditLog = config["audit-log-path"];
  // Rotation renames files beside the log, and a first start makes its folder.
  if (auditLog !== "" && auditLog !== "-") write.push(folderThatExists(dirname(at(auditLog))));
  if (config["cert-dir"] !== "") write.push(certificatesFolder(at(config["cert-dir"])));
  return { read, write };
}

/** The folder of the server's own certificates. A first start makes it beside its place and moves it there, which needs the folder
 *  above it. */
function certificatesFolder(path: string): string {
  return existsSync(join(path, "ca.crt")) ? path : dirname(path);
}

/** The folder, or the nearest one above it that exists, in which it can be made. */
function folderThatExists(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : folderThatExists(dirname(path));
}

/** The files and servers that kubeconfig files refer to. A file that cannot be used grants nothing beside itself. */
function remoteAccess(config: Config, folder: string): { files: string[]; addresses: string[]; isInCluster: boolean } {
  const named = [...kubeconfigSettings.map((name) => config[name]), ...kubeconfigsOfAuthorizers(config, folder)];
  const paths = named.filter((path) => path !== "");
  const files: string[] = [], addresses: string[] = [];
  for (const path of paths.map((each) => each === inCluster ? each : resolve(folder, each))) {
    try {
      const text = path === inCluster ? "" : readFileSync(path, "utf8");
      const address = addressOfAccess(path, text);
      append(files, filesOfAccess(path, text));
      if (address !== undefined) addresses.push(address);
    } catch {
      // The server says what is wrong with it.
    }
  }
  return { files, addresses, isInCluster: paths.includes(inCluster) };
}

/** As `kernel/main.ts` loads plugins: paths are modules, other words are packages, which are below the sources. */
function isPath(specifier: string): boolean {
  return specifier.startsWith(".") || isAbsolute(specifier);
}

/** The folder of the package that a module belongs to, so that the module can import the rest of it; its own folder where there is
 *  none. */
function packageOf(path: string): string {
  const own = dirname(path);
  for (let folder = own;; folder = dirname(folder)) {
    if (["package.json", "deno.json", "node_modules"].some((name) => existsSync(join(folder, name)))) return folder;
    if (folder === dirname(folder)) return own;
  }
}

/** Where the server listens, and the servers of etcd. */
function addresses(config: Config): string[] {
  const bracketed = (host: string) => isIP(host) === 6 ? `[${host}]` : host;
  return [`${bracketed(config["bind-address"])}:${config["secure-port"]}`, ...config["etcd-servers"].flatMap(hostOf)];
}

/** Host and port of a URL; none of text that is no URL. */
function hostOf(text: string): readonly string[] {
  const url = URL.parse(text);
  return url === null || url.hostname === "" ? [] : [`${url.hostname}:${url.port || (url.protocol === "https:" ? "443" : "80")}`];
}

/** Issuers of tokens. Their keys must be served by the same host; those of Google are known to be elsewhere. */
function issuerAddresses(config: Config, folder: string): string[] {
  const text = `${config["oidc-issuer-url"]} ${textOf(config["authentication-config"], folder)}`;
  const hosts = [...text.matchAll(/\bhttps:\/\/[^\s"'\/?#,\\}\]]+/g)].flatMap(([url]) => hostOf(url));
  return hosts.includes("accounts.google.com:443") ? [...hosts, "www.googleapis.com:443"] : hosts;
}

/** Kubeconfig files, and the word for in-cluster credentials, that the file of --authorization-config names. */
function kubeconfigsOfAuthorizers(config: Config, folder: string): readonly string[] {
  const text = textOf(config["authorization-config"], folder);
  const paths = text.split("kubeConfigFile").slice(1).map((piece) => /^["': \t]*([^\s"',{}:]+)/.exec(piece)?.[1] ?? "");
  return text.includes("InClusterConfig") ? [...paths, inCluster] : paths;
}

function textOf(path: string, folder: string): string {
  try {
    return path === "" ? "" : readFileSync(resolve(folder, path), "utf8");
  } catch {
    return ""; // the server says what is wrong with the file
  }
}

if (import.meta.main) console.log(JSON.stringify(permissionFlags(process.argv.slice(2), process.cwd())));
