/**
 * Registers the group versions that this server serves, as kube-apiserver's autoregister controller: those of its own kinds once at the start, those
 * of definitions always. An object without the label `automanaged` belongs to its users and stays as it is.
 *
 *     label of the object    own version, at the start   version of a definition   any other version
 *     (absent object)        create                      create                    -
 *     (none)                 -                           -                         -
 *     onstart                update                      -                         delete, at the start
 *     true                   update                      update                    delete
 */
import { type ApiObject, type ControllerContext, runWorkQueue, type StartHook, StatusError } from "../../plugin.ts";
import { pause, sameValue, spell, systemClock } from "../../toolbox.ts";
import { isServed } from "../shared/is-served.ts";
import { apiServices } from "./api-service.ts";
import { availableOf } from "./available.ts";
import { DefinedVersions, type Definition } from "./defined-versions.ts";
import { customPriorities, versionPriority } from "./priorities.ts";
import { type APIService, groupVersion, plural } from "./schema.ts";

const label = "kube-aggregator.{platform}.io/automanaged";
const onStart = "onstart", always = "true";
const definitionVersion = "apiextensions.{domain}/v1", definitions = "customresourcedefinitions";
/** Milliseconds after which the registration of definitions begins again after an error. */
const againMs = 1_000;

/** An object that is kept. */
interface Wanted {
  readonly name: string;
  readonly managed: typeof onStart | typeof always;
  readonly spec: Pick<APIService["spec"], "group" | "version" | "groupPriorityMinimum" | "versionPriority">;
}

/** The objects of the server's own group versions. The group of this kind has none, as upstream. */
export function ownServices({ names, types }: Pick<ControllerContext, "names" | "types">): readonly Wanted[] {
  const own = types.versions().filter(({ group, isCustom }) => !isCustom && group !== spell(names, "apiregistration.{domain}"));
  return own.map(({ group, version, groupPriority }) => ({
    name: `${version}.${group}`,
    managed: onStart,
    spec: { group, version, groupPriorityMinimum: groupPriority, versionPriority: versionPriority(names, group, version) },
  }));
}

/** Registers the own group versions, all at once. Rejects until each is there and available. */
async function registerOwn(world: ControllerContext): Promise<void> {
  const { api, names } = world, own = ownServices(world);
  const read = async () => new Map((await api.of(apiServices).list("")).items.map((each) => [each.metadata.name ?? "", each]));
  const there = await read(), absent = own.filter(({ name }) => !there.has(name));
  const spare = [...there.values()].filter(({ metadata: { name = "", labels = {} } }) =>
    labels[spell(names, label)] === onStart && !own.some((each) => each.name === name)
  );
  const [made, kept] = await Promise.all([
    api.createEach(groupVersion, plural, "", absent.map((each) => newService(names, each))),
    Promise.all(own.map((each) => there.has(each.name) ? keep(world, each, there.get(each.name)) : undefined)),
    Promise.all(spare.map((each) => remove(world, each))),
  ]);
  // Another server does the same.
  for (const end of made) if (end.status === "rejected") unless("AlreadyExists")(end.reason);
  const isSame = absent.length === 0 && kept.every((each) => each === undefined), now = isSame ? there : await read();
  const missing = own.filter(({ name }) => !isAvailable(now.get(name))).map(({ name }) => name);
  if (missing.length > 0) throw new Error(`missing APIService: [${missing.join(" ")}]`);
}

function isAvailable(service: APIService | undefined): boolean {
  return service !== undefined && availableOf(service)?.status === "True";
}

function newService(names: ControllerContext["names"], { name, managed, spec }: Wanted) {
  return { metadata: { name, labels: { [spell(names, label)]: managed } }, spec, status: {} };
}

/** Creates or updates an object, unless it belongs to its users. Resolves with what was written; undefined if nothing was. */
async function keep({ api, names }: ControllerContext, wanted: Wanted, current: APIService | undefined) {
  const kept = api.of(apiServices), { name, managed, spec } = wanted;
  if (current === undefined) return await kept.create("", newService(names, wanted)).catch(unless("AlreadyExists"));
  const by = current.metadata.labels?.[spell(names, label)];
  const isKept = by === always || (by === onStart && managed === onStart);
  // The object of the core group has no group.
  if (!isKept || sameValue({ group: "", ...current.spec }, spec)) return undefined;
  return await kept.update("", name, { ...current, spec }).catch(unless("NotFound", "Conflict"));
}

async function remove({ api }: ControllerContext, { metadata: { name = "", uid } }: APIService): Promise<void> {
  await api.of(apiServices).delete("", name, { preconditions: { uid } }).catch(unless("NotFound", "Conflict"));
}

/** Passes over errors with these reasons: another look follows the change that caused them. */
function unless(...reasons: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof StatusError && reasons.includes(error.reason))) throw error;
    return undefined;
  };
}

/** Keeps the objects of definitions until the signal aborts. Never rejects. */
async function keepDefined(world: ControllerContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await keepDefinedOnce(world, signal);
    } catch (error) {
      if (!signal.aborted) world.logError("the APIServices of definitions cannot be kept", error);
      await pause(againMs, signal, systemClock);
    }
  }
}

async function keepDefinedOnce(world: ControllerContext, signal: AbortSignal): Promise<void> {
  const { api, names } = world, services = api.of(apiServices).informer("");
  const own = new Set(ownServices(world).map(({ name }) => name)), defined = new DefinedVersions();
  const work = async (name: string) => {
    if (own.has(name)) return;
    const current = services.get("", name), version = defined.get(name);
    if (version !== undefined) await keep(world, { name, managed: always, spec: { ...version, ...customPriorities } }, current);
    else if (current?.metadata.labels?.[spell(names, label)] === always) await remove(world, current);
  };
  await runWorkQueue({ context: world, signal, work }, async (queue, until) => {
    let isReady = false;
    const look = (all: Iterable<string>) => {
      if (isReady) { for (const name of all) queue.add(name); }
    };
    const changed = ({ metadata: { name = "" } }: ApiObject) => look([name]);
    const running = services.run(until, { added: changed, updated: changed, deleted: changed });
    const known = Promise.withResolvers<void>();
    const following = follow(world, (change) => look(defined.change(change)), known.resolve, until);
    // A first look that does not know all definitions would delete their objects.
    const ready = Promise.all([services.synced, known.promise]).then(() => {
      isReady = true;
      look([...services.objects().map(({ metadata: { name = "" } }) => name), ...defined.names()]);
    });
    await Promise.all([running, following, Promise.race([ready, running, following])]);
  });
}

/** Follows definitions, if they are served. `synced` is called when all are known. */
async function follow(
  world: ControllerContext,
  changed: (change: { readonly definition: Definition; readonly isGone: boolean }) => void,
  synced: () => void,
  signal: AbortSignal,
): Promise<void> {
  if (!isServed(world, { groupVersion: definitionVersion, resource: definitions })) return synced();
  for await (const { type, object } of world.api.watch(definitionVersion, definitions, "", {}, signal, "everything", synced)) {
    changed({ definition: object as Definition, isGone: type === "DELETED" }); // the watch is of definitions
  }
}

/** Registers the group versions. Its checks are two of upstream's: they pass when the own ones are there and available. */
export const registration: StartHook = Object.freeze<StartHook>({
  name: "kube-apiserver-autoregistration",
  checks: ["poststarthook/kube-apiserver-autoregistration", "autoregister-completion"],
  fieldManager: "kube-apiserver",
  async run(world) {
    if (isServed(world, { groupVersion, resource: plural })) await registerOwn(world);
  },
  async follow(world, signal) {
    if (!isServed(world, { groupVersion, resource: plural })) return;
    // A changed configuration may serve others.
    await registerOwn(world).catch((error) => world.logError("the APIServices of the server cannot be kept", error));
    await keepDefined(world, signal);
  },
});
