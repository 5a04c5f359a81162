/**
 * `thole/testing`: a server in the test process, in memory and without a socket.
 *
 *     import { openTestServer } from "thole/testing";
 *
 *     await using server = await openTestServer({ plugins: [widgets] });
 *     const response = await server.handle(new Request("https://test/apis/example.com/v1/widgets"));
 */
import type { Api } from "./core/api.ts";
import type { Plugin } from "./core/plugin.ts";
import { StatusError, tooLargeError } from "./core/status-error.ts";
import type { UserInfo } from "./core/user-info.ts";
export type { UserInfo } from "./core/user-info.ts";
import type { PlainSettings } from "./kernel/config/plain-settings.ts";
import { withDefaults } from "./kernel/config/parse.ts";
import type { Exchange, Reply } from "./kernel/request/exchange.ts";
import { handle } from "./kernel/handle.ts";
import { localApi } from "./kernel/background/local-api.ts";
import { jsonLog, verbosityOf } from "./kernel/observe/log.ts";
import { openServer } from "./kernel/startup/open-server.ts";
import type { Server } from "./kernel/server.ts";
import { plugins as builtIn } from "./plugins/mod.ts";

/** Options of `openTestServer`. */
export interface TestServerOptions {
  /** Plugins to serve in addition to the built-in families. */
  readonly plugins?: readonly Plugin[];
  /** Serve `plugins` only, without the built-in families. */
  readonly bare?: boolean;
  /**
   * Settings by flag name, in the shape of the configuration file: `{ "feature-gates": { WatchList: false } }`. Durations are numbers
   * of milliseconds. Absent settings have the flag's default.
   */
  readonly settings?: Omit<PlainSettings, "config" | "plugins" | "data-dir">;
  /**
   * The effect of a hook that throws an error other than StatusError. "throw" (default): the call rejects with that error, including its
   * stack. "answer": the response is 500 with a reference id, as for a client, and the error is in `logged`.
   */
  readonly unexpectedErrors?: "throw" | "answer";
}

/** A server that is called directly instead of through connections. */
export interface TestServer extends AsyncDisposable {
  /**
   * Handles a request as if it came over the network. Only path and query of the URL are used.
   *
   * @param user the authenticated user. Default: a member of system:masters; null: the anonymous user. Ignored if the request has an
   *   Authorization header, which is then authenticated
   * @returns the response. Errors are responses with a Status body, as for a client. Rejects with the error that a hook threw (see
   *   `unexpectedErrors`). Errors after the start of a streamed response are in `logged` only
   */
  handle(request: Request, user?: UserInfo | null): Promise<Response>;
  /** The API with objects instead of requests, as admin. Its methods reject with StatusError, or with the error that a hook threw. */
  readonly api: Api;
  /** The server's log so far: one JSON text for each record. */
  readonly logged: readonly string[];
  /** Ends watches and background work. Resolves when everything is closed. */
  close(): Promise<void>;
}

const admin: UserInfo = Object.freeze({ name: "admin", groups: ["system:masters", "system:authenticated"] });
const anonymous: UserInfo = Object.freeze({ name: "system:anonymous", groups: ["system:unauthenticated"] });

/**
 * Opens a server with an in-memory store. Resolves, usually within milliseconds, when the bootstrap objects exist and the controllers
 * run. Rejects as `start` does.
 */
export async function openTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { plugins = [], bare = false, settings = {}, unexpectedErrors = "throw" } = options;
  const logged: string[] = [];
  const config = withDefaults({ ...settings, "data-dir": ":memory:" });
  const opened = await openServer({
    config,
    plugins: bare ? plugins : [...builtIn, ...plugins],
    log: jsonLog((line) => logged.push(line), Date.now, verbosityOf(config.v, config.vmodule, [])),
  });
  await opened.bootstrapped.catch(async (error: unknown) => {
    await opened.close();
    throw error;
  });
  await opened.started;
  const close = () => {
    opened.drain();
    return opened.close();
  };
  const throws = unexpectedErrors === "throw";
  const recorder = recordUnexpected(opened.server);
  return {
    async handle(request, user = admin) {
      const { server, check } = recordUnexpected(opened.server);
      const authenticated = request.headers.has("authorization") ? server : authenticatedAs(server, user ?? anonymous);
      const reply = await handle(exchangeOf(request), authenticated);
      if (throws) check();
      return responseTo(reply, request.method);
    },
    api: throws ? rethrowing(localApi(recorder.server, admin), recorder.take) : localApi(opened.server, admin),
    logged,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Wraps a server so that unexpected errors are recorded when it reports them. A StatusError is an expected reply. */
function recordUnexpected(server: Server) {
  const errors = new Map<string, unknown>();
  const report = (error: unknown, reference: string) => {
    server.report(error, reference);
    if (!(error instanceof StatusError)) errors.set(reference, error);
  };
  return {
    // Object.create, not a copy: the catalog is a getter, and it changes with a reload.
    server: Object.create(server, { report: { value: report, enumerable: true } }) as Server,
    /** Throws the first error, if any. */
    check() {
      for (const error of errors.values()) throw error;
    },
    /** The error of a reference, once. */
    take(reference: string): unknown {
      const error = errors.get(reference);
      errors.delete(reference);
      return error;
    },
  };
}

/** Wraps the API so that its methods reject with the recorded error instead of the InternalError that refers to it. */
function rethrowing(api: Api, take: (reference: string) => unknown): Api {
  const rethrow = (error: unknown) => {
    const message = error instanceof StatusError && error.reason === "InternalError" ? error.details?.causes?.[0]?.message : undefined;
    throw (message === undefined ? undefined : take(message.replace("reference ", ""))) ?? error;
  };
  const methods = Object.entries(api).map(([name, method]: [string, (...args: unknown[]) => unknown]) => {
    const wrapped = (...args: unknown[]) => {
      const result = method(...args);
      return result instanceof Promise ? result.catch(rethrow) : result;
    };
    return [name, wrapped];
  });
  return Object.fromEntries(methods) as Api; // `as`: the same methods
}

function authenticatedAs(server: Server, user: UserInfo): Server {
  return Object.create(server, { authenticate: { value: () => Promise.resolve(user) } });
}

function exchangeOf(request: Request): Exchange {
  // The URL parser resolves dot segments and drops the fragment; clients do the same before sending.
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
  // Copies, because the server's bytes are shared and read-only.
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
