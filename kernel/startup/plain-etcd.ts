/** Servers of etcd without TLS on other machines. */

/** A warning for each address of `--etcd-servers` that is http:// and not a loopback address. Names are not resolved. */
export function plainEtcdWarnings(servers: readonly string[]): readonly string[] {
  return servers.flatMap((text) => {
    const url = URL.parse(text);
    if (url?.protocol !== "http:" || isLoopback(url.hostname)) return [];
    return [
      `etcd at ${url.host} is reached by http:// over a network: objects, Secrets among them, are sent without encryption, and nothing ` +
      `shows that the other end is your etcd; use https:// with --etcd-cafile`,
    ];
  });
}

/** The URL parser has normalized addresses. */
function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
