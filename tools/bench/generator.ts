/** The programs that send load: for HTTP/2 the one in Go, if Go can build it, and those of this folder otherwise. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { programs } from "../../test/programs.ts";
import { type Child, clientRuntime, startAnswering, startChild } from "./children.ts";
import type { Load, Loaded } from "./load.ts";
import { objectText, updatedPath } from "./objects.ts";
import { templateOf } from "./requests.ts";
import type { Protocol } from "./sender.ts";
import type { Step, Watch, Watched } from "./watchers.ts";

/** Open watches, and the writers of their objects. */
export interface Watches {
  run(writes: number): Promise<Watched>;
  close(): Promise<void>;
}

export interface Generator {
  load(what: Load): Promise<Loaded>;
  /** One set of watches at a time. */
  openWatches(watch: Watch): Promise<Watches>;
  stop(): Promise<void>;
}

/** How generators are started. */
export interface Generators {
  /** For people: "Go", or why it is another. */
  readonly http2: string;
  /** The program in Go, if it could be built. */
  readonly program: string | undefined;
  start(protocol: Protocol): Generator;
}

/** A build downloads a module and compiles it the first time. */
const buildMsMax = 120_000;
/** Connections that all requests share, with HTTP/2. */
export const sharedConnections = 16;

/** Builds the generator in Go into a folder. */
export async function openGenerators(folder: string): Promise<Generators> {
  const built = await build(join(folder, "generator"));
  return {
    http2: "path" in built ? "Go (golang.org/x/net/http2)" : `node:http2 (${built.missing})`,
    program: "path" in built ? built.path : undefined,
    start: (protocol) => protocol === "h2" && "path" in built ? goGenerator(built.path) : scriptGenerator(protocol),
  };
}

async function build(path: string): Promise<{ readonly path: string } | { readonly missing: string }> {
  const [go] = programs("go");
  if (go === undefined) return { missing: "no go on PATH" };
  const cwd = fileURLToPath(new URL("generator", import.meta.url));
  try {
    await promisify(execFile)(go, ["build", "-buildvcs=false", "-o", path, "."], { cwd, timeout: buildMsMax });
    return { path };
  } catch (error) {
    return { missing: `go build failed: ${String(error).slice(0, 500)}` };
  }
}

function goGenerator(path: string): Generator {
  return goGeneratorOn(startAnswering({ path, args: [] }));
}
/** The generator of a process of the program in Go. */
export function goGeneratorOn(child: Child): Generator {
  return {
    load: (what) => child.ask<Loaded>({ step: "load", connections: sharedConnections, ...what, request: templateOf(what) }),
    async openWatches(watch) {
      const { written = "ConfigMap", bytes, ...opening } = watch;
      const object = objectText(written, "<name>", "<number>", bytes);
      await child.ask({ step: "open", connections: sharedConnections, ...opening, object, updated: updatedPath(written) });
      return watchesOf(child, () => Promise.resolve());
    },
    stop: () => child.stop(),
  };
}

function scriptGenerator(protocol: Protocol): Generator {
  const child = startChild(clientRuntime(), "load.ts"), shared = { protocol, connections: sharedConnections };
  return {
    load: (what) => child.ask<Loaded>({ ...shared, ...what } satisfies Load),
    async openWatches(watch) {
      const watching = startChild(clientRuntime(), "watchers.ts");
      await watching.ask({ step: "open", watch: { ...shared, ...watch } } satisfies Step);
      return watchesOf(watching, () => watching.stop());
    },
    stop: () => child.stop(),
  };
}

function watchesOf(child: Child, stop: () => Promise<void>): Watches {
  return {
    run: (writes) => child.ask<Watched>({ step: "run", writes } satisfies Step),
    async close() {
      await child.ask({ step: "close" } satisfies Step);
      await stop();
    },
  };
}
