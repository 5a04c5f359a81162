/** A server behind a kube-apiserver: it delegates the review of requests to it. */
import { type ServerClock, systemClock } from "../../core/async.ts";
import type { AuthorizationAttributes, Authorizer } from "../../core/access.ts";
import { accessReviews } from "../webhooks/authorization/access-review.ts";
import { readAccess } from "../../client/kubeconfig.ts";
import { type RemoteClient, remoteClient } from "../../protocols/remote/remote-client.ts";
import { tracedClient } from "./traced-client.ts";
import type { Config } from "../config/settings.ts";
import type { Log } from "../../kernel/observe/log.ts";
import type { Tracing } from "../../kernel/observe/tracing.ts";
import type { CheckedSetting } from "./checked-setting.ts";
import { errorLog } from "./error-log.ts";

/** Timeout in milliseconds for one review with all attempts; upstream's value. */
const clusterMs = 10_000;
/** Milliseconds for which answers are cached; upstream's value for servers behind a kube-apiserver. */
const cachedMs = 10_000;
/** The version of the cluster's group, whose name is independent of --group-domain. */
const clusterDomain = "k8s.io", accessReviewVersion = "v1";
const accessReviewPath = `/apis/authorization.k8s.io/${accessReviewVersion}/subjectaccessreviews`;
/** Paths that are always allowed, by upstream's default. */
const defaultPaths: readonly string[] = Object.freeze(["/healthz", "/livez", "/readyz"]);

function clientOf(path: string, signal: AbortSignal): RemoteClient {
  const client = remoteClient(() => readAccess(path));
  signal.addEventListener("abort", () => client.close(), { once: true });
  return client;
}

/** The kubeconfig of the settings. The promise rejects for one that cannot be used. */
export function checkDelegation(config: Config): readonly CheckedSetting[] {
  const path = config["authorization-kubeconfig"];
  return path === "" ? [] : [["authorization-kubeconfig", readAccess(path)]];
}

/** The authorizer `Cluster`: the always allowed paths, then the cluster's SubjectAccessReviews. */
export function clusterAuthorizer(
  config: Config,
  { log, clock, signal, tracing }: {
    readonly log: Pick<Log, "error">;
    readonly clock: ServerClock;
    readonly signal: AbortSignal;
    readonly tracing?: Tracing | undefined;
  },
): Authorizer {
  const client = clientOf(config["authorization-kubeconfig"], signal);
  const reviews = accessReviews({
    name: "cluster",
    server: {
      client: tracedClient(client, "Call authorization webhook", { authorizer: "cluster" }, tracing),
      path: accessReviewPath,
      version: accessReviewVersion,
      domain: clusterDomain,
      timeoutMs: clusterMs,
    },
    cached: { allowedMs: cachedMs, deniedMs: cachedMs },
    onError: "noOpinion",
    reports: { log: errorLog(log) },
    clock: { ...systemClock, now: clock.elapsed },
    random: Math.random,
    signal,
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
