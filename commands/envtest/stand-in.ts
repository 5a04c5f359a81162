/**
 * The pair of programs for test environments without etcd:
 *
 *   etcd            listens at its client URL, answers /health, and names its data folder at /thole/stand-in
 *   kube-apiserver  asks there, and keeps its objects in that folder in place of an etcd
 */
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import process from "node:process";
import { isObject, type JsonObject } from "../../core/json.ts";
import { valueText } from "../../core/value-text.ts";
import { bound } from "../../core/bound.ts";
import { UsageError } from "../../server/config/commands.ts";
import { compatFlag } from "../../server/config/kube-apiserver-arguments.ts";

/** The first words after `thole envtest` in the scripts. */
export const etcdWord = "as-etcd", apiServerWord = "as-kube-apiserver";

/** Milliseconds in which the stand-in answers; a real etcd answers with 404 as soon. */
const standInMs = bound(5_000);

const placePath = "/thole/stand-in";
/** The version that `etcd --version` prints, and that the stand-in reports. */
const version = "3.6.0";

/** Runs the stand-in until a signal ends it. Resolves with the exit code. Rejects for URLs at which it cannot listen. */
export async function runStandIn(args: readonly string[]): Promise<number> {
  if (args.includes("--version")) {
    console.log(`etcd Version: ${version} (a stand-in of thole envtest)`);
    return 0;
  }
  const [url = "http://127.0.0.1:2379"] = (valueOf(args, "listen-client-urls") ?? "").split(",").filter((each) => each !== "");
  const place = resolve(valueOf(args, "data-dir") ?? "default.etcd"), { protocol, hostname, port } = new URL(url);
  if (protocol !== "http:") throw new UsageError(`envtest: the stand-in for etcd speaks http only, not ${protocol}//`);
  const answers: Readonly<Record<string, JsonObject>> = {
    "/health": { health: "true", reason: "" },
    "/readyz": {},
    "/livez": {},
    "/version": { etcdserver: version, etcdcluster: version },
    [placePath]: { folder: place },
  };
  const server = createServer(({ url: path = "" }, response) => {
    const answer = answers[path.split("?", 1)[0]!];
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(valueText(answer ?? { error: "this is a stand-in for etcd: it stores nothing" }));
  });
  await new Promise<void>((done, failed) => {
    server.once("error", failed);
    server.listen(Number(port), hostname, done);
  });
  console.error(`thole: a stand-in for etcd listens on ${url}`);
  await new Promise<void>((done) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => done());
  });
  server.closeAllConnections();
  server.close();
  return 0;
}

/** The arguments of the server: with the folder of the stand-in in place of the etcd that they name. Another etcd stays. */
export async function serverArguments(args: readonly string[]): Promise<readonly string[]> {
  const [url = ""] = (valueOf(args, "etcd-servers") ?? "").split(",");
  const folder = url.startsWith("http://") ? await folderOf(url) : undefined;
  if (folder === undefined) return [compatFlag, ...args];
  return [compatFlag, ...withoutFlag(args, "etcd-servers"), `--data-dir=${join(folder, "thole")}`];
}

/** The folder of the stand-in at a URL; undefined if something else answers. */
async function folderOf(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(new URL(placePath, url), { signal: AbortSignal.timeout(standInMs) });
    const said: unknown = response.ok ? await response.json() : undefined;
    return isObject(said) && typeof said.folder === "string" ? said.folder : undefined;
  } catch {
    return undefined; // The server reports an etcd that does not answer.
  }
}

/** The last value of a flag, written `--name=value` or `--name value`. */
function valueOf(args: readonly string[], name: string): string | undefined {
  const at = args.findLastIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`));
  if (at < 0) return undefined;
  const word = args[at]!, equals = word.indexOf("=");
  return equals < 0 ? args[at + 1] : word.slice(equals + 1);
}

function withoutFlag(args: readonly string[], name: string): readonly string[] {
  return args.filter((word, at) => word !== `--${name}` && !word.startsWith(`--${name}=`) && args[at - 1] !== `--${name}`);
}
