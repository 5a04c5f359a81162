/** Checks of kinds by round trips. */
import type { Json } from "../core/json.ts";
import type { Plugin } from "../core/plugin.ts";
import { jsonFromTree, readJson } from "../core/tree/json.ts";
import { goJson } from "../core/tree/json-text.ts";
import { handle } from "../kernel/handle.ts";
import type { Server } from "../kernel/server.ts";
import { plugins as builtIn } from "../plugins/mod.ts";
import { activeConfigOf } from "../server/config/active-config.ts";
import { withDefaults } from "../server/config/parse.ts";
import { exchangeOf, responseTo } from "./exchange.ts";
import { openInMemory } from "./in-memory.ts";
import { roundTripsOf } from "./round-trips/round-trips.ts";
import type { TestServerOptions } from "./server.ts";
import { admin, withUser } from "./users.ts";

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
