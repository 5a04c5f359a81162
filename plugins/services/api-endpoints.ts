/**
 * The endpoints of the Service `kubernetes`: the addresses of all servers that run, as kube-apiserver's reconciler `lease`. Each server keeps a record that the store
 * deletes when it is not renewed.
 */
import { type ApiObject, type ControllerContext, StatusError } from "../../plugin.ts";
import { pause, type Records, sameValue, spell } from "../../toolbox.ts";
import { familyOf } from "../shared/addresses.ts";
import { ownAddress } from "./own-address.ts";
import { etcdSetting, portSetting, reconcilerSetting } from "./settings.ts";

/** Seconds for which a record lasts, and milliseconds between renewals (kube-apiserver's values). */
const leaseSeconds = 15, everyMs = 10_000;
/** The place of the records; the last segment is the address, as in kube-apiserver. */
const leases = "masterleases/";

const name = "kubernetes", namespace = "default";
const defaultPort = 443;

/** Keeps the endpoints until the signal aborts. Never rejects. */
export async function followEndpoints(world: ControllerContext, signal: AbortSignal): Promise<void> {
  const address = ownAddress(world);
  if (address === undefined || world.setting(reconcilerSetting) === "none") return;
  for (; !signal.aborted; await pause(everyMs, signal, world.clock)) {
    try {
      await keepEndpoints(world, address);
    } catch (error) {
      if (!signal.aborted) world.logError(`the endpoints of the Service ${name} cannot be kept`, error);
    }
  }
  // The other servers remove the address. A store that is down removes the record itself.
  if (isShared(world)) await leave(world.records, address).catch(() => {});
}

/** Renews the record of this server, and writes the endpoints if they differ from the records. */
export async function keepEndpoints(world: ControllerContext, address: string): Promise<void> {
  const { records } = world;
  if (!isShared(world)) return await writeEndpoints(world, [address]);
  const path = `${leases}${address}`, found = await records.get(path);
  await records.put(
    path,
    { kind: "Endpoints", apiVersion: "v1", subsets: [{ addresses: [{ ip: address }] }] },
    found?.revision,
    leaseSeconds,
  );
  const running = (await records.list(leases)).map(({ path }) => path.slice(leases.length));
  await writeEndpoints(world, [...new Set([...running, address])].filter((each) => familyOf(each) === familyOf(address)).sort());
}

async function leave(records: Records, address: string): Promise<void> {
  const path = `${leases}${address}`, found = await records.get(path);
  if (found !== undefined) await records.put(path, undefined, found.revision);
}

/** Whether other servers can use the same store. */
function isShared({ setting }: ControllerContext): boolean {
  return setting(etcdSetting).length > 0;
}

async function writeEndpoints(world: ControllerContext, addresses: readonly string[]): Promise<void> {
  const { names, setting } = world, port = { name: "https", port: setting(portSetting) || defaultPort, protocol: "TCP" };
  await write(world, "v1", "endpoints", {
    metadata: { name, labels: { [spell(names, "endpointslice.{platform}.io/skip-mirror")]: "true" } },
    subsets: [{ addresses: addresses.map((ip) => ({ ip })), ports: [port] }],
  });
  await write(world, "discovery.{domain}/v1", "endpointslices", {
    metadata: { name, labels: { [spell(names, "{platform}.io/service-name")]: name } },
    addressType: familyOf(addresses[0]!)!, // this server has one
    endpoints: addresses.map((each) => ({ addresses: [each], conditions: { ready: true } })),
    ports: [port],
  });
}

interface Wanted extends Readonly<Record<string, unknown>> {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
}

/** Creates the object, or updates the members in which it differs. Does nothing if its kind is not served. */
async function write({ api, names }: ControllerContext, groupVersion: string, resource: string, wanted: Wanted): Promise<void> {
  const home = spell(names, groupVersion);
  if (!api.collections("create").some((each) => each.groupVersion === home && each.resource === resource)) return;
  const found = await api.get(groupVersion, resource, namespace, name).catch(unlessMissing);
  if (found === undefined) return void await api.create(groupVersion, resource, namespace, wanted).catch(unlessEarlier);
  const { metadata: { labels }, ...members } = wanted, now = found as ApiObject & Readonly<Record<string, unknown>>;
  const next = { ...now, ...members, metadata: { ...now.metadata, labels: { ...now.metadata.labels, ...labels } } };
  if (!sameValue(next, now)) await api.update(groupVersion, resource, namespace, name, next).catch(unlessEarlier);
}

/** Another server has written first: what differs is written the next time. */
function unlessEarlier(error: unknown): void {
  if (!(error instanceof StatusError && (error.reason === "AlreadyExists" || error.reason === "Conflict"))) throw error;
}

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof StatusError && error.reason === "NotFound")) throw error;
}
