/**
 * `thole/testing`: a server in the test's own process, in memory and without a socket.
 *
 *     import { openTestServer } from "thole/testing";
 *
 *     await using server = await openTestServer({ plugins: [widgets] });
 *     const answer = await server.handle(new Request("https://test/apis/example.com/v1/widgets"));
 */
import type { Api, Plugin } from "./core/plugin.ts";
import { tooLargeError } from "./core/status-error.ts";
import type { UserInfo } from "./kernel/access/authentication/mod.ts";
import type { Config } from "./kernel/config/settings.ts";
import { withDefaults } from "./kernel/config/parse.ts";
import type { Exchange, Reply } from "./kernel/request/exchange.ts";
import { handle } from "./kernel/handle.ts";
import { localApi } from "./kernel/background/local-api.ts";
import { jsonLog, verbosityOf } from "./kernel/observe/log.ts";
import { openServer } from "./kernel/startup/open-server.ts";
import type { Server } from "./kernel/server.ts";
import { plugins as builtIn } from "./plugins/mod.ts";

export type { UserInfo } from "./kernel/access/authentication/mod.ts";

export interface TestServerOptions {
  /** Served beside the built-in families. */
  readonly plugins?: readonly Plugin[];
  /** Without the built-in families: only `plugins`. */
  readonly bare?: boolean;
  /** Settings by flag name, durations in milliseconds. */
  readonly settings?: Partial<Omit<Config, "config" | "plugins" | "data-dir">>;
}

/** A server that answers calls instead of connections. */
export interface TestServer extends AsyncDisposable {
  /**
   * Answers as it would over the network; of the URL only path and query count. Who asks is a member of system:masters, unless a
   * user is given (null: nobody), or the request has an Authorization header.
   */
  handle(request: Request, user?: UserInfo | null): Promise<Response>;
  /** The same for a program: objects in, objects out, refusals as StatusErrors. */
  readonly api: Api;
  /** What the server logged, a line of JSON each. */
  readonly logged: readonly string[];
  /** Ends watches and everything that runs beside; nothing is left of it then. */
  close(): Promise<void>;
}

const admin: UserInfo = Object.freeze({ name: "admin", groups: ["system:masters", "system:authenticated"] });
const nobody: UserInfo = Object.freeze({ name: "system:anonymous", groups: ["system:unauthenticated"] });

/** Resolves within milliseconds with a server whose first objects exist; mistakes are told as `start` tells them. */
export async function openTestServer({ plugins = [], bare = false, settings = {} }: TestServerOptions = {}): Promise<TestServer> {
  const logged: string[] = [];
  const config = withDefaults({ ...settings, "data-dir": ":memory:" });
  const opened = await openServer({
    config,
    plugins: bare ? plugins : [...builtIn, ...plugins],
    log: jsonLog((line) => logged.push(line), Date.now, verbosityOf(config.v, config.vmodule, [])),
  });
  await opened.seeded.catch(async (error: unknown) => {
    await opened.close();
    throw error;
  });
  await opened.started;
  const close = () => {
    opened.drain();
    return opened.close();
  };
  return {
    async handle(request, user = admin) {
      const known = request.headers.has("authorization") ? opened.server : askedBy(opened.server, user ?? nobody);
      return responseTo(await handle(exchangeOf(request), known), request.method);
    },
    api: localApi(opened.server, admin),
    logged,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function askedBy(server: Server, user: UserInfo): Server {
  return { ...server, authenticate: () => Promise.resolve(user) };
}

function exchangeOf(request: Request): Exchange {
  // Path and query as written in the URL: what a URL object drops (dots, a fragment) no client sends either.
  const { pathname, search } = new URL(request.url);
  return {
    method: request.method,
    url: pathname + search,
    headers: Object.fromEntries(request.headers),
    async body(limit) {
      const bytes = new Uint8Array(await request.arrayBuffer());
      if (bytes.length > limit) throw tooLargeError(`limit is ${limit}`);
      return bytes;
    },
    peer: undefined,
    remote: "test",
    protocol: "HTTP/2.0",
    signal: request.signal,
  };
}

function responseTo({ status, headers, body }: Reply, method: string): Response {
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const each of typeof value === "string" ? [value] : value) sent.append(name, each);
  }
  const bodiless = method === "HEAD" || status === 204 || status === 304;
  if (bodiless) return new Response(null, { status, headers: sent });
  // Copies: what the server sends is shared.
  if (typeof body === "string" || body instanceof Uint8Array) {
    return new Response(typeof body === "string" ? body : body.slice(), { status, headers: sent });
  }
  return new Response(streamOf(body), { status, headers: sent });
}

function streamOf(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(value.slice());
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
