/**
 * The cost of a GET that is passed on to a registered server, beside a kube-apiserver with the same one: a bare HTTPS server whose answer costs next to
 * nothing. In alternating rounds, over HTTP/2.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { startKubeApiserver } from "../../test/access/kube-apiserver.ts";
import { issue } from "../../server/listen/testing/clients.ts";
import { clientRuntime, type Runtime, startChild } from "./children.ts";
import { openConnection } from "./connection.ts";
import type { FloorStep } from "./floor.ts";
import { openGenerators } from "./generator.ts";
import { configMap } from "./objects.ts";
import { measurePeerLoad } from "./peer-rounds.ts";
import { type PeerRow, rowOfRates } from "./peer-rows.ts";
import { startServer } from "./server.ts";
import type { Target } from "./target.ts";

export interface ProxiedOptions {
  readonly runtime: Runtime;
  /** Seconds of each round. */
  readonly seconds: number;
  readonly rounds: number;
  /** Share of the warm-up, for a smoke run. */
  readonly share: number;
  readonly tell: (row: PeerRow) => void;
}

export const group = "bench.example.com", version = `/apis/${group}/v1`, thing = `${version}/namespaces/default/things/one`;
const token = "admin";
/** Requests under way. */
const clientCounts = [1, 16];
/** Until the registered server is available: kube-apiserver asks it every 30 seconds. */
const availableMsMax = 90_000, askEveryMs = 250;

export async function measureProxied({ runtime, seconds, rounds, share, tell }: ProxiedOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-bench-"));
  const closers: { stop(): Promise<void> }[] = [];
  try {
    const backend = startChild(clientRuntime(), "floor.ts");
    closers.push(backend);
    const port = await openBackend(folder, (step) => backend.ask(step));
    await writeFile(join(folder, "tokens.csv"), `${token},admin,1,system:masters\n`, { mode: 0o600 });
    const server = await startServer(runtime, [`--data-dir=${folder}/data`, `--token-auth-file=${folder}/tokens.csv`]);
    closers.push(server);
    const ours: Target = { pid: server.pid, port: server.port, ca: join(folder, "data", "pki", "ca.crt"), token };
    const { pid, url, ca, close } = await startKubeApiserver([], seconds * rounds * 60_000 + availableMsMax * 4);
    closers.push({ stop: close });
    await writeFile(join(folder, "peer-ca.crt"), ca.cert);
    const theirs: Target = { pid, port: Number(new URL(url).port), ca: join(folder, "peer-ca.crt"), token };
    for (const target of [ours, theirs]) await register(target, port);
    const generators = await openGenerators(folder), generator = { ours: generators.start("h2"), theirs: generators.start("h2") };
    closers.push(generator.ours, generator.theirs);
    for (const clients of clientCounts) {
      const what = { tag: "load", kind: "get", path: thing, clients } as const;
      const rates = await measurePeerLoad(what, { ours, theirs }, generator, { seconds, rounds, share });
      tell(rowOfRates(`proxied get, ${clients}`, rates));
    }
  } finally {
    for (const closer of closers.toReversed()) await closer.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Starts the registered server, and resolves with its port. */
export async function openBackend(folder: string, ask: (step: FloorStep) => Promise<unknown>): Promise<number> {
  const { cert, key } = issue({ usage: "server", names: ["localhost"] }, issue({ usage: "ca" }));
  const files = {
    cert: join(folder, "backend.crt"),
    key: join(folder, "backend.key"),
    version: join(folder, "version"),
    thing: join(folder, "thing"),
  };
  const resources = [{ name: "things", singularName: "thing", namespaced: true, kind: "Thing", verbs: ["get"] }];
  await writeFile(files.cert, cert);
  await writeFile(files.key, key);
  await writeFile(files.version, JSON.stringify({ kind: "APIResourceList", apiVersion: "v1", groupVersion: `${group}/v1`, resources }));
  await writeFile(files.thing, configMap("one", 1).replace('"v1","kind":"ConfigMap"', `"${group}/v1","kind":"Thing"`));
  const { port } = await ask({ step: "listen", cert: files.cert, key: files.key }) as { readonly port: number }; // As floor.ts answers.
  await ask({ step: "serve", path: version, file: files.version });
  await ask({ step: "serve", path: thing, file: files.thing });
  return port;
}

/** Registers it, and resolves when a GET passes. */
export async function register({ port, ca }: Target, backendPort: number): Promise<void> {
  const connection = await openConnection({ port, ca: readFileSync(ca, "utf8") });
  const heads = `Host: localhost\r\nAuthorization: Bearer ${token}\r\nAccept: application/json\r\n`;
  const create = async (path: string, object: object): Promise<void> => {
    const body = JSON.stringify(object);
    const head = `POST ${path} HTTP/1.1\r\n${heads}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const { status } = await connection.request(head + body);
    if (status !== 201) throw new Error(`A create at ${path} was answered with ${status}`);
  };
  const spec = { type: "ExternalName", externalName: "localhost" };
  await create("/api/v1/namespaces/default/services", { metadata: { name: "backend" }, spec });
  await create("/apis/apiregistration.k8s.io/v1/apiservices", {
    metadata: { name: `v1.${group}` },
    spec: {
      ...{ group, version: "v1", groupPriorityMinimum: 1000, versionPriority: 15, insecureSkipTLSVerify: true },
      service: { namespace: "default", name: "backend", port: backendPort },
    },
  });
  for (let waited = 0;; waited += askEveryMs) {
    const { status } = await connection.request(`GET ${thing} HTTP/1.1\r\n${heads}\r\n`);
    if (status === 200) return connection.close();
    if (waited > availableMsMax) throw new Error(`The registered server was not available: a GET was answered with ${status}`);
    await setTimeout(askEveryMs);
  }
}
