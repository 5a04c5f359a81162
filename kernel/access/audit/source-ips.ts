/** The source addresses of a request: the addresses in its headers, and that of its connection. */
import { type Exchange, header } from "../../request/exchange.ts";
import { parseIp } from "../../../core/net/ip.ts";

/**
 * Addresses in upstream's order: those of X-Forwarded-For, X-Real-Ip unless it is among them, and the address of the connection unless it
 * is the last one already. The client controls all but the last one.
 */
export function sourceIps(exchange: Pick<Exchange, "headers" | "remote">): readonly string[] {
  const ips: string[] = [];
  const forwarded = header(exchange, "x-forwarded-for");
  if (forwarded !== "") {
    for (const part of forwarded.split(",", sourceIpsMax)) {
      const ip = parseIp(part.trim());
      if (ip !== undefined) ips.push(ip);
    }
  }
  const real = parseIp(header(exchange, "x-real-ip"));
  if (real !== undefined && !ips.includes(real)) ips.push(real);
  const remote = parseIp(hostOf(exchange.remote));
  if (remote !== undefined && remote !== ips.at(-1)) ips.push(remote);
  return ips;
}
const sourceIpsMax = 1000;

/** `10.0.0.1:443` or `[::1]:443`, or the address alone. */
function hostOf(remote: string): string {
  if (remote.startsWith("[")) return remote.slice(1, Math.max(1, remote.indexOf("]")));
  const colon = remote.indexOf(":");
  return colon < 0 || remote.indexOf(":", colon + 1) >= 0 ? remote : remote.slice(0, colon);
}
