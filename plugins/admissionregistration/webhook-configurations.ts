import { defineResource, type Resource } from "../../plugin.ts";
import { metaRulesOf, type Strategy, validateObjectMeta } from "../../toolbox.ts";
import { webhookColumns } from "./columns.ts";
import { groupVersion, MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "./schema.ts";
import { validateWebhooks, type Webhook } from "./validate/webhook.ts";

export const strategy: Strategy = Object.freeze<Strategy>({ unconditionalUpdate: false, generation: "exact" });
export const categories: readonly string[] = Object.freeze(["api-extensions"]);

export const validatingWebhookConfigurations: Resource<ValidatingWebhookConfiguration> = defineResource<ValidatingWebhookConfiguration>({
  kind: "ValidatingWebhookConfiguration",
  scope: "Cluster",
  categories,
  summary: "Webhooks that accept or reject requests without changing them.",
  storedAs: groupVersion,
  storedUnder: "validatingwebhookconfigurations",
  served: { [groupVersion]: { schema: ValidatingWebhookConfiguration, introduced: "1.16", columns: webhookColumns } },
  strategy,
  create: ({ webhooks }, context) => validateWebhooks(webhooks as readonly Webhook[] | undefined, undefined, context),
  update: (next, prior, context) => [
    ...validateObjectMeta(next.metadata, metaRulesOf(validatingWebhookConfigurations, context.names)),
    ...validateWebhooks(next.webhooks as readonly Webhook[] | undefined, (prior.webhooks ?? []) as readonly Webhook[], context),
  ],
});

export const mutatingWebhookConfigurations: Resource<MutatingWebhookConfiguration> = defineResource<MutatingWebhookConfiguration>({
  kind: "MutatingWebhookConfiguration",
  scope: "Cluster",
  categories,
  summary: "Webhooks that may change objects, and accept or reject requests.",
  storedAs: groupVersion,
  storedUnder: "mutatingwebhookconfigurations",
  served: { [groupVersion]: { schema: MutatingWebhookConfiguration, introduced: "1.16", columns: webhookColumns } },
  strategy,
  create: ({ webhooks }, context) => validateWebhooks(webhooks as readonly Webhook[] | undefined, undefined, context),
  update: (next, prior, context) => [
    ...validateObjectMeta(next.metadata, metaRulesOf(mutatingWebhookConfigurations, context.names)),
    ...validateWebhooks(next.webhooks as readonly Webhook[] | undefined, (prior.webhooks ?? []) as readonly Webhook[], context),
  ],
});
