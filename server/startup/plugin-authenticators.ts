/**
 * The authenticators of requests: those of the server, and those of the active plugins before or after them. A reload opens those of new plugins
 * and closes those of removed ones; the others keep running.
 */
import type { Api } from "../../core/api.ts";
import { systemClock } from "../../core/async.ts";
import type { AuthenticatorDefinition } from "../../core/authentication.ts";
import { type Authenticator, pluginAuthenticator } from "../../kernel/access/authentication/mod.ts";
import { describe, type Log } from "../../kernel/observe/log.ts";
import type { KernelRegistry } from "../../kernel/observe/metrics.ts";
import type { ActiveConfig } from "../config/active-config.ts";
import type { ConfigInForce } from "./config-in-force.ts";
import { errorLog } from "./error-log.ts";

export interface PluginAuthenticatorsNeeds {
  readonly inForce: ConfigInForce;
  readonly registry: KernelRegistry;
  readonly log: Pick<Log, "error">;
  readonly signal: AbortSignal;
}

export interface PluginAuthenticators {
  /** All authenticators, in the order in which they are asked. Those of plugins are among them after `open`. */
  current(): readonly Authenticator[];
  /** Opens the authenticators of the active plugins. `api` acts as a member of system:masters. */
  open(api: Api): void;
}

interface Running {
  readonly definition: AuthenticatorDefinition;
  readonly authenticator: Authenticator;
  close(): void;
}

/** `own`: the authenticators of the server. */
export function openPluginAuthenticators(own: readonly Authenticator[], needs: PluginAuthenticatorsNeeds): PluginAuthenticators {
  const failed = errorLog(needs.log);
  let running: readonly Running[] = [], all = own;
  const follow = (active: ActiveConfig, api: Api) => {
    const before = running, wanted = active.catalog.plugins.flatMap(({ authenticators = [] }) => authenticators);
    running = wanted.flatMap((definition) =>
      before.find((each) => each.definition === definition) ?? opened(definition, active, api, needs, failed) ?? []
    );
    const [first, last] = [true, undefined].map((runsFirst) =>
      running.filter(({ definition }) => definition.runsFirst === runsFirst).map(({ authenticator }) => authenticator)
    );
    all = [...first!, ...own, ...last!];
    for (const each of before) if (!running.includes(each)) each.close();
  };
  return {
    current: () => all,
    open(api) {
      follow(needs.inForce.current(), api);
      needs.inForce.onSwap((active) => follow(active, api));
    },
  };
}

/** Undefined for an authenticator that cannot start. */
function opened(
  definition: AuthenticatorDefinition,
  { catalog: { names } }: ActiveConfig,
  api: Api,
  { registry: { metric }, log, signal }: PluginAuthenticatorsNeeds,
  failed: (sentence: string, error: unknown) => void,
): Running | undefined {
  const { name } = definition, ending = new AbortController();
  try {
    const authenticator = definition.open({
      names,
      api,
      metric,
      logError: (sentence, error) => log.error(`authenticator ${name}: ${sentence}`, error === undefined ? {} : describe(error)),
      signal: AbortSignal.any([signal, ending.signal]),
    });
    const report = (error: unknown) => failed(`the authenticator ${name} failed`, error);
    return {
      definition,
      authenticator: pluginAuthenticator(name, authenticator, { clock: systemClock, report }),
      close: () => ending.abort(),
    };
  } catch (error) {
    ending.abort();
    log.error(`the authenticator ${name} cannot start`, describe(error));
    return undefined;
  }
}
