/** The settings of services: their addresses and ports, and the endpoints of the API itself. */
import { parseAddress, parsePrefix } from "../../core/net/address.ts";
import { Unreadable } from "../../core/scalars/unreadable.ts";
import { fixed, text } from "./setting.ts";

export interface ServiceConfig {
  readonly "service-cluster-ip-range": string;
  readonly "service-node-port-range": string;
  readonly "endpoint-reconciler-type": string;
  readonly "advertise-address": string;
}

const isAllocated = "addresses and ports are allocated from the ranges of the start";
const isPublished = "the endpoints of the API are published from the start";

export const serviceSettings = Object.freeze({
  "service-cluster-ip-range": fixed(
    isAllocated,
    text(
      "10.0.0.0/24",
      "Ranges of cluster addresses for services: an IPv4 and an IPv6 one at most, separated by a comma. The first is the default family.",
    ),
  ),
  "service-node-port-range": fixed(isAllocated, text("30000-32767", "Range of ports for services on nodes, such as 30000-32767.")),
  "endpoint-reconciler-type": fixed(
    isPublished,
    text(
      "lease",
      "How the endpoints of the Service kubernetes are kept: lease, by all servers that run, or none.",
    ),
  ),
  "advertise-address": fixed(
    isPublished,
    text(
      "",
      "Address of this server in the endpoints of the Service kubernetes. Default: --bind-address. Without one that others can reach there are none.",
    ),
  ),
});

/** The smallest length of IPv6 ranges, as upstream's. */
const ipv6BitsMin = 64;

/** The mistakes in the settings of services. */
export function serviceMistakes(config: ServiceConfig): readonly string[] {
  return [
    ...rangeMistakes(config["service-cluster-ip-range"]).map((why) => `flag "--service-cluster-ip-range": ${why}`),
    ...(portRangeOf(config["service-node-port-range"]) === undefined
      ? [`flag "--service-node-port-range": "${config["service-node-port-range"]}" is not a range of ports such as "30000-32767"`]
      : []),
    ...(["lease", "none"].includes(config["endpoint-reconciler-type"])
      ? []
      : [`flag "--endpoint-reconciler-type": "${config["endpoint-reconciler-type"]}" is not a type: it must be lease or none`]),
    ...(config["advertise-address"] === "" || !(parseAddress(config["advertise-address"]) instanceof Unreadable)
      ? []
      : [`flag "--advertise-address": "${config["advertise-address"]}" is not an IP address`]),
  ];
}

function rangeMistakes(value: string): readonly string[] {
  const ranges = value.split(",").map((each) => each.trim());
  if (ranges.length > 2) return ["there are more than two ranges"];
  const lengths: number[] = [];
  for (const range of ranges) {
    const prefix = parsePrefix(range);
    if (prefix instanceof Unreadable) return [`"${range}" is not a range of addresses such as "10.0.0.0/24"`];
    const bits = prefix.address.bytes.length * 8;
    if (bits - prefix.bits < 3) return [`"${range}" has fewer than 8 addresses`];
    if (bits === 128 && prefix.bits < ipv6BitsMin) return [`"${range}" is larger than a /${ipv6BitsMin}`];
    lengths.push(bits);
  }
  return lengths.length === 2 && lengths[0] === lengths[1] ? ["both ranges have the same IP family"] : [];
}

/** Reads `30000-32767`, `30000+100` or one port. Undefined for other texts. */
function portRangeOf(value: string): { readonly first: number; readonly last: number } | undefined {
  const [, start = "", sign, end = start] = /^([0-9]{1,5})(?:([-+])([0-9]{1,5}))?$/.exec(value.trim()) ?? [];
  if (start === "") return undefined;
  const first = Number(start), last = sign === "+" ? first + Number(end) : Number(end);
  return first >= 1 && first <= last && last <= 65_535 ? { first, last } : undefined;
}
