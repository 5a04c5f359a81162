/** The server of `thole/testing`, and its checks of kinds by round trips. */
import type { Api } from "../core/api.ts";
import { type ServerClock, systemClock } from "../core/async.ts";
import type { Plugin } from "../core/plugin.ts";
import { typedApis } from "../core/typed-api.ts";
import { StatusError, tooLargeError } from "../core/status-error.ts";
import type { UserInfo } from "../core/user-info.ts";
export type { UserInfo } from "../core/user-info.ts";
import type { PlainSettings } from "../server/config/plain-settings.ts";
import { type ActiveConfig, activeConfigOf } from "../server/config/active-config.ts";
import { inPreset } from "../server/config/choose-plugins.ts";
import { type PluginSettings, withDefaults } from "../server/config/parse.ts";
import type { CacheContents } from "../kernel/cache/mod.ts";
import type { Exchange, Reply } from "../kernel/request/exchange.ts";
import { handle } from "../kernel/handle.ts";
import { handleWithFaults } from "./faults/handle.ts";
import { FaultBoard, type ServerFaults } from "./faults/server-faults.ts";
import { localApi } from "../server/background/local-api.ts";
import { jsonLog, verbosityOf } from "../kernel/observe/log.ts";
import { openServer } from "../server/startup/open-server.ts";
import type { Server } from "../kernel/server.ts";
import { type Recording, recordings } from "./recording/recorder.ts";
import { AdvancedClock, type TestClock, unmovedClock } from "./clock.ts";
import { type Contents, MemoryEngine } from "./state/memory-engine.ts";
import { rememberServer, type ServerState, serverState } from "./state/server-state.ts";
import { roundTripsOf } from "./round-trips/round-trips.ts";
import type { Json } from "../core/json.ts";
import { jsonFromTree, readJson } from "../core/tree/json.ts";
import { goJson } from "../core/tree/json-text.ts";
import { plugins as builtIn } from "../plugins/mod.ts";

/** Options of `openTestServer`. */
export interface TestServerOptions {
  /** Plugins to serve in addition to the built-in families. */
  readonly plugins?: readonly Plugin[];
  /** Serve `plugins` only, without the built-in families. */
  readonly bare?: boolean;
  /** Settings by flag name: `{ "feature-gates": { WatchList: false } }`. Absent settings have the flag's default. */
  readonly settings?: Omit<PlainSettings, "data-dir">;
  /** Simulate a cluster, as `--simulate` does: workloads make pods, and pods and nodes live. Default: what `settings` say, which is no by default. */
  readonly simulate?: boolean;
  /** Settings that `plugins` declare, by name, in the same form. */
  readonly pluginSettings?: PluginSettings;
  /**
   * "manual": the time of the server stands still until the test advances it by `clock.advance`. Times in objects, expiry, tokens, backoffs
   * of controllers and the simulated cluster follow it; connections, watches and timeouts of requests do not. Default: "system", the clock of the machine.
   */
  readonly clock?: "system" | "manual";
  /**
   * The effect of a hook that throws an error other than StatusError. "throw" (default): the call rejects with that error, including its
   * stack. "answer": the response is 500 with a reference id, as for a client, and the error is in `logged`.
   */
  readonly unexpectedErrors?: "throw" | "answer";
}

/** A server that is called directly instead of through connections. */
export interface TestServer extends AsyncDisposable, ServerState {
  /**
   * Handles a request as if it came over the network. Only path and query of the URL are used.
   *
   * @param user the authenticated user. Default: a member of system:masters; null: the anonymous user; "authenticate": the server
   *   authenticates the request by its headers, as it always does if there is an Authorization header
   * @returns the response. Errors are responses with a Status body, as for a client. Rejects with the error that a hook threw (see
   *   `unexpectedErrors`), and with ConnectionDropped if `faults` break the connection. Errors after the start of a streamed response are in `logged` only
   */
  handle(request: Request, user?: UserInfo | null | "authenticate"): Promise<Response>;
  /** The API with objects instead of requests, as admin. Its methods reject with StatusError, or with the error that a hook threw. */
  readonly api: Api;
  /** The time of the server. Only with `clock: "manual"` it can be advanced. */
  readonly clock: TestClock;
  /** Faults on demand: errors, delays, broken connections, stale reads, watches that end and events that are held. */
  readonly faults: ServerFaults;
  /** Begins a recording of the requests by `handle`, with their answers and without secrets. */
  record(): Recording;
  /**
   * Opens a server of its own with the same objects, revisions, definitions and history: a watch of it can start at a revision from before the
   * fork. Writes to one are never seen by the other. Both share the memory of what neither has changed since.
   *
   *     await using fork = await server.fork();
   */
  fork(): Promise<TestServer>;
  /** The server's log so far: one JSON text for each record. */
  readonly logged: readonly string[];
  /** Ends watches and background work. Resolves when everything is closed. */
  close(): Promise<void>;
}

/** The error of a request whose connection was dropped by `faults`. A client would see a connection that breaks. */
export class ConnectionDropped extends Error {
  /** Always "ConnectionDropped". */
  override readonly name = "ConnectionDropped";
}

/** Options of `checkRoundTrips`. */
export interface RoundTripOptions {
  /** The numbers from which objects are generated; an error names it. Default: random. */
  readonly seed?: number;
  /** Objects that are generated for each version. Default 100. */
  readonly objects?: number;
  /**
   * Makes a generated object valid, or leaves it out (undefined), where rules of the kind reject most objects of its schema. It also gets
   * objects without some of their members, while the smallest object with a loss is searched. Default: the object as it is.
   */
  readonly adjust?: (object: any, generated: { readonly kind: string; readonly apiVersion: string }) => object | undefined;
  /** Other plugins to serve, and settings, as in `openTestServer`. The gates of the plugin are on and all of its versions are served. */
  readonly plugins?: readonly Plugin[];
  /** Settings of the server that checks the objects. */
  readonly settings?: TestServerOptions["settings"];
}

/** The numbers of objects that `checkRoundTrips` has checked. */
export interface RoundTripReport {
  /** The seed of the run. Pass it as `seed` to generate the same objects again. */
  readonly seed: number;
  /** Objects that were converted and encoded. */
  readonly converted: number;
  /** Objects that a server has accepted, in another version read and written with every kind of update and patch. */
  readonly stored: number;
}

/**
 * Checks with generated objects that the kinds of a plugin lose nothing: in JSON, YAML, CBOR and protobuf, when they are stored and read,
 * and when a client of another version reads them and writes them back or changes one field by an update, a patch or an apply.
 *
 *     test("no version loses data", () => checkRoundTrips(widgets));
 *
 * Rejects with the first loss: its seed, the fields, and a small object that shows it.
 */
export async function checkRoundTrips(plugin: Plugin, options: RoundTripOptions = {}): Promise<RoundTripReport> {
  const { seed = Math.floor(Math.random() * 2 ** 31), objects = 100, adjust = (object) => object, plugins = [], settings = {} } = options;
  const own = plugin.resources ?? [], all = [...builtIn.filter((each) => each !== plugin), ...plugins, plugin];
  const { catalog: known } = activeConfigOf(withDefaults({ ...settings, "data-dir": ":memory:" }, all), all);
  const versions = known.kinds.filter(({ resource }) => own.includes(resource)).flatMap((kind) => known.versionsOf(kind));
  // Controllers, and start hooks that go on, would change objects between two requests.
  const still = all.map((each) => ({
    ...each,
    controllers: [],
    startHooks: (each.startHooks ?? []).map(({ follow: _, ...hook }) => hook),
  }));
  const { opened, close } = await openInMemory(still, {
    ...settings,
    "runtime-config": { ...Object.fromEntries(versions.map(({ apiVersion }) => [apiVersion, true])), ...settings["runtime-config"] },
    "feature-gates": {
      // A gate cannot be on without those that it depends on.
      ...Object.fromEntries(
        [...Object.keys(plugin.featureGates ?? {}), ...Object.values(plugin.gateDependencies ?? {}).flat()].map((gate) => [gate, true]),
      ),
      ...settings["feature-gates"],
    },
  }, []);
  try {
    const { catalog } = opened.server;
    return await roundTripsOf({
      catalog,
      kinds: catalog.kinds.filter(({ resource }) => own.includes(resource)),
      ask: asker(withUser(opened.server, admin)),
      seed,
      objects,
      adjust,
    });
  } finally {
    await close();
  }
}

/** Requests with JSON, and applies in the same. */
function asker(server: Server) {
  return async (method: string, path: string, body?: Json, type = "application/json") => {
    const sent = body === undefined ? {} : { headers: { "content-type": type }, body: goJson(body) };
    const request = new Request(`https://test${path}`, { method, ...sent });
    const response = responseTo(await handle(exchangeOf(request), server), method);
    const read = readJson(new Uint8Array(await response.arrayBuffer())); // response.json() would round large integers
    if (!read.ok) throw new Error(`${method} ${path} is answered with ${response.status} and no JSON: ${read.error}`);
    return { status: response.status, body: jsonFromTree(read.tree) };
  };
}

const admin: UserInfo = Object.freeze({ name: "admin", groups: ["system:masters", "system:authenticated"] });
const anonymous: UserInfo = Object.freeze({ name: "system:anonymous", groups: ["system:unauthenticated"] });

/**
 * Opens a server with an in-memory store. Resolves, usually within milliseconds, when the bootstrap objects exist and the controllers
 * run. Rejects as `start` does.
 */
export async function openTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { plugins: own = [], bare = false, simulate, pluginSettings, unexpectedErrors = "throw" } = options;
  const settings = simulate === undefined ? options.settings ?? {} : { ...options.settings, simulate };
  return await openOver({
    plugins: bare ? own : [...inPreset(withDefaults(settings), builtIn), ...own],
    settings,
    more: { ofPlugins: pluginSettings, clock: options.clock === "manual" ? new AdvancedClock(Date.now()) : undefined },
    unexpectedErrors,
  });
}

/** What a test server is opened with. */
interface Opening {
  readonly plugins: readonly Plugin[];
  readonly settings: NonNullable<TestServerOptions["settings"]>;
  readonly more: MoreParts<AdvancedClock>;
  readonly unexpectedErrors: NonNullable<TestServerOptions["unexpectedErrors"]>;
}

async function openOver(opening: Opening): Promise<TestServer> {
  const { plugins, settings, more, unexpectedErrors } = opening, { clock } = more;
  const logged: string[] = [], engine = new MemoryEngine(more.from);
  const { opened, close } = await openInMemory(plugins, settings, logged, { ...more, engine });
  const throws = unexpectedErrors === "throw";
  const recorder = recordUnexpected(opened.server);
  const faults = new FaultBoard(clock ?? systemClock, () => newestOf(opened.server));
  const { record, recorded } = recordings((clock ?? systemClock).now);
  const api = throws ? rethrowingApi(localApi(recorder.server, admin), recorder.take) : localApi(opened.server, admin);
  const made: TestServer = {
    ...serverState(opened, api),
    faults,
    record,
    // All parts are taken in this turn, so they belong together.
    fork: () =>
      openOver({
        ...opening,
        more: {
          ofPlugins: more.ofPlugins,
          clock: clock && new AdvancedClock(clock.now()),
          from: engine.contents,
          begun: opened.contents(),
          active: opened.inForce(),
        },
      }),
    async handle(request, user = admin) {
      const { server, check } = recordUnexpected(opened.server);
      const byHeaders = user === "authenticate" || request.headers.has("authorization");
      const authenticated = byHeaders ? server : withUser(server, user ?? anonymous);
      const reply = await recorded(exchangeOf(request), (exchange, known) => handleWithFaults(exchange, authenticated, faults, known));
      if (throws) check();
      if (reply.isDropped === true) throw new ConnectionDropped(`the connection of ${request.method} ${request.url} was dropped`);
      return responseTo(reply, request.method);
    },
    api,
    clock: clock ?? unmovedClock,
    logged,
    close,
    [Symbol.asyncDispose]: close,
  };
  rememberServer(made, opened);
  return made;
}

/** Parts of a test server that have defaults. */
interface MoreParts<C extends ServerClock = ServerClock> {
  readonly ofPlugins?: PluginSettings | undefined;
  readonly clock?: C | undefined;
  readonly engine?: MemoryEngine;
  /** What the store has at the start. */
  readonly from?: Contents;
  /** What the cache has at the start. */
  readonly begun?: CacheContents | undefined;
  /** The compiled settings and plugins, with the resources that have appeared. */
  readonly active?: ActiveConfig;
}

async function openInMemory(
  plugins: readonly Plugin[],
  settings: NonNullable<TestServerOptions["settings"]>,
  logged: string[],
  { ofPlugins, clock, engine = new MemoryEngine(), begun, active }: MoreParts = {},
) {
  const config = active?.config ?? withDefaults({ ...settings, "data-dir": ":memory:" }, plugins, ofPlugins);
  const opened = await openServer({
    config,
    plugins,
    ...(active === undefined ? {} : { active }),
    instead: {
      ...(clock === undefined ? {} : { clock }),
      ...(begun === undefined ? {} : { begun }),
      sqlite: { memory: engine },
    },
    log: jsonLog((line) => logged.push(line), Date.now, verbosityOf(config.v, config.vmodule, [])),
  });
  await opened.bootstrapped.catch(async (error: unknown) => {
    await opened.close();
    throw error;
  });
  // The controllers of a server that begins with the work of others have nothing to make before the first request.
  await (begun === undefined ? opened.started : opened.authorizersReady);
  const close = () => {
    opened.drain();
    return opened.close();
  };
  return { opened, close };
}

/** The newest revision of a store in memory, which has no other writer. */
function newestOf({ backend: { store } }: Server): number {
  const revision = store.newest();
  if (revision === undefined) throw new Error("the store does not know its newest revision");
  return revision;
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
function rethrowingApi(api: Api, take: (reference: string) => unknown): Api {
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
  const wrapped: Api = { ...Object.fromEntries(methods) as Api, of: typedApis(() => wrapped) }; // `as`: the same methods
  return wrapped;
}

function withUser(server: Server, user: UserInfo): Server {
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

function responseTo({ status, headers, body, givenUp }: Reply, method: string): Response {
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
  return new Response(streamOf(body, givenUp), { status, headers: sent });
}

/** `givenUp` aborts when the connection breaks before the end of the chunks. */
function streamOf(chunks: AsyncIterable<Uint8Array>, givenUp: AbortSignal | undefined): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done === true && givenUp?.aborted === true) {
        controller.error(new ConnectionDropped("the connection broke while the body was sent"));
      } else if (done === true) controller.close();
      else controller.enqueue(value.slice());
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
