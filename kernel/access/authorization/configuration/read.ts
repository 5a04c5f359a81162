/** Parses and validates the text of --authorization-config. */
import { fieldErrorText } from "../../../../core/field-error.ts";
import type { ConfiguredAuthorizer, WebhookSettings } from "../../../config/configured-authorizers.ts";
import { readConfigObject } from "../../../config/config-object.ts";
import { AuthorizationConfiguration, type AuthorizerConfiguration, type Webhook } from "./schema.ts";
import { type ConfigurationContext, millisecondsOf, validateConfiguration } from "./validate.ts";

const versions = Object.freeze(["v1", "v1beta1", "v1alpha1"]);

export interface ReadContext extends ConfigurationContext {
  readonly groupDomain: string;
  /** Types other than Webhook that must be present: those at the start of the server. */
  readonly requiredTypes?: readonly string[];
}

/** Throws an Error that lists every mistake. */
export function readAuthorizationConfiguration(text: string, context: ReadContext): readonly ConfiguredAuthorizer[] {
  const { groupDomain, requiredTypes = [] } = context;
  const configuration = loaded(text, groupDomain);
  fail(validateConfiguration(configuration, context).map(fieldErrorText));
  const { authorizers = [] } = configuration;
  const named = authorizers.filter(({ type }) => type !== "Webhook");
  const missing = requiredTypes.filter((type) => !named.some((each) => each.type === type)).toSorted();
  fail([
    ...named.filter(({ type, name }) => name !== type.toLowerCase()).map(({ type, name }) =>
      `expected name ${type.toLowerCase()} for authorizer ${type} instead of ${name}`
    ),
    ...(missing.length === 0 ? [] : [`missing required types: [${missing.join(" ")}]`]),
  ]);
  return authorizers.map(authorizerOf);
}

function loaded(text: string, groupDomain: string): AuthorizationConfiguration {
  try {
    return readConfigObject<AuthorizationConfiguration>(text, {
      kind: "AuthorizationConfiguration",
      group: `apiserver.config.${groupDomain}`,
      versions,
      schema: AuthorizationConfiguration,
    });
  } catch (error) {
    throw new Error(`failed to load AuthorizationConfiguration from file: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function fail(mistakes: readonly string[]): void {
  const texts = [...new Set(mistakes)];
  if (texts.length > 0) throw new Error(texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`);
}

function authorizerOf({ type, name, webhook }: AuthorizerConfiguration): ConfiguredAuthorizer {
  return { type, name, ...(webhook === undefined ? {} : { webhook: settingsOf(webhook) }) };
}

function settingsOf(webhook: Webhook): WebhookSettings {
  const { cacheAuthorizedRequests = true, cacheUnauthorizedRequests = true, connectionInfo } = webhook;
  return {
    kubeconfig: connectionInfo.kubeConfigFile ?? "in-cluster",
    version: webhook.subjectAccessReviewVersion ?? "v1",
    authorizedMs: cacheAuthorizedRequests ? millisecondsOf(webhook.authorizedTTL ?? "") || 5 * 60_000 : 0,
    unauthorizedMs: cacheUnauthorizedRequests ? millisecondsOf(webhook.unauthorizedTTL ?? "") || 30_000 : 0,
    timeoutMs: millisecondsOf(webhook.timeout ?? ""),
    onFailure: webhook.failurePolicy === "Deny" ? "deny" : "noOpinion",
    matchConditions: (webhook.matchConditions ?? []).map(({ expression = "" }) => expression),
  };
}
