/** The file of --authorization-config: AuthorizationConfiguration (KEP-3221). */
import { boolean, duration, field, type Infer, list, string, struct } from "../../../core/schema.ts";

const text = (doc: string) => field(0, string, doc);

const ConnectionInfo = struct("WebhookConnectionInfo", {
  type: text("KubeConfigFile or InClusterConfig."),
  kubeConfigFile: field(0, string, "Absolute path of the kubeconfig of the webhook.", { pointer: true }),
});
const MatchCondition = struct("WebhookMatchCondition", { expression: text("A CEL expression over `request` that must be true.") });
const Webhook = struct("WebhookConfiguration", {
  authorizedTTL: field(0, duration, "Time for which answers that allow are remembered. Default 5m."),
  cacheAuthorizedRequests: field(0, boolean, "Whether answers that allow are remembered. Default true.", { pointer: true }),
  unauthorizedTTL: field(0, duration, "Time for which other answers are remembered. Default 30s."),
  cacheUnauthorizedRequests: field(0, boolean, "Whether other responses are cached. Default true.", { pointer: true }),
  timeout: field(0, duration, "Time for one request, up to 30s."),
  subjectAccessReviewVersion: text("v1 or v1beta1."),
  matchConditionSubjectAccessReviewVersion: text("v1; required with match conditions."),
  failurePolicy: text("The decision if the webhook cannot be reached: NoOpinion or Deny."),
  connectionInfo: field(0, ConnectionInfo, "How the webhook is reached.", { written: "always" }),
  matchConditions: field(0, list(MatchCondition), "Conditions of the requests that are sent to the webhook. Empty: all requests."),
});
export type Webhook = Infer<typeof Webhook>;
const AuthorizerConfiguration = struct("AuthorizerConfiguration", {
  type: field(0, string, "Type of the authorizer, as --authorization-mode names it.", { written: "always" }),
  name: field(0, string, "Its name in metrics; for types other than Webhook the type in lower case.", { written: "always" }),
  webhook: field(0, Webhook, "Settings of a webhook.", { pointer: true }),
});
export type AuthorizerConfiguration = Infer<typeof AuthorizerConfiguration>;
export const AuthorizationConfiguration = Object.freeze(
  {
    ...struct("AuthorizationConfiguration", {
      authorizers: field(0, list(AuthorizerConfiguration), "The authorizers in the order in which they are called."),
    }),
    typeMeta: true,
  } as const,
);
export interface AuthorizationConfiguration {
  readonly authorizers?: readonly AuthorizerConfiguration[];
}
