/** The webhook for bearer tokens. */
import { systemClock } from "../../core/async.ts";
import { cachedTokens, type TokenAuthenticator, tokenReviewer } from "../../kernel/access/authentication/mod.ts";
import { readAccess } from "../../client/kubeconfig.ts";
import { remoteClient } from "../../protocols/remote/remote-client.ts";
import { tracedClient } from "./traced-client.ts";
import type { Config } from "../config/settings.ts";
import type { KernelRecord } from "../metrics/metrics.ts";
import type { Tracing } from "../../kernel/observe/tracing.ts";
import { tokenCacheMeter } from "./authentication-meters.ts";
import { keyedHash } from "./keyed-hash.ts";

export interface TokenWebhookNeeds {
  readonly record: KernelRecord;
  /** The audiences of the server. */
  readonly audiences: () => readonly string[];
  readonly signal: AbortSignal;
  readonly tracing?: Tracing | undefined;
}

/** The webhook of the settings, if any, behind a cache. Rejects for a kubeconfig that cannot be used. */
export async function openTokenWebhook(config: Config, needs: TokenWebhookNeeds): Promise<readonly TokenAuthenticator[]> {
  const path = config["authentication-token-webhook-config-file"];
  if (path === "") return [];
  await checkTokenWebhook(config);
  const { record, audiences, signal, tracing } = needs;
  const client = remoteClient(() => readAccess(path));
  signal.addEventListener("abort", () => client.close(), { once: true });
  const reviewer = tokenReviewer({
    name: "webhook",
    client: tracedClient(client, "Call authentication webhook", { authenticator: "webhook" }, tracing),
    path: "",
    apiVersion: `authentication.${config["group-domain"]}/${config["authentication-token-webhook-version"]}`,
    audiences,
    clock: systemClock,
    random: Math.random,
    signal,
  });
  const ttl = config["authentication-token-webhook-cache-ttl"];
  const hash = keyedHash(), meter = tokenCacheMeter(record);
  return [cachedTokens(reviewer, { acceptedMs: ttl, refusedMs: ttl, hash, now: Date.now, meter })];
}

/** Rejects for a kubeconfig that cannot be used. */
export async function checkTokenWebhook(config: Config): Promise<void> {
  const path = config["authentication-token-webhook-config-file"];
  if (path !== "") await readAccess(path);
}
