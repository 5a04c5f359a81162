/** What the chain of authorizers is made of, whether flags or a file say it. */

/** An authorizer of the chain. */
export interface ConfiguredAuthorizer {
  /** `AlwaysAllow`, `AlwaysDeny`, `Webhook`, or the name of a plugin's authorizer. */
  readonly type: string;
  /** The name of the authorizer in metrics and in errors. */
  readonly name: string;
  /** The settings of an authorizer of type `Webhook`. */
  readonly webhook?: WebhookSettings;
}

/** Settings of a webhook's requests. Times are in milliseconds. */
export interface WebhookSettings {
  /** Path of the kubeconfig file, or `in-cluster`. */
  readonly kubeconfig: string;
  /** Version of the SubjectAccessReviews: v1 or v1beta1. */
  readonly version: string;
  /** Time for which answers that allow are cached, and other answers; 0 disables the cache. */
  readonly authorizedMs: number;
  readonly unauthorizedMs: number;
  /** Timeout of one request. */
  readonly timeoutMs: number;
  /** The decision if the webhook fails. */
  readonly onFailure: "deny" | "noOpinion";
  /** Expressions in CEL, all of which must be true of a request that is sent. Default: none. */
  readonly matchConditions?: readonly string[];
}
