/**
 * A server behind a kube-apiserver: it delegates the review of tokens to it, and trusts the certificates and the front proxy that the cluster
 * publishes.
 */
import type { AuthenticatorContext, AuthenticatorDefinition, ClientTrustSource } from "../../../core/authentication.ts";
import { systemClock } from "../../../core/async.ts";
import { type PartClient, settingsOf } from "../../../core/part.ts";
import { valueText } from "../../../core/value-text.ts";
import { answersOf } from "../answers.ts";
import { frontProxy } from "../front-proxy.ts";
import { messageOf, tokenReviewer } from "../reviewed-tokens.ts";
import { type ClusterApi, ClusterError, type ClusterTrust, followClusterTrust, noTrust, readClusterTrust } from "./cluster-trust.ts";

/** Milliseconds for the lookup of the trust at start; upstream's value. */
const clusterMs = 10_000;
/** Milliseconds for which answers are cached; upstream's value for servers behind a kube-apiserver. */
const cachedMs = 10_000;
/** The version of the cluster's group, whose name is independent of --group-domain. */
const tokenReviewVersion = "authentication.k8s.io/v1";

const file = Object.freeze({ name: "authentication-kubeconfig", kind: "string" });
const flags = Object.freeze({
  "authentication-skip-lookup": "bool",
  "authentication-tolerate-lookup-failure": "bool",
  "requestheader-client-ca-file": "string",
});

/** The authenticator `cluster`. */
export const delegation: AuthenticatorDefinition = {
  name: "cluster",
  summary: "Bearer tokens that the kube-apiserver in front reviews, its front proxy, and its CAs of clients.",
  beforeTokens: true,
  plainReasons: true,
  required: true,
  answerMs: Infinity,
  checks: {
    files: ({ setting, remotes }) => {
      const path = setting(file);
      return path === "" ? [] : [[file.name, remotes.checkKubeconfig(path)]];
    },
  },
  async open(context) {
    const { setting, remotes, audiences, signal } = context, path = setting(file), values = settingsOf(setting, flags);
    if (path === "") return undefined;
    await remotes.checkKubeconfig(path);
    const reviewer = tokenReviewer({
      name: "cluster",
      client: remotes.connect(path, { name: "Call authentication webhook", attributes: { authenticator: "cluster" } }),
      path: `/apis/${tokenReviewVersion}/tokenreviews`,
      apiVersion: tokenReviewVersion,
      audiences,
      signal,
    });
    const trust = values["authentication-skip-lookup"]
      ? undefined
      : await openTrust(remotes.connect(path), context, values["authentication-tolerate-lookup-failure"]);
    return {
      authenticateToken: answersOf(reviewer),
      caching: { acceptedMs: cachedMs, refusedMs: cachedMs },
      // Front proxies are those of the flags, or else those of the cluster.
      ...(trust === undefined || values["requestheader-client-ca-file"] !== ""
        ? {}
        : { authenticate: frontProxy(() => trust.current().frontProxy) }),
      ...(trust === undefined ? {} : { trust }),
    };
  },
};

/** The trust of the cluster, followed. */
interface FollowedTrust extends ClientTrustSource {
  current(): ClusterTrust;
}

/**
 * Reads the trust that the cluster publishes. Rejects if it cannot be read, unless that is tolerated: then nothing is trusted until the
 * lookup succeeds.
 */
async function openTrust(
  client: PartClient,
  { logInfo, logError, signal }: AuthenticatorContext,
  isTolerant: boolean,
): Promise<FollowedTrust> {
  const api = clusterApi(client);
  let trust = await readClusterTrust(api, AbortSignal.any([signal, AbortSignal.timeout(clusterMs)])).catch((error: unknown) => {
    if (!isTolerant) throw error;
    logError(
      "the trust of the cluster cannot be read: no front proxy and no client certificate of the cluster is trusted",
      error,
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
        logInfo("the trust that the cluster publishes has changed and is active");
      };
      const failed = (reason: string) => logError("the trust that the cluster publishes cannot be followed; it is tried again", { reason });
      void followClusterTrust({ api, clock: systemClock, random: Math.random, signal, failed }, take);
    },
  };
}

function clusterApi(client: PartClient): ClusterApi {
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
        const { status } = error as { readonly status?: unknown };
        throw error instanceof Error && typeof status === "number" ? new ClusterError(status, error.message) : error;
      }
    },
  };
}
