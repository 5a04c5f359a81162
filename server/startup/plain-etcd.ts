/** Servers of etcd without TLS on other machines, and users in addresses. */
import { isLoopback } from "../config/loopback.ts";

/** A warning for each address of `--etcd-servers` that is http:// and not a loopback address. Names are not resolved. */
export function plainEtcdWarnings(servers: readonly string[]): readonly string[] {
  return servers.flatMap((text) => {
    const url = URL.parse(text);
    // The URL parser has normalized the address.
    if (url?.protocol !== "http:" || isLoopback(url.hostname)) return [];
    return [
      `etcd at ${url.host} is reached by http:// over a network: objects, Secrets among them, are sent without encryption, and nothing ` +
      `shows that the other end is your etcd; use https:// with --etcd-cafile`,
    ];
  });
}

/** A warning if addresses of `--etcd-servers` contain users, which etcd does not get: the protocol has no place for them. */
export function etcdUserWarnings(servers: readonly string[]): readonly string[] {
  if (servers.every((text) => (URL.parse(text)?.username ?? "") === "")) return [];
  return ["the user and password in --etcd-servers have no effect: etcd takes the user from the common name of --etcd-certfile"];
}
