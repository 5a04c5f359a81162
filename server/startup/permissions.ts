/** The permissions of Deno for a server with these settings. `scripts/start.mjs` runs this file before it starts the server. */
import { inMemory, isInMemory } from "../config/in-memory.ts";
import { randomUUID } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { isIP } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { append } from "../../core/append.ts";
import { addressOfAccess, filesOfAccess, filesOfUsers, inCluster } from "../../client/kubeconfig.ts";
import { commandFlagsOf, joinValues, settingsOf as commandSettings } from "../config/command-flags.ts";
import { chooseCommand, type Chosen, commands, flagsOf as flagsOfCommand, UsageError } from "../config/commands.ts";
import { parseArguments, readArguments } from "../config/parse.ts";
import { compatFlag, kubeApiserverArguments } from "../config/kube-apiserver-arguments.ts";
import { type Config, defaults, type SettingName } from "../config/settings.ts";
import { namedPairs } from "../config/named-certificates.ts";
import { etcdServers } from "../config/server-overrides.ts";
import { workerCount, workersMistakes } from "../config/workers.ts";
import { readTracingConfiguration } from "../config/tracing-settings.ts";
import { isModule, isPath } from "../config/choose-plugins.ts";
import { readWholeTextSync } from "../../protocols/files/bounded-files.ts";
import { valueText } from "../../core/value-text.ts";

/** Settings that name files to be read. */
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
    "proxy-client-cert-file",
    "proxy-client-key-file",
    "etcd-cafile",
    "etcd-certfile",
    "etcd-keyfile",
    "encryption-provider-config",
    "allow-metric-labels-manifest",
    "audit-policy-file",
    "audit-webhook-config-file",
    "admission-control-config-file",
    "tracing-config-file",
  ] as const satisfies readonly SettingName[],
);

/** Settings that name kubeconfig files, or are `in-cluster`: the files and servers in these are granted as well. */
export const kubeconfigSettings = Object.freeze(
  [
    "audit-webhook-config-file",
    "authentication-token-webhook-config-file",
    "authorization-webhook-config-file",
    "authentication-kubeconfig",
    "authorization-kubeconfig",
  ] as const satisfies readonly SettingName[],
);

/** The machine's name, for the lease of leader election. Deno does not permit reading /proc for metrics with any grant here. */
const machineFiles = Object.freeze(["/etc/hostname"]);

/** Whether the authorities of the operating system are trusted as well as those of the runtime. Deno reads it with `--allow-sys=ca`. */
const variablesOfAuthorities = Object.freeze(["NODE_USE_SYSTEM_CA"]);
const variablesOfPod = Object.freeze(["KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"]);

/** Settings that name what is written: the values that name nothing, and the folder to grant for a path. */
const writtenSettings = Object.freeze(
  {
    "data-dir": { none: [inMemory], folderOf: (path) => path },
    "write-kubeconfig": { none: [""], folderOf: (path) => folderToCreate(dirname(path)) },
    // Rotation renames files beside the log, and a first start creates its folder.
    "audit-log-path": { none: ["", "-"], folderOf: (path) => folderThatExists(dirname(path)) },
    "cert-dir": { none: [""], folderOf: (path) => certificatesFolder(path) },
  } satisfies Readonly<
    Partial<Record<SettingName, { readonly none: readonly string[]; readonly folderOf: (path: string) => string }>>
  >,
);

/** Settings that name files or folders, for completion. */
export const pathSettings: readonly string[] = Object.freeze([
  "config",
  ...fileSettings,
  ...kubeconfigSettings,
  ...Object.keys(writtenSettings),
]);

/** The folder of the modules: in the repository this one's is below it, in the bundle all are in it. */
const sources = fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "../.." : ".", import.meta.url));

/** The settings of these arguments, and their file. For invalid arguments those of files, so that all mistakes are found, and the defaults of the others. */
function settingsOf(args: readonly string[], folder: string): GivenSettings {
  let configurationFile: string | undefined;
  const read = readArguments(args, (path) => readWholeTextSync(configurationFile = resolve(folder, path)), { leavesOthers: true });
  if (read.help) return { config: defaults, configurationFile, ofPlugins: [] };
  const { config, mistakes, left: ofPlugins } = read;
  if (mistakes.length === 0) return { config, configurationFile, ofPlugins };
  const files = [...fileSettings, ...kubeconfigSettings, "plugins"] as const;
  return { config: { ...defaults, ...Object.fromEntries(files.map((name) => [name, config[name]])) }, configurationFile, ofPlugins };
}

interface GivenSettings {
  readonly config: Config;
  readonly configurationFile: string | undefined;
  /** The values of settings that are not the server's: those of plugins, which are not loaded here, and mistakes. */
  readonly ofPlugins: readonly string[];
}

/**
 * The arguments with a place for the kubeconfig of a server in memory: a folder that does not exist yet, below the system's temporary folder. The server may
 * then write this folder only.
 */
export function withKubeconfig(args: readonly string[], folder: string): readonly string[] {
  const { config } = settingsOf(args, folder);
  if (!isInMemory(config) || config["write-kubeconfig"] !== "") return args;
  return [...args, `--write-kubeconfig=${join(tmpdir(), `thole-${randomUUID()}`, "kubeconfig")}`];
}

/**
 * Flags of `deno run` for the server with these arguments, started in `folder`. For invalid arguments they suffice for the server's error.
 * `deno`: the path of Deno, which a server with several workers runs.
 */
export function permissionFlags(
  args: readonly string[],
  folder: string,
  deno: string = process.execPath,
  own: CommandAccess = noAccess,
): readonly string[] {
  const { config, configurationFile, ofPlugins } = settingsOf(args, folder);
  const { read, write } = paths(config, folder), remotes = remoteAccess(config, folder), collector = collectorOf(config, folder);
  const plugins = [...kmsSockets(config["encryption-provider-config"], folder), ...own.sockets];
  append(write, [...collector.sockets, ...plugins, ...own.folders]);
  if (configurationFile !== undefined) read.push(configurationFile);
  append(read, own.files, ofPlugins.map((value) => resolve(folder, value)).filter(isFile));
  return [
    "--no-prompt",
    "--cached-only",
    `--allow-read=${listPermission([...read, ...remotes.files, ...write])}`,
    ...(write.length === 0 ? [] : [`--allow-write=${listPermission(write)}`]),
    `--allow-net=${
      listPermission([
        ...addresses(config),
        ...issuerAddresses(config, folder),
        ...remotes.addresses,
        ...collector.addresses,
        ...plugins.map((path) => `unix:${path}`),
        ...own.addresses,
        ...ofPlugins.flatMap(hostOf),
      ])
    }`,
    // `ca`: the system's authorities, which Deno reads for a remote server without a CA of its own in the settings.
    `--allow-sys=hostname,networkInterfaces,ca${own.readsDiskSpace ? ",statfs" : ""}`,
    // The packages of OpenTelemetry, and yaml, look for variables, which are none of this server's settings.
    ...(config["tracing-config-file"] === "" && !own.readsPlaces ? [] : ["--ignore-env"]),
    // The process that starts the workers. It serves no requests, and the workers have no such permission.
    ...(workersMistakes(config).length === 0 && workerCount(config) > 1 ? [`--allow-run=${listPermission([deno])}`] : []),
    `--allow-env=${listPermission([...variablesOfAuthorities, ...(remotes.isInCluster ? variablesOfPod : [])])}`,
  ];
}

/** The permissions that the own flags of a command add. */
interface CommandAccess {
  readonly files: readonly string[];
  /** In which it writes files. */
  readonly folders: readonly string[];
  readonly addresses: readonly string[];
  /** Of KMS plugins. */
  readonly sockets: readonly string[];
  /** Before it copies a store that is in use. */
  readonly readsDiskSpace: boolean;
  /** Whether it finds the lines of fields, with the package yaml. */
  readonly readsPlaces: boolean;
}
const noAccess: CommandAccess = Object.freeze({
  files: [],
  folders: [],
  addresses: [],
  sockets: [],
  readsDiskSpace: false,
  readsPlaces: false,
});

/** The files and the etcd that the own flags of a command name. */
function commandAccess(chosen: Chosen, folder: string): CommandAccess {
  const values = joinValues(commandFlagsOf(chosen).values);
  const ofFiles = flagsOfCommand(chosen.name).filter(({ values }) => values === "file");
  const pathsOf = (isWritten: boolean) =>
    ofFiles.flatMap((flag) => (flag.isWritten === true) === isWritten ? values.get(flag.name) ?? [] : []);
  const paths = pathsOf(false);
  return {
    folders: pathsOf(true).map((path) => dirname(resolve(folder, path))),
    // A backup is looked at for a log beside it.
    files: paths.flatMap((path) => chosen.name === "restore" ? [path, `${path}-wal`] : [path]).map((path) => resolve(folder, path)),
    addresses: (values.get("from-etcd-servers") ?? "").split(",").flatMap(hostOf),
    sockets: kmsSockets(values.get("from-encryption-provider-config") ?? "", folder),
    readsDiskSpace: ["verify", "history", "backup"].includes(chosen.name) || values.has("store"),
    readsPlaces: chosen.name === "check",
  };
}

/** Deno separates entries by commas; a comma within an entry is doubled. */
function listPermission(entries: readonly string[]): string {
  return [...new Set(entries)].map((entry) => entry.replaceAll(",", ",,")).join(",");
}

function paths(config: Config, folder: string): { read: string[]; write: string[] } {
  const at = (path: string) => resolve(folder, path);
  const files = fileSettings.flatMap((name) => config[name]).filter((path) => path !== "");
  const read = [
    sources,
    ...machineFiles,
    ...files.map(at),
    ...namedPairs(config["tls-sni-cert-key"]).pairs.flatMap(({ cert, key }) => [at(cert), at(key)]),
    ...filesOfAdmission(config, folder),
    ...credentialsOfAdmission(config, folder),
    ...config.plugins.filter(isModule).filter(isPath).map((path) => packageOf(at(path))),
  ];
  const write = Object.entries(writtenSettings).flatMap(([name, { none, folderOf }]) => {
    const path = config[name as keyof typeof writtenSettings]; // A key of the table.
    return none.includes(path) ? [] : [folderOf(at(path))];
  });
  return { read, write };
}

/**
 * The folder of the server's own certificates. A first start creates it beside its final place and renames it, which needs the parent
 * folder.
 */
function certificatesFolder(path: string): string {
  return existsSync(join(path, "ca.crt")) ? path : dirname(path);
}

/** The folder if it exists or its parent does, else the nearest existing parent. */
function folderToCreate(path: string): string {
  return existsSync(dirname(path)) ? path : folderThatExists(path);
}

/** The folder, or its nearest existing parent, in which it can be created. */
function folderThatExists(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : folderThatExists(dirname(path));
}

/** The files and servers in the kubeconfig files of settings. */
function remoteAccess(config: Config, folder: string): { files: string[]; addresses: string[]; isInCluster: boolean } {
  const named = [
    ...kubeconfigSettings.map((name) => config[name]),
    ...kubeconfigsOfAuthorizers(config, folder),
    // Those with credentials only have no server, and grant nothing more.
    ...kubeconfigsOfAdmission(config, folder),
  ];
  const paths = named.filter((path) => path !== "");
  return { ...accessOf(paths.map((each) => each === inCluster ? each : resolve(folder, each))), isInCluster: paths.includes(inCluster) };
}

/** The files and servers in kubeconfig files. A file that cannot be used grants nothing but itself. */
function accessOf(paths: readonly string[]): { files: string[]; addresses: string[] } {
  const files: string[] = [], addresses: string[] = [];
  for (const path of paths) {
    try {
      const text = path === inCluster ? "" : readWholeTextSync(path);
      const address = addressOfAccess(path, text);
      append(files, filesOfAccess(path, text));
      if (address !== undefined) addresses.push(address);
    } catch {
      // The server reports the error.
    }
  }
  return { files, addresses };
}

/** The folder of the package of a module, so that the module can import the rest of it; without a package, the module's folder. */
function packageOf(path: string): string {
  const own = dirname(path);
  for (let folder = own;; folder = dirname(folder)) {
    if (["package.json", "deno.json", "node_modules"].some((name) => existsSync(join(folder, name)))) return folder;
    if (folder === dirname(folder)) return own;
  }
}

/** The listen address, the servers of etcd, and webhooks. */
function addresses(config: Config): string[] {
  const bracketed = (host: string) => isIP(host) === 6 ? `[${host}]` : host;
  // Forks of a server under test listen on free ports.
  const port = config["test-control"] ? "" : `:${config["secure-port"]}`, own = `${bracketed(config["bind-address"])}${port}`;
  return [own, ...etcdServers(config).flatMap(hostOf), ...config["webhook-addresses"].values()];
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Host and port of a URL; empty for text that is not a URL. */
function hostOf(text: string): readonly string[] {
  const url = URL.parse(text);
  return url === null || url.hostname === "" ? [] : [`${url.hostname}:${url.port || (url.protocol === "https:" ? "443" : "80")}`];
}

/** Token issuers. The keys must be served by the same host; Google's host of keys is known. */
function issuerAddresses(config: Config, folder: string): string[] {
  const text = `${config["oidc-issuer-url"]} ${textOf(config["authentication-config"], folder)}`;
  const hosts = [...text.matchAll(/\bhttps:\/\/[^\s"'\/?#,\\}\]]+/g)].flatMap(([url]) => hostOf(url));
  return hosts.includes("accounts.google.com:443") ? [...hosts, "www.googleapis.com:443"] : hosts;
}

/**
 * The collector of traces, and its socket if it has one. The exporter resolves a host and connects to the address: any IPv4 address with the
 * port, since Deno takes no range of IPv6 with one.
 */
function collectorOf(config: Config, folder: string): { readonly addresses: readonly string[]; readonly sockets: readonly string[] } {
  const path = config["tracing-config-file"], none = { addresses: [], sockets: [] };
  if (path === "") return none;
  try {
    const { protocol, hostname, port, pathname } = new URL(readTracingConfiguration(textOf(path, folder), config["group-domain"]).url);
    if (protocol === "unix:") return { addresses: [`unix:${pathname}`], sockets: [pathname] };
    const isAddress = isIP(hostname.replace(/^\[|\]$/g, "")) !== 0;
    const places = isAddress ? [hostname] : ["0.0.0.0/0", "[::1]"];
    return { addresses: [...(isAddress ? [] : [hostname]), ...places.map((each) => port === "" ? each : `${each}:${port}`)], sockets: [] };
  } catch {
    return none; // The server reports the error.
  }
}

/** The sockets of the KMS plugins in a file of --encryption-provider-config. */
function kmsSockets(path: string, folder: string): readonly string[] {
  const endpoints = textOf(path, folder).matchAll(/unix:\/\/([^\s"',}]+)/g);
  return Array.from(endpoints, ([, socket = ""]) => socket);
}

/** Kubeconfig files in the file of --authorization-config, and the word for in-cluster credentials. */
function kubeconfigsOfAuthorizers(config: Config, folder: string): readonly string[] {
  const text = textOf(config["authorization-config"], folder), paths = valuesOf(text, "kubeConfigFile");
  return text.includes("InClusterConfig") ? [...paths, inCluster] : paths;
}

/** The files that the file of --admission-control-config-file names by `path`. */
function filesOfAdmission(config: Config, folder: string): readonly string[] {
  const path = config["admission-control-config-file"];
  return valuesOf(textOf(path, folder), "path").map((each) => resolve(folder, dirname(path), each));
}
/** Kubeconfig files in that file and in the files that it names. */
function kubeconfigsOfAdmission(config: Config, folder: string): readonly string[] {
  const texts = [config["admission-control-config-file"], ...filesOfAdmission(config, folder)].map((path) => textOf(path, folder));
  return texts.flatMap((text) => valuesOf(text, "kubeConfigFile"));
}
/** These files, and the files that they name. */
function credentialsOfAdmission(config: Config, folder: string): readonly string[] {
  return kubeconfigsOfAdmission(config, folder).flatMap((path) => {
    try {
      return filesOfUsers(path, textOf(path, folder));
    } catch {
      return [path]; // The server reports the error.
    }
  });
}

/** The words that follow a key in a YAML or JSON text. */
function valuesOf(text: string, key: string): readonly string[] {
  return text.split(key).slice(1).flatMap((piece) => /^["': \t]*([^\s"',{}:]+)/.exec(piece)?.[1] ?? []);
}

function textOf(path: string, folder: string): string {
  try {
    return path === "" ? "" : readWholeTextSync(resolve(folder, path));
  } catch {
    return ""; // The server reports the error.
  }
}

/** How `scripts/start.mjs` starts the program. */
export interface Launch {
  readonly permissions: readonly string[];
  /** The words to give it. */
  readonly args: readonly string[];
  /** Whether it runs until it is ended. */
  readonly isServer: boolean;
  /** Whether the caller wants it to end with the caller's standard input. */
  readonly followsInput: boolean;
}

/** The permissions of the program with these words, which begin with a command or a flag, and the words to give it. */
export function launchOf(words: readonly string[], folder: string): Launch {
  const chosen = chosenOf(words);
  const command = (permissions: readonly string[]): Launch => ({ permissions, args: words, isServer: false, followsInput: false });
  const server = (permissions: readonly string[], args: readonly string[], settings: readonly string[]): Launch => ({
    permissions,
    args,
    isServer: true,
    followsInput: followsInput(settings, folder),
  });
  // The developer's own plugins run free of permissions, as they would on Node.
  if (chosen.name === "dev") return server(["--no-prompt", "--cached-only", "-A"], words, chosen.args);
  if (chosen.name === "convert" || chosen.name === "advise") return command(permissionsOfFiles(chosen, folder));
  // It looks for programs on PATH, and writes a folder.
  if (chosen.name === "envtest") return command(["--no-prompt", "--cached-only", "--allow-read", "--allow-write", "--allow-env=PATH"]);
  // Its cluster may be anywhere, also behind files that its kubeconfig names.
  if (chosen.name === "record") {
    return command(["--no-prompt", "--cached-only", ...["read", "write", "net", "sys", "env"].map((each) => `--allow-${each}`)]);
  }
  if (chosen.name !== "serve") {
    // Help of the server needs the modules of plugins, which list their flags.
    const modules = chosen.name === "help" && chosen.args[0]?.startsWith("-") ? chosen.args : [];
    const settings = commands[chosen.name].takesSettings ? commandSettings(chosen) : [...modules, `--data-dir=${inMemory}`];
    return command(permissionFlags(settings, folder, process.execPath, commandAccess(chosen, folder)));
  }
  if (chosen.args.includes(compatFlag)) {
    const settings = kubeApiserverArguments(chosen.args).args;
    return server(permissionFlags(settings, folder), words, settings);
  }
  const args = withKubeconfig(chosen.args, folder);
  return server(permissionFlags(args, folder), ["serve", ...args], args);
}

/** For invalid arguments the program reports the error. */
function followsInput(settings: readonly string[], folder: string): boolean {
  try {
    const parsed = parseArguments(settings, (path) => readWholeTextSync(resolve(folder, path)), { leavesOthers: true });
    return !parsed.help && parsed.config["exit-on-stdin-close"];
  } catch {
    return false;
  }
}

/** Permissions of a command with `-f`: its files and folders, a server and etcd. For invalid arguments the program reports the error. */
function permissionsOfFiles(chosen: Chosen, folder: string): readonly string[] {
  const { name } = chosen, { values: flags } = commandFlagsOf(chosen), at = (path: string) => resolve(folder, path);
  const files = (flags.get("filename") ?? []).filter((path) => path !== "-").map(at);
  const named = flagsOfCommand(name).flatMap(({ name, values }) => values === "file" && name !== "filename" ? flags.get(name) ?? [] : [])
    .map(at);
  // A new file is written beside each file.
  const written = flags.has("fix")
    ? files.map((path) => folderThatExists(existsSync(path) && statSync(path).isDirectory() ? path : dirname(path)))
    : [];
  const server = accessOf((flags.get("kubeconfig") ?? []).map(at));
  const addresses = [...server.addresses, ...(flags.get("from-etcd-servers") ?? []).flatMap((urls) => urls.split(",").flatMap(hostOf))];
  return [
    "--no-prompt",
    "--cached-only",
    // The package yaml looks for variables of its own, which are for its developers. Deno reports a program that is not there.
    "--ignore-env",
    "--quiet",
    // Deno lets a program rename what it may read.
    `--allow-read=${listPermission([sources, ...files, ...written, ...named, ...server.files])}`,
    ...(written.length === 0 ? [] : [`--allow-write=${listPermission(written)}`]),
    // Without a CA in the kubeconfig, or for etcd, those of the system are read.
    ...(addresses.length === 0 ? [] : [`--allow-net=${listPermission(addresses)}`, "--allow-sys=ca"]),
    ...(name === "advise" && files.length > 0 ? ["--allow-run=helm"] : []),
  ];
}

function chosenOf(words: readonly string[]): Chosen {
  try {
    return chooseCommand(words);
  } catch (error) {
    if (error instanceof UsageError) return { name: "help", args: [] }; // The program reports the error.
    throw error;
  }
}

if (import.meta.main) console.log(valueText(launchOf(process.argv.slice(2), process.cwd())));
