/**
 * The active chain of authorizers. It follows the configuration:
 *
 *   swap ──> open new authorizers ──> wait until all are ready ──> activate the chain, close removed authorizers
 *
 * Until the first chain is active, only members of system:masters are allowed anything.
 */
import type { Api } from "../../core/api.ts";
import { type ServerClock, systemClock } from "../../core/async.ts";
import type { Authorizer } from "../../core/access.ts";
import type { AuthorizerDefinition } from "../../core/plugin.ts";
import type { StartUp } from "../../health/mod.ts";
import {
  alwaysAllow,
  alwaysDeny,
  type Chain,
  type ChainedAuthorizer,
  chainOf,
  publicInformation,
  systemDiscovery,
  systemMonitoring,
} from "../../kernel/access/authorization/mod.ts";
import { readAccess } from "../../client/kubeconfig.ts";
import { remoteClient } from "../../protocols/remote/remote-client.ts";
import { accessReviews } from "../webhooks/authorization/access-review.ts";
import { type ConditionMeter, matchConditions } from "../webhooks/authorization/match-conditions.ts";
import { tracedClient } from "./traced-client.ts";
import type { ActiveConfig } from "../config/active-config.ts";
import { namesOf } from "../config/plugin-settings.ts";
import type { ConfiguredAuthorizer, WebhookSettings } from "../config/authorization/configured-authorizer.ts";
import { authorizersOfFlags } from "../config/configured-authorizers.ts";
import { describe, type Log } from "../../kernel/observe/log.ts";
import type { KernelRegistry } from "../metrics/metrics.ts";
import type { Tracing } from "../../kernel/observe/tracing.ts";
import type { AuthorizationFile } from "./authorization-file.ts";
import type { ConfigInForce } from "./config-in-force.ts";
import { clusterAuthorizer } from "./delegation.ts";
import { errorLog } from "./error-log.ts";
import { valueText } from "../../core/value-text.ts";

/** The dependencies of the chain. */
export interface AuthorizationNeeds {
  readonly inForce: ConfigInForce;
  readonly registry: KernelRegistry;
  readonly log: Log;
  /** For warnings about the settings. */
  readonly findings: Pick<Log, "info">;
  readonly start: StartUp;
  readonly clock: ServerClock;
  readonly signal: AbortSignal;
  /** The file of --authorization-config, if there is one. */
  readonly file: AuthorizationFile | undefined;
  readonly tracing?: Tracing | undefined;
}

/** The active chain. */
export interface Authorization extends Chain {
  /** Opens the authorizers of the active configuration. `api` acts as a member of system:masters. */
  open(api: Api): void;
  /** Whether an authorizer of the active configuration grants rights by roles. */
  hasRoles(): boolean;
}

/** The start hook that is finished when every authorizer of the first chain is ready. */
export const authorizersHook = "start-authorizers";

/** A running authorizer. The next configuration keeps it if its definition and settings are unchanged. */
interface RunningAuthorizer extends ChainedAuthorizer {
  readonly definition: AuthorizerDefinition | undefined;
  readonly webhook: WebhookSettings | undefined;
  readonly ready: Promise<void>;
  close(): void;
}

/** Part of the chain if no plugin has an authorizer of the configuration; otherwise roles grant these rights. */
const publicRights: readonly ChainedAuthorizer[] = [systemMonitoring, publicInformation, systemDiscovery].map((authorizer) => ({
  type: "",
  name: "",
  authorizer,
}));

export function openAuthorization(needs: AuthorizationNeeds): Authorization {
  const { file } = needs;
  const configured = file === undefined ? authorizersOfConfig : file.configured;
  const opener = new AuthorizationFollower(needs, configured);
  return {
    decide: (user, attributes, waiting) => opener.chain.decide(user, attributes, waiting),
    rules: (user, namespace, only) => opener.chain.rules(user, namespace, only),
    hasRoles() {
      const active = needs.inForce.current();
      return configured(active).some(({ type }) => type === "RBAC" && definitionOf(type, active) !== undefined);
    },
    open(api) {
      const follow = () => opener.follow(needs.inForce.current(), api);
      follow();
      needs.inForce.onSwap(follow);
      file?.onChange(follow);
    },
  };
}

function authorizersOfConfig({ config }: ActiveConfig): readonly ConfiguredAuthorizer[] {
  return authorizersOfFlags(config);
}

class AuthorizationFollower {
  readonly #needs: AuthorizationNeeds;
  readonly #configured: (active: ActiveConfig) => readonly ConfiguredAuthorizer[];
  readonly #failed: (sentence: string, error: unknown) => void;
  #running: readonly RunningAuthorizer[] = [];
  #chain = chainOf([]);

  constructor(needs: AuthorizationNeeds, configured: (active: ActiveConfig) => readonly ConfiguredAuthorizer[]) {
    this.#needs = needs;
    this.#configured = configured;
    this.#failed = errorLog(needs.log);
  }

  get chain(): Chain {
    return this.#chain;
  }

  /** Activates the authorizers of a configuration when they are ready. */
  follow(active: ActiveConfig, api: Api): void {
    const before = this.#running, { log, findings } = this.#needs;
    const next = this.#configured(active).map((each) => before.find((one) => isSame(one, each, active)) ?? this.#opened(each, active, api));
    this.#running = next;
    for (const text of warningsOf(next)) if (!warningsOf(before).includes(text)) findings.info(`Warning: ${text}`);
    this.#whenReady(next, before).catch((error) => log.error("the authorizers cannot follow the configuration", describe(error)));
  }

  async #whenReady(next: readonly RunningAuthorizer[], before: readonly RunningAuthorizer[]): Promise<void> {
    const { registry, log, start, signal } = this.#needs;
    const outcomes = await Promise.allSettled(next.map(({ ready }) => ready));
    // A later configuration may be active already.
    if (this.#running === next && !signal.aborted) {
      const all = next.some(({ authorizer }) => authorizer === missing) ? [...next, ...publicRights] : next;
      this.#chain = chainOf(all, ({ type, name }, decision) => {
        if (type !== "") registry.record.authorizerDecisions.with({ decision, name, type }).add();
      });
    }
    for (const each of before) if (!this.#running.includes(each)) each.close();
    outcomes.forEach((outcome, index) => {
      if (outcome.status === "rejected") log.error(`the authorizer ${next[index]!.name} cannot start`, describe(outcome.reason));
    });
    if (outcomes.every(({ status }) => status === "fulfilled")) start.finished(authorizersHook);
  }

  #opened({ type, name, webhook }: ConfiguredAuthorizer, active: ActiveConfig, api: Api): RunningAuthorizer {
    const { registry, log, signal } = this.#needs;
    const definition = definitionOf(type, active), ready = Promise.resolve();
    const common = { type, name, definition, webhook };
    const ending = new AbortController();
    const running = { ...common, ready, close: () => ending.abort() }, ended = AbortSignal.any([signal, ending.signal]);
    if (type === "Cluster") return { ...running, authorizer: clusterAuthorizer(active.config, { ...this.#needs, signal: ended }) };
    if (webhook !== undefined) return { ...running, authorizer: this.#webhook(name, webhook, active, ended) };
    if (definition === undefined) return { ...running, authorizer: builtIn[type] ?? missing };
    const authorizer = definition.open({
      names: active.catalog.names,
      api,
      metric: registry.metric,
      logError: (sentence, error) => log.error(`authorizer ${name}: ${sentence}`, error === undefined ? {} : describe(error)),
      signal: ended,
    });
    return { ...running, authorizer, ready: authorizer.ready };
  }

  #conditionMeter(name: string): ConditionMeter {
    const { matchConditionErrors, matchConditionExclusions, matchConditionSeconds } = this.#needs.registry.record;
    const labels = { type: "Webhook", name };
    return {
      evaluated: (seconds) => matchConditionSeconds.with(labels).observe(seconds),
      failed: () => matchConditionErrors.with(labels).add(),
      excluded: () => matchConditionExclusions.with(labels).add(),
    };
  }

  #webhook(name: string, settings: WebhookSettings, { config }: ActiveConfig, signal: AbortSignal): Authorizer {
    const { kubeconfig, version, authorizedMs, unauthorizedMs, timeoutMs, onFailure, matchConditions: conditions = [] } = settings;
    const { webhookEvaluations, webhookSeconds, webhookFailOpen } = this.#needs.registry.record;
    const client = remoteClient(() => readAccess(kubeconfig));
    signal.addEventListener("abort", () => client.close(), { once: true });
    return accessReviews({
      name,
      server: {
        client: tracedClient(client, "Call authorization webhook", { authorizer: name }, this.#needs.tracing),
        path: "",
        version,
        domain: namesOf(config).domain,
        timeoutMs,
      },
      cached: { allowedMs: authorizedMs, deniedMs: unauthorizedMs },
      onError: onFailure,
      ...(conditions.length === 0 ? {} : { matches: matchConditions(conditions, this.#conditionMeter(name), systemClock.elapsed) }),
      reports: {
        attempted(_code, milliseconds, result) {
          webhookEvaluations.with({ name, result }).add();
          webhookSeconds.with({ name, result }).observe(milliseconds / 1000);
        },
        failedOpen: (result) => webhookFailOpen.with({ name, result }).add(),
        log: this.#failed,
      },
      // Answers are kept in the time of the server. It is asked again in that of the machine, which the request waits in.
      clock: { ...systemClock, now: this.#needs.clock.elapsed },
      random: Math.random,
      signal,
    });
  }
}

const builtIn: Readonly<Record<string, Authorizer>> = Object.freeze({ AlwaysAllow: alwaysAllow, AlwaysDeny: alwaysDeny });
/** Replaces an authorizer that no active plugin has. */
const missing: Authorizer = Object.freeze<Authorizer>({ name: "", authorize: () => ({ verdict: "noOpinion", reason: "" }) });

function definitionOf(type: string, { catalog: { plugins } }: ActiveConfig): AuthorizerDefinition | undefined {
  return plugins.flatMap(({ authorizers = [] }) => authorizers).find(({ name }) => name === type);
}

function isSame(one: RunningAuthorizer, { type, name, webhook }: ConfiguredAuthorizer, active: ActiveConfig): boolean {
  return one.type === type && one.name === name && one.definition === definitionOf(type, active) &&
    valueText(one.webhook) === valueText(webhook);
}

function warningsOf(authorizers: readonly RunningAuthorizer[]): readonly string[] {
  return authorizers.flatMap(({ type, authorizer }) => {
    if (authorizer === alwaysAllow) {
      return ["the authorization mode AlwaysAllow allows everything to everybody, anonymous requests included"];
    }
    return authorizer === missing ? [`no plugin offers the authorizer ${type}: it allows nothing`] : [];
  });
}
