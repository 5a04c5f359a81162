/** Addresses at which traffic enters a cluster: of services of type LoadBalancer, as a cloud gives them, and of ingresses. No traffic is accepted at them. */
import type { ApiObject } from "../../../plugin.ts";
import { parseAddress, sameValue, Unreadable } from "../../../toolbox.ts";
import { AddressBlock } from "../nodes/address-block.ts";
import type { Reconciler } from "../world/reconciler.ts";
import type { Store } from "../world/store.ts";
import type { World } from "../world/world.ts";
import { followAll } from "../workloads/owner-keys.ts";

/** The addresses that are given, a block that is reserved for measurements (RFC 2544), and what stands before their number in IPv6 (RFC 5180). */
const publicAddresses = "198.18.0.0/15", publicPrefix = "2001:2::";
/** The annotation that decides an address: a text of one, a host name, or `never`. */
export const addressAnnotation = "simulation.thole.dev/address";
/** The value of the annotation for which no address is given. */
const never = "never";

type Service = NonNullable<ReturnType<World["services"]["at"]>>;
type Ingress = NonNullable<ReturnType<World["ingresses"]["at"]>>;

/** Gives addresses, of one block. */
export function loadBalancerReconcilers(): readonly Reconciler[] {
  const block = AddressBlock.of(publicAddresses)!; // a constant of a right form
  return [
    {
      name: "loadbalancer",
      follow: (world, add) => followExposed(world.services, block, add),
      async reconcile(world, key) {
        const service = world.services.at(key);
        if (service !== undefined) await exposeService(world, service, block);
      },
    },
    {
      name: "ingress",
      follow: (world, add) => followExposed(world.ingresses, block, add),
      async reconcile(world, key) {
        const ingress = world.ingresses.at(key);
        if (ingress !== undefined) await exposeIngress(world, ingress, block);
      },
    },
  ];
}

interface Exposed extends ApiObject {
  readonly status: { readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string }[] } };
}

/** Looks at all objects of the store. Their addresses stay theirs until they are gone. */
function followExposed<T extends Exposed>(store: Store<T>, block: AddressBlock, add: (key: string) => void): void {
  for (const { metadata: { uid = "" }, status } of store.all()) {
    for (const { ip = "" } of status.loadBalancer?.ingress ?? []) block.keep(uid, ip);
  }
  followAll(store, add);
  store.listen((next, before) => {
    if (next === undefined) block.release(before!.metadata.uid ?? "");
  });
}

/** A service of another class is left to who serves that class, as by kube-controller-manager. */
async function exposeService(world: World, service: Service, block: AddressBlock): Promise<void> {
  const { type, ipFamilies = [], loadBalancerIP = "", loadBalancerClass = "" } = service.spec;
  if (type !== "LoadBalancer") return block.release(service.metadata.uid ?? "");
  if (loadBalancerClass !== "") return;
  const ingress = entriesFor(service, block, { wanted: loadBalancerIP, isIPv6: ipFamilies[0] === "IPv6" });
  if (ingress === undefined) return;
  await world.services.updateStatus({ ...service, status: { ...service.status, loadBalancer: { ingress } } } as Service);
  world.context.events.record(service, {
    type: "Normal",
    reason: "EnsuredLoadBalancer",
    action: "EnsuringLoadBalancer",
    note: "Ensured load balancer",
  });
}

async function exposeIngress(world: World, ingress: Ingress, block: AddressBlock): Promise<void> {
  const entries = entriesFor(ingress, block, { wanted: "", isIPv6: false });
  if (entries === undefined) return;
  await world.ingresses.updateStatus({ ...ingress, status: { ...ingress.status, loadBalancer: { ingress: entries } } } as Ingress);
}

/** The entries that the status is to have; undefined if nothing is to be written. An address that a client has written stays. */
function entriesFor(
  object: Exposed,
  block: AddressBlock,
  { wanted, isIPv6 }: { readonly wanted: string; readonly isIPv6: boolean },
): readonly object[] | undefined {
  const { metadata: { annotations = {}, deletionTimestamp, uid = "" }, status } = object, present = status.loadBalancer?.ingress ?? [];
  const chosen = annotations[addressAnnotation] ?? "";
  if (deletionTimestamp !== undefined || chosen === never || (chosen === "" && present.length > 0)) return undefined;
  const address = chosen || wanted || block.take(uid);
  if (address === undefined) return undefined;
  const text = chosen === "" && wanted === "" && isIPv6 ? inIPv6(address) : address;
  const entry = parseAddress(text) instanceof Unreadable ? { hostname: text } : { ip: text };
  return present.length === 1 && sameValue({ ...present[0], ...entry }, present[0]) ? undefined : [entry];
}

/** An address of the block as one of IPv6: the last four octets are those of the address. */
export function inIPv6(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
  return `${publicPrefix}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}
