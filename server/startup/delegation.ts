/**
 * A server behind a kube-apiserver: it delegates the review of tokens and requests to it, and follows the trust that the cluster publishes.
 */
import { elapsedClock } from "../../core/async.ts";
import type { AuthorizationAttributes, Authorizer } from "../../core/access.ts";
import { cachedTokens, type TokenAuthenticator, tokenReviewer } from "../../kernel/access/authentication/mod.ts";
import { accessReviews } from "../webhooks/authorization/access-review.ts";
import {
  type ClusterApi,
  ClusterError,
  type ClusterTrust,
  followClusterTrust,
  noTrust,
  readClusterTrust,
} from "../../kernel/access/delegation/cluster-trust.ts";
import { readAccess } from "../../client/kubeconfig.ts";
import { messageOf, type RemoteClient, remoteClient, RemoteError } from "../../protocols/remote/remote-client.ts";
import { tracedClient } from "./traced-client.ts";
import type { Config } from "../config/settings.ts";
import { describe, type Log } from "../../kernel/observe/log.ts";
import type { Tracing } from "../../kernel/observe/tracing.ts";
import { tokenCacheMeter } from "./authentication-meters.ts";
import type { CheckedSetting } from "./checked-setting.ts";
import { errorLog } from "./error-log.ts";
import type { TokenWebhookNeeds } from "./token-webhook.ts";
import { keyedHash } from "./keyed-hash.ts";
import { valueText } from "../../core/value-text.ts";

/** Timeout in milliseconds for one review with all attempts, and for the lookup of the trust at start; upstream's values. */
const clusterMs = 10_000;
/** Milliseconds for which answers are cached; upstream's value for servers behind a kube-apiserver. */
const cachedMs = 10_000;
/** Versions of the cluster's groups, whose names are independent of --group-domain. */
const clusterDomain = "k8s.io", tokenReviewVersion = "authentication.k8s.io/v1", accessReviewVersion = "v1";
const tokenReviewPath = `/apis/${tokenReviewVersion}/tokenreviews`;
const accessReviewPath = `/apis/authorization.k8s.io/${accessReviewVersion}/subjectaccessreviews`;
/** Paths that are always allowed, by upstream's default. */
const defaultPaths: readonly string[] = Object.freeze(["/healthz", "/livez", "/readyz"]);

function clientOf(path: string, signal: AbortSignal): RemoteClient {
  const client = remoteClient(() => readAccess(path));
  signal.addEventListener("abort", () => client.close(), { once: true });
  return client;
}

/** Kubeconfigs of the settings. Each promise rejects for one that cannot be used. */
export function checkDelegation(config: Config): readonly CheckedSetting[] {
  const names = ["authentication-kubeconfig", "authorization-kubeconfig"] as const;
  return names.filter((name) => config[name] !== "").map((name) => [name, readAccess(config[name])]);
}

/** The authenticator that reviews tokens in the cluster, behind a cache; undefined without --authentication-kubeconfig. */
export async function openClusterTokens(
  config: Config,
  { record, audiences, signal, tracing }: TokenWebhookNeeds,
): Promise<readonly TokenAuthenticator[]> {
  const path = config["authentication-kubeconfig"];
  if (path === "") return [];
  const reviewer = tokenReviewer({
    name: "cluster",
    client: tracedClient(clientOf(path, signal), "Call authentication webhook", { authenticator: "cluster" }, tracing),
    path: tokenReviewPath,
    apiVersion: tokenReviewVersion,
    audiences,
    clock: elapsedClock,
    random: Math.random,
    signal,
  });
  const hash = keyedHash(), meter = tokenCacheMeter(record);
  return [cachedTokens(reviewer, { acceptedMs: cachedMs, refusedMs: cachedMs, hash, now: Date.now, meter })];
}

/** The trust of the cluster, followed. */
export interface FollowedTrust {
  current(): ClusterTrust;
  /** Calls `changed` with each new trust until the signal aborts; a trust for which `changed` throws is not activated. */
  follow(changed: (trust: ClusterTrust) => void): void;
}

/**
 * Reads the trust that the cluster publishes; undefined if the settings do not require it. Rejects if it cannot be read, unless
 * --authentication-tolerate-lookup-failure is set: then nothing is trusted until the lookup succeeds.
 */
export async function openClusterTrust(
  config: Config,
  { log, signal }: { readonly log: Pick<Log, "info" | "error">; readonly signal: AbortSignal },
): Promise<FollowedTrust | undefined> {
  const path = config["authentication-kubeconfig"];
  if (path === "" || config["authentication-skip-lookup"]) return undefined;
  const api = clusterApi(clientOf(path, signal));
  let trust = await readClusterTrust(api, AbortSignal.any([signal, AbortSignal.timeout(clusterMs)])).catch((error: unknown) => {
    if (!config["authentication-tolerate-lookup-failure"]) throw error;
    log.error(
      "the trust of the cluster cannot be read: no front proxy and no client certificate of the cluster is trusted",
      describe(error),
    );
    return noTrust;
  });
  return {
    current: () => trust,
    follow(changed) {
      const take = (next: ClusterTrust) => {
        if (valueText(next) === valueText(trust)) return;
        changed(next);
        trust = next;
        log.info("the trust that the cluster publishes has changed and is active");
      };
      const failed = (reason: string) =>
        log.error("the trust that the cluster publishes cannot be followed; it is tried again", { reason });
      void followClusterTrust({ api, clock: elapsedClock, random: Math.random, signal, failed }, take);
    },
  };
}

function clusterApi(client: RemoteClient): ClusterApi {
  return {
    async get(path, signal) {
      const { status, body } = await client.send({ method: "GET", path, signal });
      if (status !== 200) throw new ClusterError(status, messageOf(body) ?? `status ${status}`);
      return body;
    },
    async *watch(path, signal) {
      try {
        yield* client.stream(path, signal);
      } catch (error) {
        throw error instanceof RemoteError ? new ClusterError(error.status, error.message) : error;
      }
    },
  };
}

/** The authorizer `Cluster`: the always allowed paths, then the cluster's SubjectAccessReviews. */
export function clusterAuthorizer(config: Config, log: Pick<Log, "error">, signal: AbortSignal, tracing?: Tracing): Authorizer {
  const client = clientOf(config["authorization-kubeconfig"], signal);
  const reviews = accessReviews({
    name: "cluster",
    client: tracedClient(client, "Call authorization webhook", { authorizer: "cluster" }, tracing),
    domain: clusterDomain,
    signal,
    path: accessReviewPath,
    version: accessReviewVersion,
    clock: elapsedClock,
    random: Math.random,
    allowedMs: cachedMs,
    deniedMs: cachedMs,
    timeoutMs: clusterMs,
    onError: "noOpinion",
    log: errorLog(log),
  });
  const listed = config["authorization-always-allow-paths"];
  const isFree = freePaths(listed.length === 0 ? defaultPaths : listed);
  return {
    ...reviews,
    authorize: (user, attributes, waiting) =>
      isFree(attributes) ? { verdict: "allow", reason: "" } : reviews.authorize(user, attributes, waiting),
  };
}

/** Whether a request is for one of these paths; a final star matches every suffix. Leading slashes are ignored. */
export function freePaths(paths: readonly string[]): (attributes: AuthorizationAttributes) => boolean {
  const bare = (path: string) => path.startsWith("/") ? path.slice(1) : path;
  const exact = new Set(paths.filter((path) => !path.endsWith("*")).map(bare));
  const prefixes = paths.filter((path) => path.endsWith("*")).map((path) => bare(path).slice(0, -1));
  return ({ isResourceRequest, path }) =>
    !isResourceRequest && (exact.has(bare(path)) || prefixes.some((prefix) => bare(path).startsWith(prefix)));
}
