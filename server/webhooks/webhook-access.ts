/** How a webhook is reached: at the address that the server is configured to use for its host, else by DNS. */
import { isIP } from "node:net";
import type { WebhookAddress } from "../../core/conversion.ts";
import type { RemoteAccess } from "../../protocols/remote/remote-access.ts";

/** Addresses (`10.0.0.5:8443`) by the host and port that webhooks name, such as `hook.default.svc:443`. */
export type WebhookAddresses = ReadonlyMap<string, string>;

/** Host and port of the URL, also if the port is the default. */
export function hostPortOf({ url }: WebhookAddress): string {
  const { hostname, port } = new URL(url);
  return `${hostname}:${port === "" ? "443" : port}`;
}

/** The certificate is verified by the name in the URL, whatever the address is. */
export function webhookAccess(webhook: WebhookAddress, addresses: WebhookAddresses): RemoteAccess {
  const { url, serverName, ca } = webhook, named = new URL(url), address = addresses.get(hostPortOf(webhook));
  const server = address === undefined ? named : new URL(`${named.protocol}//${address}${named.pathname}`);
  const name = serverName ?? (address === undefined || isIP(named.hostname) !== 0 ? undefined : named.hostname);
  return {
    server,
    ...(address === undefined ? {} : { host: named.host }),
    ...(name === undefined ? {} : { serverName: name }),
    ...(ca === undefined ? {} : { ca }),
  };
}
