/** The server of `thole/testing`. */
import type { Api } from "../core/api.ts";
import { once, systemClock } from "../core/async.ts";
import { SeededChance } from "../core/chance.ts";
import type { Plugin } from "../core/plugin.ts";
import type { UserInfo } from "../core/user-info.ts";
import type { GroupVersion } from "../core/versions.ts";
export type { UserInfo } from "../core/user-info.ts";
import type { Exchange } from "../kernel/request/exchange.ts";
import type { Server } from "../kernel/server.ts";
import type { Log } from "../kernel/observe/log.ts";
import { plugins as builtIn } from "../plugins/mod.ts";
import { type ActiveConfig, activeConfigOf } from "../server/config/active-config.ts";
import { localApi } from "../server/background/local-api.ts";
import { inPreset } from "../server/config/choose-plugins.ts";
import { type PluginSettings, withDefaults } from "../server/config/parse.ts";
import type { PlainSettings } from "../server/config/plain-settings.ts";
import { AdvancedClock, type TestClock, unmovedClock } from "./clock.ts";
import { ConnectionDropped, exchangeOf, responseTo } from "./exchange.ts";
import { handleWithFaults } from "./faults/handle.ts";
import { FaultBoard, type ServerFaults } from "./faults/server-faults.ts";
import { StoreTrouble } from "./faults/store-faults.ts";
import { familyCredentials, type ListenerCredentials, Listeners, rememberListeners, type TestListener } from "./listeners.ts";
import { type Replayable, replayOf } from "./recording/replay-of.ts";
import type { ReplayReport } from "./recording/replay.ts";
import { type Recording, recordings } from "./recording/recorder.ts";
import { type RestoreOptions, type RunningNeeds, RunningServer } from "./running-server.ts";
import type { DumpOptions } from "./state/dump.ts";
import { type EarlierApi, earlierApi, type ObjectVersion } from "./state/history.ts";
import type { Contents } from "./state/memory-engine.ts";
import { isStarted, rememberServer, type ServerState, serverState } from "./state/server-state.ts";
import { partsOf, type Snapshot, type SnapshotParts } from "./state/snapshot.ts";
import { earlierStart, isRepeatable, keepStart, type Started } from "./state/started.ts";
import type { StateFilter } from "./state/state-objects.ts";
import { States } from "./state/states.ts";
import { recordUnexpected, rethrowingApi } from "./unexpected-errors.ts";
import { admin, anonymous, withUser } from "./users.ts";

/** The first time of a server with a seed and a manual clock. */
const seededStart = Date.UTC(2026, 0, 1);

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
   * Decides what the server draws at random and writes into objects: uids, generated names, allocated addresses and ports, and the simulated cluster. With `clock: "manual"` its time
   * begins at 2026-01-01T00:00:00Z, so two runs have equal dumps with uids and times. Keys and tokens are not drawn from it. Default: the machine draws.
   */
  readonly seed?: number;
  /**
   * The effect of a hook that throws an error other than StatusError. "throw" (default): the call rejects with that error, including its
   * stack. "answer": the response is 500 with a reference id, as for a client, and the error is in `logged`.
   */
  readonly unexpectedErrors?: "throw" | "answer";
}

/** Options of `TestServer.fork`. */
export interface ForkOptions {
  /** "manual": the time of the fork stands still until the test advances it. Default: as the clock of this server. */
  readonly clock?: "manual";
  /** Decides what the fork draws from now on, as the seed of `openTestServer` does. Default: that of this server, if it has one. */
  readonly seed?: number;
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
   * Sends the requests of a recording, in their order and as their users, and compares the answers. Names, uids and revisions of the recording are replaced by those of
   * this server.
   *
   *     const report = await server.replay({ path: "recording.yaml" });
   *     assert.deepEqual(report.differences, [], report.text());
   *
   * @param what a recording of a test server, its text, or a file that `recording.save` or `thole record` has written
   */
  replay(what: Replayable): Promise<ReplayReport>;
  /**
   * Opens a server of its own with the same objects, revisions, definitions and history: a watch of it can start at a revision from before the
   * fork. Writes to one are never seen by the other. Both share the memory of what neither has changed since.
   *
   *     await using fork = await server.fork();
   *
   * @param snapshot the state with which it begins, of this server or of one of its forks. Default: the state now
   * @param options see `ForkOptions`
   */
  fork(snapshot?: Snapshot, options?: ForkOptions): Promise<TestServer>;
  /** The state of this moment, which later changes do not concern. It costs next to nothing. */
  snapshot(): Snapshot;
  /**
   * Goes back to the state of a snapshot of this server or of one of its forks: objects, definitions, roles, webhooks. By default the differences are written as changes of their own: watches get
   * them as events, and no revision repeats. With `watches: "end"` the server begins again as it was: see `RestoreOptions`.
   * Resolves when reads, rights and the kinds of definitions are those of the snapshot.
   *
   *     const fixture = server.snapshot();
   *     await server.restore(fixture);
   */
  restore(snapshot: Snapshot, options?: RestoreOptions): Promise<void>;
  /**
   * The objects as YAML, sorted and without what differs from run to run: uids, revisions, times, owners of fields, generated names, allocated addresses, tokens. Objects
   * that every server has are left out. The text can be loaded.
   *
   *     await server.dump({ namespaces: ["shop"] });
   */
  dump(options?: DumpOptions): Promise<string>;
  /**
   * What differs between two states, for people: a line for each object that was created (`+`), changed (`~`) or deleted (`-`), with its fields.
   * "" if nothing does. Revisions and owners of fields are not compared.
   *
   *     assert.equal(await server.diff(fixture), "");
   *
   * @param before a snapshot, or a dump
   * @param after another one. Default: the state now
   */
  diff(before: Snapshot | string, after?: Snapshot | string, filter?: StateFilter): Promise<string>;
  /** The objects as they were at a revision that the server still has: that of an object, a list or a snapshot. */
  at(revision: number | string): EarlierApi;
  /** The versions of an object that the server still has, oldest first, with what each write changed. */
  history(groupVersion: GroupVersion, resource: string, namespace: string, name: string): Promise<readonly ObjectVersion[]>;
  /**
   * Listens on a port of 127.0.0.1 for clients that are not in this process: TLS, HTTP/1.1 and HTTP/2, and websockets. Requests are authenticated by their certificates and tokens, meet
   * faults and are recorded. An unexpected error of a hook is answered with 500. The certificates are made once for a server and its forks.
   *
   *     const { url, kubeconfig } = await server.listen();
   *
   * @param options.port default: 0, a free port. Rejects if the port is in use
   */
  listen(options?: { readonly port?: number }): Promise<TestListener>;
  /** The server's log so far: one JSON text for each record. */
  readonly logged: readonly string[];
  /** Ends watches and background work. Resolves when everything is closed. */
  close(): Promise<void>;
}

/**
 * Opens a server with an in-memory store. Resolves, usually within milliseconds, when the bootstrap objects exist and the controllers
 * run. Rejects as `start` does.
 */
export async function openTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { plugins: own = [], bare = false, simulate, pluginSettings, unexpectedErrors = "throw", seed } = options;
  const settings = simulate === undefined ? options.settings ?? {} : { ...options.settings, simulate };
  const plugins = bare ? own : [...inPreset(withDefaults(settings), builtIn), ...own], family = {};
  const active = activeConfigOf(withDefaults({ ...settings, "data-dir": ":memory:" }, plugins, pluginSettings), plugins);
  const start: Started = { own, settings, active }, repeats = seed === undefined && pluginSettings === undefined && isRepeatable(start);
  const clock = options.clock === "manual" ? new AdvancedClock(seed === undefined ? Date.now() : seededStart) : undefined;
  const earlier = repeats ? earlierStart(start) : undefined;
  const server = await openOver({ plugins, settings, pluginSettings, active, clock, seed, family, unexpectedErrors }, earlier);
  const isFirst = repeats && earlier === undefined && clock === undefined;
  // On a busy machine a server is open before its start hooks have ended.
  if (isFirst && await isStarted(server)) keepStart(start, partsOf(server.snapshot(), family));
  return server;
}

/** Opens a test server of compiled settings, with a log of its caller: that of a program. */
export async function openConfigured(plugins: readonly Plugin[], active: ActiveConfig, log: Log): Promise<TestServer> {
  const credentials = familyCredentials(() => active.config, log);
  const parts = { plugins, settings: {}, pluginSettings: undefined, active, log, credentials, authorities: credentials };
  return await openOver({ ...parts, clock: undefined, seed: undefined, family: {}, unexpectedErrors: "answer" });
}

/** What a test server is opened with. */
interface Opening extends Omit<RunningNeeds, "logged" | "trouble" | "chance"> {
  readonly seed: number | undefined;
  readonly unexpectedErrors: NonNullable<TestServerOptions["unexpectedErrors"]>;
  /** The certificates of this server and its forks. Absent for the first one. */
  readonly credentials?: () => Promise<ListenerCredentials>;
  /** What the first server of the family had when it was open. Absent for that one. */
  readonly baseline?: Contents;
}

async function openOver(opening: Opening, from?: SnapshotParts): Promise<TestServer> {
  const { unexpectedErrors, clock, family, seed } = opening, throws = unexpectedErrors === "throw";
  const logged: string[] = [], trouble = storeTrouble(clock), chance = seed === undefined ? undefined : new SeededChance(seed, from?.drawn);
  const running = await RunningServer.open({ ...opening, chance, logged, trouble }, from), { server, log } = running;
  const recorder = recordUnexpected(server);
  const faults = new FaultBoard(clock ?? systemClock, () => running.revision, trouble);
  running.onReplaced(() => faults.restored());
  const { record, recorded } = recordings((clock ?? systemClock).now);
  const api = throws ? rethrowingApi(localApi(recorder.server, admin), recorder.take) : localApi(server, admin);
  const answered = (exchange: Exchange, by: Server) => recorded(exchange, (each, known) => handleWithFaults(each, by, faults, known));
  const config = () => running.opened.inForce().config, { credentials = familyCredentials(config, log) } = opening;
  const listeners = new Listeners({
    ...{ credentials, config, log },
    handle: (exchange) => answered(exchange, running.opened.server),
    served: (url) => running.serveAt(url),
  });
  const close = once(async () => {
    running.opened.end();
    await listeners.close();
    await running.close();
  });
  const baseline = opening.baseline ?? running.parts().store, states = new States({ now: () => running.parts(), baseline, family });
  const made: TestServer = {
    ...serverState(() => running.opened, api),
    faults,
    record,
    replay: (what) => replayOf(what, made.handle),
    fork(snapshot, { clock: wanted, seed: own = seed } = {}) {
      const parts = snapshot === undefined ? running.parts() : partsOf(snapshot, family), isManual = (clock ?? wanted) !== undefined;
      return openOver({ ...opening, credentials, baseline, seed: own, clock: isManual ? new AdvancedClock(parts.time) : undefined }, parts);
    },
    snapshot: () => running.snapshot(),
    restore: (snapshot, options = {}) => running.restore(snapshot, options),
    dump: (options = {}) => states.dump(options),
    at: (revision) => earlierApi(api, revision),
    history: (...object) => states.history(object),
    diff: (before, after, filter = {}) => states.diff(before, after, filter),
    async handle(request, user = admin) {
      const { server, check } = recordUnexpected(running.opened.server);
      const byHeaders = user === "authenticate" || request.headers.has("authorization");
      const authenticated = byHeaders ? server : withUser(server, user ?? anonymous);
      const reply = await answered(exchangeOf(request), authenticated);
      if (throws) check();
      if (reply.isDropped === true) throw new ConnectionDropped(`the connection of ${request.method} ${request.url} was dropped`);
      return responseTo(reply, request.method);
    },
    listen: ({ port = 0 } = {}) => listeners.listen({ port }),
    api,
    clock: clock ?? unmovedClock,
    logged,
    close,
    [Symbol.asyncDispose]: close,
  };
  rememberServer(made, () => running.opened);
  rememberListeners(made, listeners);
  return made;
}

function storeTrouble(clock: AdvancedClock | undefined): StoreTrouble {
  return clock === undefined ? new StoreTrouble(systemClock) : new StoreTrouble(clock, (ms, signal) => clock.wait(ms, signal));
}
