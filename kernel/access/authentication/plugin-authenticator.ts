/** An authenticator of a plugin as one of the chain: its failures are its own. */
import { type Clock, within } from "../../../core/async.ts";
import type { AuthenticationAnswer, OpenedAuthenticator, RequestToAuthenticate } from "../../../core/authentication.ts";
import { bound } from "../../../core/bound.ts";
import { reasonOf } from "../../../core/reason-of.ts";
import type { UserInfo } from "../../../core/user-info.ts";
import type { Exchange } from "../../request/exchange.ts";
import { type Authenticator, Refused } from "./authenticate.ts";

/** Milliseconds that an authenticator of a plugin has for one request. */
export const authenticatorMsMax = bound(10_000);

/** What the authenticator needs besides the plugin's. */
export interface PluginAuthenticatorNeeds {
  readonly clock: Clock;
  /** Receives the errors of the authenticator. */
  readonly report: (error: unknown) => void;
}

/**
 * Asks the authenticator of a plugin. One that throws, has an invalid answer or none in time is reported, and counts as an authenticator that failed. Reasons
 * begin with its name.
 */
export function pluginAuthenticator(name: string, opened: OpenedAuthenticator, { clock, report }: PluginAuthenticatorNeeds): Authenticator {
  return {
    name,
    async authenticate(exchange) {
      try {
        const answer = opened.authenticate(new SeenRequest(exchange, clock.now()));
        const inTime = answer instanceof Promise ? await within(answer, authenticatorMsMax, noAnswer, clock) : answer;
        return userOrRefusal(name, inTime);
      } catch (error) {
        report(error);
        throw new Error(`${name}: ${reasonOf(error)}`, { cause: error });
      }
    },
  };
}

/** The view of an exchange. Its signal is made at the first use. */
class SeenRequest implements RequestToAuthenticate {
  readonly #exchange: Exchange;
  readonly now: number;
  constructor(exchange: Exchange, now: number) {
    this.#exchange = exchange;
    this.now = now;
  }
  get method(): string {
    return this.#exchange.method;
  }
  get url(): string {
    return this.#exchange.url;
  }
  get headers(): RequestToAuthenticate["headers"] {
    return this.#exchange.headers;
  }
  get certificate(): RequestToAuthenticate["certificate"] {
    return this.#exchange.peer;
  }
  get signal(): AbortSignal {
    return this.#exchange.signal;
  }
}

function noAnswer(): Error {
  return new Error(`no answer after ${authenticatorMsMax / 1000} s`);
}

/** Checks the answer, because a plugin without types can give any value. Throws for an invalid one. */
function userOrRefusal(name: string, answer: AuthenticationAnswer): UserInfo | Refused | undefined {
  if (answer === undefined) return undefined;
  if (typeof answer !== "object" || answer === null) throw new Error("the answer is neither a user nor a refusal");
  if ("refused" in answer) {
    if (typeof answer.refused !== "string" || answer.refused === "") throw new Error("the refusal has no reason");
    return new Refused(`${name}: ${answer.refused}`);
  }
  const { user } = answer;
  if (!isUser(user)) throw new Error("the answer has no valid user");
  return user;
}

function isUser(user: Partial<UserInfo> | undefined): user is UserInfo {
  if (typeof user !== "object" || user === null) return false;
  const { name, uid, groups, extra = {} } = user;
  return typeof name === "string" && name !== "" && (uid === undefined || typeof uid === "string") && areTexts(groups) &&
    typeof extra === "object" && extra !== null &&
    Object.entries(extra).every(([key, values]) => key === key.toLowerCase() && areTexts(values));
}

function areTexts(values: unknown): boolean {
  return Array.isArray(values) && values.every((value) => typeof value === "string");
}
