/** Parses and validates the text of --authorization-config. */
import { fieldErrorText } from "../../../core/field-error.ts";
import type { ConfiguredAuthorizer, WebhookSettings } from "./configured-authorizer.ts";
import { decodeConfigObject, type ReadConfig } from "../../../core/config/config-object.ts";
import { type Fault, faultsOfFields, FaultyText } from "../../../core/config/mistake.ts";
import { AuthorizationConfiguration, type AuthorizerConfiguration, type Webhook } from "./schema.ts";
import { type ConfigurationContext, millisecondsOf, validateConfiguration } from "./validate.ts";

const versions = Object.freeze(["v1", "v1beta1", "v1alpha1"]);

export interface ReadContext extends ConfigurationContext {
  readonly groupDomain: string;
  /** Types other than Webhook that must be present: those at the start of the server. */
  readonly requiredTypes?: readonly string[];
}

/** Throws a FaultyText with every mistake. */
export function readAuthorizationConfiguration(text: string, context: ReadContext): readonly ConfiguredAuthorizer[] {
  const { groupDomain, requiredTypes = [] } = context;
  const { object: configuration, error } = loaded(text, groupDomain);
  const errors = configuration === undefined ? [] : validateConfiguration(configuration, context),
    { authorizers = [] } = configuration ?? {};
  const types = authorizers.flatMap(({ type }) => type === "Webhook" ? [] : [type]);
  const missing = requiredTypes.filter((type) => !types.includes(type)).toSorted();
  const rules: readonly Fault[] = [
    ...authorizers.flatMap(({ type, name }, index) =>
      type === "Webhook" || name === "" || !context.types.includes(type) || name === type.toLowerCase() ? [] : [{
        text: `expected name ${type.toLowerCase()} for authorizer ${type} instead of ${name}`,
        path: `authorizers[${index}].name`,
      }]
    ),
    ...(missing.length === 0 ? [] : [{ text: `missing required types: [${missing.join(" ")}]`, path: "authorizers" }]),
  ];
  if (error !== undefined) throw error.and([...faultsOfFields(errors), ...rules]);
  // As upstream, the message has the rules of the whole only if each field is valid.
  fail(errors.map(fieldErrorText), [...faultsOfFields(errors), ...rules]);
  fail(rules.map((rule) => rule.text), rules);
  return authorizers.map(authorizerOf);
}

function loaded(text: string, groupDomain: string): ReadConfig<AuthorizationConfiguration> {
  const read = decodeConfigObject<AuthorizationConfiguration>(text, {
    kind: "AuthorizationConfiguration",
    group: `apiserver.config.${groupDomain}`,
    versions,
    schema: AuthorizationConfiguration,
  });
  if (read.error === undefined) return read;
  const { message, faults } = read.error;
  return { ...read, error: new FaultyText(`failed to load AuthorizationConfiguration from file: ${message}`, faults) };
}

function fail(mistakes: readonly string[], faults: readonly Fault[]): void {
  const texts = [...new Set(mistakes)];
  if (texts.length > 0) throw new FaultyText(texts.length === 1 ? texts[0]! : `[${texts.join(", ")}]`, faults);
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
