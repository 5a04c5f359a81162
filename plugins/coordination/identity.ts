/** The Lease by which each server shows that it runs, as kube-apiserver's controller of identity leases (KEP-1965). */
import { type ApiObject, type ControllerContext, type StartHook, StatusError } from "../../plugin.ts";
import { pause, type SettingKey, spell, systemClock } from "../../toolbox.ts";
import { isServed } from "../shared/is-served.ts";
import { component, identityOf } from "../shared/server-identity.ts";
import type { Lease } from "./lease.ts";

export const identityGate = "APIServerIdentity";

/** Seconds for which a lease lasts, and milliseconds between renewals in a store that servers share (kube-apiserver's values). */
const leaseSeconds = 3_600, sharedMs = 10_000;
/** Milliseconds between renewals in the embedded store, which has one server: an idle server does not write all the time. */
const embeddedMs = 600_000;
/** Milliseconds between removals of old leases (kube-apiserver's value), and between looks for the namespace. */
const removalMs = 3_600_000, namespaceMs = 100;

const groupVersion = "coordination.{domain}/v1", namespace = "kube-system";
const etcdSetting: SettingKey<"list"> = Object.freeze({ name: "etcd-servers", kind: "list" });
const dataSetting: SettingKey<"string"> = Object.freeze({ name: "data-dir", kind: "string" });

/** Writes or renews the lease. `holder` differs for each start of the server; `now` is in milliseconds. */
export async function renew({ api, names }: ControllerContext, machine: string, holder: string, now: number): Promise<void> {
  const name = await identityOf(machine), renewTime = microTime(now);
  const labels = { [identityLabel(names)]: component, [spell(names, "{platform}.io/hostname")]: machine };
  const spec = { holderIdentity: holder, leaseDurationSeconds: leaseSeconds, renewTime };
  const found = await api.get(groupVersion, "leases", namespace, name).catch(unlessMissing) as Lease | undefined; // the type of the resource
  if (found === undefined) {
    await api.create(groupVersion, "leases", namespace, { metadata: { name, labels }, spec });
    return;
  }
  const metadata = { ...found.metadata, labels: { ...found.metadata.labels, ...labels } };
  // As upstream, the holder of the first writer stays.
  const next = { ...found, metadata, spec: { ...found.spec, leaseDurationSeconds: leaseSeconds, renewTime } };
  await api.update(groupVersion, "leases", namespace, name, next);
}

/** Removes leases of servers that were not renewed in their time. */
export async function removeOld({ api, names }: ControllerContext, now: number): Promise<void> {
  const { items } = await api.list(groupVersion, "leases", namespace, { labelSelector: `${identityLabel(names)}=${component}` });
  for (const { metadata: { name = "", uid, resourceVersion }, spec } of items as unknown as readonly Lease[]) { // the type of the resource
    const { renewTime, leaseDurationSeconds } = spec ?? {};
    const isKept = renewTime != null && leaseDurationSeconds != null && Date.parse(renewTime) + leaseDurationSeconds * 1000 >= now;
    if (!isKept) await api.delete(groupVersion, "leases", namespace, name, { preconditions: { uid, resourceVersion } }).catch(unlessOther);
  }
}

const identityLabel = (names: ControllerContext["names"]): string => spell(names, "apiserver.{platform}.io/identity");
const microTime = (ms: number): string => new Date(ms).toISOString().replace("Z", "000Z");

/** Another server has removed or renewed it. */
function unlessOther(error: unknown): void {
  if (!(error instanceof StatusError && (error.reason === "NotFound" || error.reason === "Conflict"))) throw error;
}
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof StatusError && error.reason === "NotFound")) throw error;
}

/** Milliseconds between renewals; undefined if there is no lease: a store in memory ends with its server. */
export function renewalMs(world: ControllerContext): number | undefined {
  const { setting, gates } = world;
  if (!gates(identityGate) || !isServed(world, { groupVersion, resource: "leases" }, "create")) return undefined;
  if (setting(etcdSetting).length > 0) return sharedMs;
  return setting(dataSetting) === ":memory:" ? undefined : embeddedMs;
}

/** Renews until the signal aborts. Never rejects. */
async function follow(world: ControllerContext, signal: AbortSignal): Promise<void> {
  const everyMs = renewalMs(world), machine = world.machine.name, holder = `${await identityOf(machine)}_${crypto.randomUUID()}`;
  if (everyMs === undefined) return;
  const exists = (): Promise<ApiObject | undefined> => world.api.get("v1", "namespaces", "", namespace).catch(() => undefined);
  // Another hook creates the namespace at the first start.
  while (!signal.aborted && await exists() === undefined) await pause(namespaceMs, signal, systemClock);
  let removedAt = -Infinity;
  for (; !signal.aborted; await pause(everyMs, signal, world.clock)) {
    const now = world.clock.now();
    try {
      await renew(world, machine, holder, now);
      if (now - removedAt < removalMs) continue;
      removedAt = now;
      await removeOld(world, now);
    } catch (error) {
      if (!signal.aborted) world.logError("the lease of the server's identity cannot be kept", error);
    }
  }
}

export const identityHook: StartHook = Object.freeze<StartHook>({
  name: "start-kube-apiserver-identity-lease-controller",
  fieldManager: component,
  run: () => Promise.resolve(),
  follow,
});
