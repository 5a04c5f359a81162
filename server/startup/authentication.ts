/**
 * The authenticators of the active plugins, as one chain. Those that the server requires open first; the others when the API can be called. A reload
 * opens those of new plugins and closes those of removed ones; the others keep running.
 */
import type { Api } from "../../core/api.ts";
import { type ServerClock, systemClock } from "../../core/async.ts";
import type {
  AuthenticatorContext,
  AuthenticatorDefinition,
  ClientTrustSource,
  LookUpObject,
  OpenedAuthenticator,
  PublicDocuments,
  TokenIssuer,
} from "../../core/authentication.ts";
import type { FollowedFiles } from "../../core/part.ts";
import type { TokenAuthenticator } from "../../core/token-authenticator.ts";
import {
  anonymousRule,
  type AuthenticateToken,
  authenticateTokens,
  type Authenticator,
  bearerTokens,
  cachedTokens,
  pluginAuthenticator,
  pluginTokens,
} from "../../kernel/access/authentication/mod.ts";
import { describe, type Log } from "../../kernel/observe/log.ts";
import type { KernelRegistry } from "../metrics/metrics.ts";
import type { Tracing } from "../../kernel/observe/tracing.ts";
import type { Exchange } from "../../kernel/request/exchange.ts";
import { type ActiveConfig, differInAppearedOnly } from "../config/active-config.ts";
import { followFiles } from "../config/follow-files.ts";
import { tokenCacheMeter } from "./access-meters.ts";
import type { ConfigInForce } from "./config-in-force.ts";
import { errorLog } from "./error-log.ts";
import { keyedHash } from "./keyed-hash.ts";
import { partWarnings } from "./part-checks.ts";
import { partContext } from "./part-context.ts";

/** All authenticators of a server. */
export interface Authentication {
  /** Of requests, in order. */
  readonly authenticators: () => readonly Authenticator[];
  readonly authenticateToken: AuthenticateToken;
  /** Whether a request without credentials is anonymous. */
  readonly isAnonymous: (exchange: Exchange) => boolean;
  /** Signs tokens of service accounts. Its methods reject if no authenticator does. */
  readonly issuer: TokenIssuer;
  readonly documents: PublicDocuments;
  /** CAs of clients that come from somewhere else than the flags. */
  readonly trust: ClientTrustSource | undefined;
  /** The files of the authenticators that are open; those of later ones are followed when they open. */
  followed(): readonly FollowedFiles[];
  /** Sets the source of objects. */
  lookUpBy(lookUp: LookUpObject): void;
  /** Sets the URL of the server. */
  serveAt(url: string): void;
  /** Opens the other authenticators. `api` acts as a member of system:masters. */
  open(api: Api): void;
  /** Resolves when every authenticator is ready for the first request. */
  ready(): Promise<void>;
  /** Resolves when all work in the background has ended. */
  ended(): Promise<void>;
}

/** The dependencies of `openAuthentication`. */
export interface AuthenticationNeeds {
  readonly inForce: ConfigInForce;
  readonly registry: KernelRegistry;
  readonly log: Log;
  /** For warnings about the settings. */
  readonly findings: Pick<Log, "info">;
  /** The audiences of the server. */
  readonly audiences: () => readonly string[];
  readonly tracing?: Tracing | undefined;
  readonly clock: ServerClock;
  /** Aborts when the server stops. */
  readonly signal: AbortSignal;
}

/** Opens the authenticators that the server requires. Rejects if one cannot be opened. */
export async function openAuthentication(needs: AuthenticationNeeds): Promise<Authentication> {
  const running = new RunningAuthenticators(needs), { inForce, log, audiences } = needs;
  warnOfSettings(needs);
  await running.openRequired();
  const failed = errorLog(log);
  const authenticateToken = authenticateTokens({
    authenticators: () => running.chains.tokens,
    audiences,
    report: (name, error) => failed(`the authenticator ${name} failed`, error),
  });
  const bearer = bearerTokens(authenticateToken);
  running.takeTokensBy(bearer);
  const { trust } = running.some((each) => each.trust !== undefined) ?? {};
  const anonymous = () => running.some((each) => each.anonymous !== undefined)?.anonymous;
  const issuer = (): TokenIssuer => {
    const found = running.some((each) => each.issuer !== undefined)?.issuer;
    if (found === undefined) throw new Error("no authenticator of the active plugins signs tokens of service accounts");
    return found;
  };
  const documents = (): readonly PublicDocuments[] => running.opened().flatMap((each) => each.documents ?? []);
  return {
    authenticators: () => running.chains.requests,
    authenticateToken,
    isAnonymous: anonymousRule(() => anonymous() ?? { enabled: inForce.current().config["anonymous-auth"] }),
    issuer: {
      issue: async (request) => await issuer().issue(request),
      issueLegacy: async (...about) => await issuer().issueLegacy(...about),
    },
    documents: {
      paths: () => documents().flatMap((each) => each.paths()),
      async read(path) {
        const of = documents().find((each) => each.paths().includes(path));
        if (of === undefined) throw new Error(`there is no document at ${path}`);
        return await of.read(path);
      },
    },
    trust,
    followed: () => running.takeFiles(),
    lookUpBy: (lookUp) => running.lookUpBy(lookUp),
    serveAt: (url) => running.serveAt(url),
    open(api) {
      running.callBy(api);
      inForce.onSwap((active) => running.follow(active));
    },
    ready: async () => void await Promise.all(running.opened().map((each) => each.ready?.())),
    ended: async () => void await Promise.all([...running.opened().map((each) => each.ended?.()), ...running.followedFiles]),
  };
}

/** Logs the warnings about settings now, and new ones after each swap of the configuration. */
function warnOfSettings({ inForce, findings }: AuthenticationNeeds): void {
  let known: readonly string[] = [];
  const warn = ({ config, plugins }: ActiveConfig) => {
    const hasNone = config.plugins.length > 0 && plugins.every(({ authenticators = [] }) => authenticators.length === 0);
    const texts = [...(hasNone ? ["no plugin has an authenticator: every request is anonymous"] : []), ...partWarnings(config, plugins)];
    for (const text of texts) if (!known.includes(text)) findings.info(`Warning: ${text}`);
    known = texts;
  };
  warn(inForce.current());
  inForce.onSwap((next, before) => {
    if (!differInAppearedOnly(next, before)) warn(next);
  });
}

/** The authenticators in the order in which they are asked. */
interface Chains {
  readonly requests: readonly Authenticator[];
  readonly tokens: readonly TokenAuthenticator[];
}

/** A running authenticator, or one that is being opened. */
interface Slot {
  readonly definition: AuthenticatorDefinition;
  readonly ending: AbortController;
  opened: {
    readonly parts: OpenedAuthenticator;
    readonly requests: readonly Authenticator[];
    readonly tokens: readonly TokenAuthenticator[];
  } | undefined;
}

class RunningAuthenticators {
  readonly #needs: AuthenticationNeeds;
  readonly #failed: (sentence: string, error: unknown) => void;
  #slots: readonly Slot[] = [];
  #api: Api | undefined;
  #lookUp: LookUpObject = () => Promise.reject(new Error("the store is not open"));
  #address = "";
  #bearer: Authenticator | undefined;
  /** Whether files of further authenticators are to be followed. */
  #followsFiles = false;
  #chains: Chains = { requests: [], tokens: [] };
  /** The files of authenticators that were opened by a reload: when each is no longer followed. */
  readonly followedFiles: Promise<void>[] = [];

  constructor(needs: AuthenticationNeeds) {
    this.#needs = needs;
    this.#failed = errorLog(needs.log);
  }

  get chains(): Chains {
    return this.#chains;
  }

  opened(): readonly OpenedAuthenticator[] {
    return this.#slots.flatMap(({ opened }) => opened?.parts ?? []);
  }

  some(has: (each: OpenedAuthenticator) => boolean): OpenedAuthenticator | undefined {
    return this.opened().find(has);
  }

  async openRequired(): Promise<void> {
    this.#slots = definitionsOf(this.#needs.inForce.current()).filter(({ required }) => required).map(slotOf);
    for (const slot of this.#slots) this.#fill(slot, await slot.definition.open(this.#contextOf(slot)));
  }

  takeTokensBy(bearer: Authenticator): void {
    this.#bearer = bearer;
    this.#arrange();
  }

  lookUpBy(lookUp: LookUpObject): void {
    this.#lookUp = lookUp;
  }

  serveAt(url: string): void {
    this.#address = url;
  }

  /** The files of the authenticators that are open. */
  takeFiles(): readonly FollowedFiles[] {
    this.#followsFiles = true;
    return this.opened().flatMap(({ followed = [] }) => followed);
  }

  callBy(api: Api): void {
    this.#api = api;
    this.follow(this.#needs.inForce.current());
  }

  /** Opens the authenticators of new plugins, and ends those of removed ones. */
  follow(active: ActiveConfig): void {
    const before = this.#slots;
    this.#slots = definitionsOf(active).map((definition) => before.find((each) => each.definition === definition) ?? slotOf(definition));
    for (const slot of this.#slots) if (!before.includes(slot)) this.#open(slot);
    this.#arrange();
    for (const each of before) if (!this.#slots.includes(each)) each.ending.abort();
  }

  #open(slot: Slot): void {
    const refused = (error: unknown) => {
      slot.ending.abort();
      this.#needs.log.error(`the authenticator ${slot.definition.name} cannot start`, describe(error));
    };
    const filled = (opened: OpenedAuthenticator | undefined) => {
      this.#fill(slot, opened);
      if (opened?.followed !== undefined && this.#followsFiles) this.#follow(opened.followed, slot);
    };
    try {
      const opened = slot.definition.open(this.#contextOf(slot));
      if (!(opened instanceof Promise)) return filled(opened);
      opened.then((each) => {
        filled(each);
        this.#arrange();
      }).catch(refused);
    } catch (error) {
      refused(error);
    }
  }

  #follow(followed: readonly FollowedFiles[], { ending }: Slot): void {
    const { log, signal } = this.#needs;
    this.followedFiles.push(followFiles(followed, { log, clock: systemClock, signal: AbortSignal.any([signal, ending.signal]) }).ended);
  }

  #contextOf({ definition: { name, plainReasons }, ending }: Slot): AuthenticatorContext {
    const { inForce, registry: { metric }, clock, log, audiences, tracing, signal } = this.#needs;
    const owner = plainReasons === undefined ? `authenticator ${name}` : "", ended = AbortSignal.any([signal, ending.signal]);
    const needs = {
      current: inForce.current,
      names: () => inForce.current().catalog.names,
      gate: (gate: string) => inForce.current().catalog.gates.isOn(gate),
      clock,
      metric,
      log,
      tracing,
    };
    return {
      ...partContext(owner, needs, ended),
      api: this.#api ?? lateApi(() => this.#api),
      lookUp: (resource, namespace, object) => this.#lookUp(resource, namespace, object),
      audiences,
      address: () => this.#address,
    };
  }

  #fill(slot: Slot, parts: OpenedAuthenticator | undefined): void {
    if (parts === undefined) return;
    const { definition } = slot, { audiences, clock: { now }, registry: { record } } = this.#needs;
    // Answers are waited for in the time of their clients.
    const clock = { ...systemClock, now };
    const report = (error: unknown) => this.#failed(`the authenticator ${definition.name} failed`, error);
    const ask = (request: Parameters<NonNullable<OpenedAuthenticator["authenticate"]>>[0]) => parts.authenticate!(request);
    const askAboutToken = (token: Parameters<NonNullable<OpenedAuthenticator["authenticateToken"]>>[0]) => parts.authenticateToken!(token);
    slot.opened = {
      parts,
      requests: parts.authenticate === undefined ? [] : [pluginAuthenticator(definition, ask, { clock, report })],
      tokens: parts.authenticateToken === undefined
        ? []
        : [cached(pluginTokens(definition, askAboutToken, { clock, audiences }), parts.caching, tokenCacheMeter(record), now)],
    };
  }

  #arrange(): void {
    const open = this.#slots.flatMap(({ definition, opened }) => opened === undefined ? [] : [{ ...definition, ...opened }]);
    const first = open.filter(({ runsFirst }) => runsFirst), others = open.filter(({ runsFirst }) => !runsFirst);
    const requests = (of: typeof open) => of.flatMap((each) => each.requests);
    const tokens = [...first, ...others].flatMap((each) => each.tokens);
    this.#chains = {
      requests: [
        ...requests(first),
        ...requests(others.filter(({ beforeTokens }) => beforeTokens)),
        ...(tokens.length === 0 || this.#bearer === undefined ? [] : [this.#bearer]),
        ...requests(others.filter(({ beforeTokens }) => !beforeTokens)),
      ],
      tokens,
    };
  }
}

function definitionsOf({ catalog: { plugins } }: ActiveConfig): readonly AuthenticatorDefinition[] {
  return plugins.flatMap(({ authenticators = [] }) => authenticators);
}

function slotOf(definition: AuthenticatorDefinition): Slot {
  return { definition, ending: new AbortController(), opened: undefined };
}

/** The API of a server that has not started: its methods throw until it has. */
function lateApi(current: () => Api | undefined): Api {
  return new Proxy({} as Api, { // `as`: the members are those of the API that is there then
    get(_, member) {
      const api = current();
      if (api === undefined) throw new Error("the server has not started");
      return Reflect.get(api, member);
    },
  });
}

type Caching = OpenedAuthenticator["caching"];

/** An authenticator behind the cache that it asks for. Each generation has a cache of its own. */
function cached(
  tokens: TokenAuthenticator,
  caching: Caching,
  meter: ReturnType<typeof tokenCacheMeter>,
  now: () => number,
): TokenAuthenticator {
  if (caching === undefined) return tokens;
  const { acceptedMs, refusedMs, generation = () => 0 } = caching;
  const opened = () => cachedTokens(tokens, { acceptedMs, refusedMs, hash: keyedHash(), now, meter });
  let of = generation(), cache = opened();
  return {
    name: tokens.name,
    authenticateToken(...about) {
      const present = generation();
      if (present !== of) [of, cache] = [present, opened()];
      return cache.authenticateToken(...about);
    },
  };
}
