/** The webhooks of all configurations of a kind, in the order in which they are called. */
import type { RequestHookContext } from "../../../plugin.ts";
import { RuleIndex, type WebhookAddress } from "../../../toolbox.ts";
import { addressOf } from "../../shared/webhook-address.ts";
import { type CompiledConditions, compiledConditions } from "../conditions/match-conditions.ts";
import { groupVersion, type MutatingWebhookConfiguration, type ValidatingWebhookConfiguration } from "../schema.ts";
import type { Webhook } from "../validate/webhook.ts";

type Configuration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

/** A webhook of a configuration. */
export interface KnownWebhook {
  /** `configuration/name/number`; the number distinguishes webhooks with the same name. */
  readonly id: string;
  readonly configuration: string;
  /** Place among all webhooks of the kind. */
  readonly index: number;
  readonly webhook: Webhook;
  /** Made at the first use, so that a configuration that cannot be read fails its own calls only. */
  readonly address: () => WebhookAddress;
  /** Compiled at the first use; undefined for a webhook without conditions. */
  readonly conditions: () => CompiledConditions | undefined;
}

/** The parts of webhooks that are made once for each version of a configuration. */
type Derived = Omit<KnownWebhook, "index">;
type WebhookIndex = RuleIndex<KnownWebhook>;

/**
 * Reads the webhooks of a resource, `mutatingwebhookconfigurations` or `validatingwebhookconfigurations`. The result of the function is not
 * a Promise if the configurations are in memory.
 */
export function knownWebhooks(resource: string): (context: RequestHookContext) => WebhookIndex | Promise<WebhookIndex> {
  const owner = Object.freeze({}), collections = Object.freeze([{ groupVersion, resource }]);
  // A configuration that has not changed is the same value.
  const derived = new WeakMap<Configuration, readonly Derived[]>();
  const webhooksOf = (configuration: Configuration) => {
    const known = derived.get(configuration) ?? derivedOf(configuration);
    derived.set(configuration, known);
    return known;
  };
  return ({ server }) =>
    server.derived(owner, collections, ([configurations = []]) => {
      const webhooks = (configurations as readonly Configuration[]).flatMap(webhooksOf); // of that resource
      return new RuleIndex(webhooks.map((webhook, index) => ({ ...webhook, index })), ({ webhook: { rules } }) => rules);
    });
}

function derivedOf({ metadata: { name: configuration = "" }, webhooks = [] }: Configuration): readonly Derived[] {
  const numbers = new Map<string, number>();
  return (webhooks as readonly Webhook[]).map((webhook) => {
    const { name, clientConfig, matchConditions = [] } = webhook, number = numbers.get(name) ?? 0;
    numbers.set(name, number + 1);
    let compiled: CompiledConditions | undefined, address: WebhookAddress | undefined;
    return {
      id: `${configuration}/${name}/${number}`,
      configuration,
      webhook,
      address: () => address ??= addressOf(clientConfig),
      conditions: () => matchConditions.length === 0 ? undefined : compiled ??= compiledConditions(matchConditions, false),
    };
  });
}
