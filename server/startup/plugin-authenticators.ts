/**
 * The authenticators of the active plugins, before or after those of the server. A reload opens those of new plugins and closes those of removed
 * ones; the others keep running.
 */
import type { Api } from "../../core/api.ts";
import { systemClock } from "../../core/async.ts";
import type { AuthenticatorDefinition } from "../../core/authentication.ts";
import { type Authenticator, pluginAuthenticator, pluginTokens, type TokenAuthenticator } from "../../kernel/access/authentication/mod.ts";
import { describe, type Log } from "../../kernel/observe/log.ts";
import type { KernelRegistry } from "../metrics/metrics.ts";
import type { ActiveConfig } from "../config/active-config.ts";
import type { ConfigInForce } from "./config-in-force.ts";
import { errorLog } from "./error-log.ts";

export interface PluginAuthenticatorsNeeds {
  readonly inForce: ConfigInForce;
  readonly registry: KernelRegistry;
  readonly log: Pick<Log, "error">;
  /** The audiences of the server. */
  readonly audiences: () => readonly string[];
  readonly signal: AbortSignal;
}

export interface PluginAuthenticators {
  /** The authenticators of requests in their order: `own` are those of the server. Plugins have some after `open`. */
  withRequests(own: readonly Authenticator[]): readonly Authenticator[];
  /** As `withRequests`, of bearer tokens. */
  withTokens(own: readonly TokenAuthenticator[]): readonly TokenAuthenticator[];
  /** Opens the authenticators of the active plugins. `api` acts as a member of system:masters. */
  open(api: Api): void;
}

interface Running {
  readonly definition: AuthenticatorDefinition;
  readonly requests: readonly Authenticator[];
  readonly tokens: readonly TokenAuthenticator[];
  close(): void;
}

export function openPluginAuthenticators(needs: PluginAuthenticatorsNeeds): PluginAuthenticators {
  const failed = errorLog(needs.log);
  let running: readonly Running[] = [], first = running, last = running;
  const follow = (active: ActiveConfig, api: Api) => {
    const before = running, wanted = active.catalog.plugins.flatMap(({ authenticators = [] }) => authenticators);
    running = wanted.flatMap((definition) =>
      before.find((each) => each.definition === definition) ?? openOne(definition, active, api, needs, failed) ?? []
    );
    first = running.filter(({ definition }) => definition.runsFirst === true);
    last = running.filter((each) => !first.includes(each));
    for (const each of before) if (!running.includes(each)) each.close();
  };
  return {
    withRequests: (own) =>
      running.length === 0 ? own : [...first.flatMap(({ requests }) => requests), ...own, ...last.flatMap(({ requests }) => requests)],
    withTokens: (own) =>
      running.length === 0 ? own : [...first.flatMap(({ tokens }) => tokens), ...own, ...last.flatMap(({ tokens }) => tokens)],
    open(api) {
      follow(needs.inForce.current(), api);
      needs.inForce.onSwap((active) => follow(active, api));
    },
  };
}

/** Undefined for an authenticator that cannot start. */
function openOne(
  definition: AuthenticatorDefinition,
  { catalog: { names } }: ActiveConfig,
  api: Api,
  { registry: { metric }, log, audiences, signal }: PluginAuthenticatorsNeeds,
  failed: (sentence: string, error: unknown) => void,
): Running | undefined {
  const { name } = definition, ending = new AbortController();
  try {
    const running = definition.open({
      names,
      api,
      metric,
      logError: (sentence, error) => log.error(`authenticator ${name}: ${sentence}`, error === undefined ? {} : describe(error)),
      signal: AbortSignal.any([signal, ending.signal]),
    });
    const report = (error: unknown) => failed(`the authenticator ${name} failed`, error);
    return {
      definition,
      requests: running.authenticate === undefined
        ? []
        : [pluginAuthenticator(name, (request) => running.authenticate!(request), { clock: systemClock, report })],
      tokens: running.authenticateToken === undefined
        ? []
        : [pluginTokens(name, (token) => running.authenticateToken!(token), { clock: systemClock, audiences })],
      close: () => ending.abort(),
    };
  } catch (error) {
    ending.abort();
    log.error(`the authenticator ${name} cannot start`, describe(error));
    return undefined;
  }
}
