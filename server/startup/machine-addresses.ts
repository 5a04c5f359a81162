/**
 * The addresses of this machine, in the order in which others can reach it best: kube-apiserver takes that of the interface of the default route
 * (k8s.io/apimachinery/pkg/util/net, ResolveBindAddress).
 */
import { closeSync, openSync, readSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { bound } from "../../core/bound.ts";

/** The tables of routes of Linux. Deno reads them with all permissions only. */
const routeFile = "/proc/net/route", route6File = "/proc/net/ipv6_route";
/** Bytes that are read of a table of routes. The default routes of IPv4 are its first lines. */
const tableBytesMax = bound(1024 * 1024);

/** An address of an interface, as `networkInterfaces` of `node:os` returns it. */
export interface InterfaceAddress {
  readonly address: string;
  readonly family: string;
  /** Whether it is an address of the loopback interface. */
  readonly internal: boolean;
}
type Interfaces = Readonly<Record<string, readonly InterfaceAddress[] | undefined>>;

/** The addresses of this machine, without zones. Without the tables of routes those of other interfaces than the loopback one. */
export function machineAddresses(): readonly string[] {
  return addressesInOrder(networkInterfaces(), tableOf(routeFile), tableOf(route6File));
}

/**
 * The addresses that others can reach of the interfaces of the default routes, IPv4 before IPv6, then all others but those of the loopback interface. A route whose
 * interface has no such address uses one of the loopback interface, as upstream (RFC 5549).
 */
export function addressesInOrder(interfaces: Interfaces, routes: string, routes6: string): readonly string[] {
  const all = Object.values(interfaces).flatMap((each) => each ?? []);
  const routed = [
    ...defaultsOf(routes).map((name) => ({ name, family: "IPv4" })),
    ...defaults6Of(routes6).map((name) => ({ name, family: "IPv6" })),
  ];
  const first = routed.flatMap(({ name, family }) => {
    const reachable = (list: readonly InterfaceAddress[]) => list.filter((each) => each.family === family && isGlobal(each));
    const own = reachable(Object.hasOwn(interfaces, name) ? interfaces[name] ?? [] : []);
    return own.length > 0 ? own : reachable(all.filter(({ internal }) => internal));
  });
  const others = all.filter(({ internal }) => !internal);
  return [...new Set([...first, ...others].map(({ address }) => address.split("%", 1)[0]!))];
}

const isGlobal = ({ address, family }: InterfaceAddress): boolean =>
  family === "IPv4" ? !/^(?:127|169\.254)\./.test(address) : !/^(?:fe[89ab]|::1$)/i.test(address);

/** The interfaces of the lines whose destination is 0.0.0.0: `interface destination gateway ...`. */
function defaultsOf(table: string): readonly string[] {
  return linesOf(table).flatMap(([name = "", destination]) => destination === "00000000" ? [name] : []);
}

/** The interfaces of the lines whose destination is :: and that have a gateway: the last of ten words is the interface, the fifth the gateway. */
function defaults6Of(table: string): readonly string[] {
  const none = "0".repeat(32);
  return linesOf(table).flatMap(([destination, , , , gateway, , , , , name]) =>
    destination === none && gateway !== none && name !== undefined ? [name] : []
  );
}

function linesOf(table: string): readonly (readonly string[])[] {
  return table.split("\n").map((line) => line.trim().split(/\s+/));
}

/** The beginning of a table; "" if it cannot be read. */
function tableOf(file: string): string {
  let open: number | undefined;
  try {
    open = openSync(file, "r");
    const bytes = new Uint8Array(tableBytesMax);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(open, bytes, length, bytes.length - length, null);
    }
    return new TextDecoder().decode(bytes.subarray(0, length));
  } catch {
    return "";
  } finally {
    if (open !== undefined) closeSync(open);
  }
}
