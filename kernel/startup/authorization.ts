/**
 * The chain of authorizers in force. It follows the configuration:
 *
 *   swap ──> authorizers that are new are opened ──> all are ready ──> the next chain is in force, those that left are closed
 *
 * Until the first chain is in force only members of system:masters are allowed anything.
 */
import type { Api } from "../../core/api.ts";
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
} from "../access/authorization/mod.ts";
import type { ActiveConfig } from "../config/active-config.ts";
import { authorizersOfFlags, type ConfiguredAuthorizer } from "../config/configured-authorizers.ts";
import { describe, type Log } from "../observe/log.ts";
import type { KernelRegistry } from "../observe/metrics.ts";
import type { ConfigInForce } from "./config-in-force.ts";

/** What the chain is made with. */
export interface AuthorizationNeeds {
  readonly inForce: ConfigInForce;
  readonly registry: KernelRegistry;
  readonly log: Log;
  readonly start: StartUp;
  readonly signal: AbortSignal;
}

/** The chain in force. */
export interface Authorization extends Chain {
  /** Opens the authorizers of the configuration in force. `api` acts as a member of system:masters. */
  open(api: Api): void;
}

/** The start hook that is finished once every authorizer of the first chain is ready. */
export const authorizersHook = "start-authorizers";

/** An authorizer that runs. `key` is the same for one that another configuration can keep. */
interface RunningAuthorizer extends ChainedAuthorizer {
  readonly key: unknown;
  readonly ready: Promise<void>;
  close(): void;
}

/** In the chain where no plugin offers an authorizer of the configuration: otherwise roles give these rights. */
const publicRights: readonly ChainedAuthorizer[] = [systemMonitoring, publicInformation, systemDiscovery].map((authorizer) => ({
  type: "",
  name: "",
  authorizer,
}));

export function openAuthorization(needs: AuthorizationNeeds): Authorization {
  const { inForce, registry, log, start, signal } = needs;
  let chain = chainOf([]), running: readonly RunningAuthorizer[] = [], last: object = {};

  async function follow(active: ActiveConfig, api: Api): Promise<void> {
    const before = running, turn = last = {};
    const next = authorizersOfFlags(active.config).map((each) =>
      running.find((one) => isSame(one, each, active)) ?? opened(each, active, api)
    );
    running = next;
    for (const text of warningsOf(next)) if (!warningsOf(before).includes(text)) log.info(`Warning: ${text}`);
    const outcomes = await Promise.allSettled(next.map(({ ready }) => ready));
    // The authorizers that a later configuration does not keep are closed by it.
    if (last === turn && !signal.aborted) {
      chain = chainOf(
        next.some(({ authorizer }) => authorizer === missing) ? [...next, ...publicRights] : next,
        ({ type, name }, decision) => {
          if (type !== "") registry.record.authorizerDecisions.with({ decision, name, type }).add();
        },
      );
    }
    for (const each of before) if (!running.includes(each)) each.close();
    outcomes.forEach((outcome, index) => {
      if (outcome.status === "rejected") log.error(`the authorizer ${next[index]!.name} cannot start`, describe(outcome.reason));
    });
    if (outcomes.every(({ status }) => status === "fulfilled")) start.finished(authorizersHook);
  }

  function opened({ type, name }: ConfiguredAuthorizer, active: ActiveConfig, api: Api): RunningAuthorizer {
    const definition = definitionOf(type, active);
    const common = { type, name, key: definition };
    if (definition === undefined) return { ...common, authorizer: builtIn[type] ?? missing, ready: Promise.resolve(), close() {} };
    const ending = new AbortController();
    const authorizer = definition.open({
      names: active.catalog.names,
      api,
      metric: registry.metric,
      logError: (sentence, error) => log.error(`authorizer ${name}: ${sentence}`, error === undefined ? {} : describe(error)),
      signal: AbortSignal.any([signal, ending.signal]),
    });
    return { ...common, authorizer, ready: authorizer.ready, close: () => ending.abort() };
  }

  return {
    decide: (user, attributes) => chain.decide(user, attributes),
    rules: (user, namespace, only) => chain.rules(user, namespace, only),
    open(api) {
      const followed = (active: ActiveConfig) =>
        void follow(active, api).catch((error) => log.error("the authorizers cannot follow the configuration", describe(error)));
      followed(inForce.current());
      inForce.onSwap(followed);
    },
  };
}

const builtIn: Readonly<Record<string, Authorizer>> = Object.freeze({ AlwaysAllow: alwaysAllow, AlwaysDeny: alwaysDeny });
/** In place of an authorizer that no plugin in force offers. */
const missing: Authorizer = Object.freeze<Authorizer>({ name: "", authorize: () => ({ verdict: "noOpinion", reason: "" }) });

function definitionOf(type: string, { catalog: { plugins } }: ActiveConfig): AuthorizerDefinition | undefined {
  return plugins.flatMap(({ authorizers = [] }) => authorizers).find(({ name }) => name === type);
}

function isSame(one: RunningAuthorizer, { type, name }: ConfiguredAuthorizer, active: ActiveConfig): boolean {
  return one.type === type && one.name === name && one.key === definitionOf(type, active);
}

function warningsOf(authorizers: readonly RunningAuthorizer[]): readonly string[] {
  return authorizers.flatMap(({ type, authorizer }) => {
    if (authorizer === alwaysAllow) {
      return ["the authorization mode AlwaysAllow allows everything to everybody, anonymous requests included"];
    }
    return authorizer === missing ? [`no plugin offers the authorizer ${type}: it allows nothing`] : [];
  });
}
