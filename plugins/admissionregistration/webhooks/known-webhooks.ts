/** Keeps the webhooks of all configurations of a kind, in the order in which they are called. */
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
  /** The index of the webhook among all webhooks of the kind. */
  readonly index: number;
  readonly webhook: Webhook;
  /**
   * Returns the address of the webhook. It is made at the first use, so that a configuration that cannot be read fails only its own calls.
   */
  readonly address: () => WebhookAddress;
  /** Returns the conditions of the webhook, which are compiled at the first use; undefined if it has none. */
  readonly conditions: () => CompiledConditions | undefined;
}

/** The parts of a webhook that are made once for each version of its configuration. */
type Derived = Omit<KnownWebhook, "index">;
type WebhookIndex = RuleIndex<KnownWebhook>;

/**
 * Makes a function that reads the webhooks of a resource, `mutatingwebhookconfigurations` or `validatingwebhookconfigurations`. The
 * function returns a Promise only if the configurations are not in memory.
 */
export function knownWebhooks(resource: string): (context: RequestHookContext) => WebhookIndex | Promise<WebhookIndex> {
  const owner = Object.freeze({}), collections = Object.freeze([{ groupVersion, resource }]);
  // The webhooks by configuration. As long as a configuration has not changed, it is the same object.
  const derived = new WeakMap<Configuration, readonly Derived[]>();
  const webhooksOf = (configuration: Configuration) => {
    const known = derived.get(configuration) ?? derivedOf(configuration);
    derived.set(configuration, known);
    return known;
  };
  return ({ server }) =>
    server.derived(owner, collections, ([configurations = []]) => {
      const webhooks = (configurations as readonly Configuration[]).flatMap(webhooksOf); // the objects are of this resource
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
