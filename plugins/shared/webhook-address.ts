/** The address of a webhook. */
import { bytesOf, type WebhookAddress } from "../../toolbox.ts";
import type { ServiceReference } from "./webhook-client-config.ts";

/** The client configuration in the fields that both groups with webhooks have. */
export interface WebhookClientConfig {
  readonly url?: string;
  readonly service?: ServiceReference;
  /** PEM in base64. */
  readonly caBundle?: string;
}

/** The address by a valid client configuration. As upstream, a bundle of white space only is none. */
export function addressOf({ url, service, caBundle = "" }: WebhookClientConfig): WebhookAddress {
  const pem = new TextDecoder().decode(bytesOf(caBundle)).trim();
  const ca = pem === "" ? {} : { ca: pem };
  if (service === undefined) return { url: url ?? "", ...ca };
  const { name, namespace, port = 443, path = "" } = service;
  const serverName = `${name}.${namespace}.svc`;
  return { url: `https://${serverName}:${port}${path.startsWith("/") || path === "" ? "" : "/"}${path}`, serverName, ...ca };
}
