/** An authenticator of a plugin as one of the chains of requests and of tokens: its failures are its own. */
import { type Clock, within } from "../../../core/async.ts";
import type { AuthenticationAnswer, OpenedAuthenticator, RequestToAuthenticate, TokenAnswer } from "../../../core/authentication.ts";
import { bound } from "../../../core/bound.ts";
import { reasonOf } from "../../../core/reason-of.ts";
import type { UserInfo } from "../../../core/user-info.ts";
import type { Exchange } from "../../request/exchange.ts";
import { type Authenticator, Refused } from "./authenticate.ts";
import { type TokenAuthenticator, TokenRefusal } from "./token-authenticator.ts";
import { ownAudiences } from "./token-chain.ts";

/** Milliseconds that an authenticator of a plugin has for one request or token. */
export const authenticatorMsMax = bound(10_000);

/**
 * Asks a plugin about requests. An authenticator that throws, has an invalid answer or none in time is reported, and counts as an authenticator that failed. Reasons
 * begin with its name. `report` receives the errors.
 */
export function pluginAuthenticator(
  name: string,
  ask: NonNullable<OpenedAuthenticator["authenticate"]>,
  { clock, report }: { readonly clock: Clock; readonly report: (error: unknown) => void },
): Authenticator {
  return {
    name,
    async authenticate(exchange) {
      try {
        const answer = await inTime(ask(new SeenRequest(exchange, clock.now())), clock);
        if (isNone(answer)) return undefined;
        const refusal = refusalOf(answer);
        return refusal === undefined ? userOf(answer) : new Refused(`${name}: ${refusal}`);
      } catch (error) {
        report(error);
        throw new Error(`${name}: ${reasonOf(error)}`, { cause: error });
      }
    },
  };
}

/**
 * Asks a plugin about bearer tokens. Failures are thrown: the chain reports them. A token is accepted for the requested audiences that it has; one without
 * audiences is for those of the server.
 *
 * @param audiences the audiences of the server
 */
export function pluginTokens(
  name: string,
  ask: NonNullable<OpenedAuthenticator["authenticateToken"]>,
  { clock, audiences }: { readonly clock: Clock; readonly audiences: () => readonly string[] },
): TokenAuthenticator {
  return {
    name,
    cacheable: false,
    async authenticateToken(token, asked) {
      const { user, refusal, own = audiences() } = await answerAbout(token, asked);
      if (refusal !== undefined) throw new TokenRefusal(`${name}: ${refusal}`);
      const shared = ownAudiences(own, asked);
      return user === undefined || shared === undefined ? undefined : { user, audiences: shared };
    },
  };

  async function answerAbout(token: string, asked: readonly string[]) {
    try {
      const answer = await inTime(ask({ token, audiences: asked, now: clock.now() }), clock);
      if (isNone(answer)) return {};
      const refusal = refusalOf(answer);
      return refusal === undefined ? { user: userOf(answer), own: audiencesOf(answer) } : { refusal };
    } catch (error) {
      throw new Error(`${name}: ${reasonOf(error)}`, { cause: error });
    }
  }
}

/** The answer; rejects if it takes longer than `authenticatorMsMax`. */
async function inTime<T>(answer: Promise<T> | T, clock: Clock): Promise<T> {
  return answer instanceof Promise ? await within(answer, authenticatorMsMax, noAnswer, clock) : answer;
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

// Answers are checked, because a plugin without types can give any value. These functions throw for an invalid one.

type Given = NonNullable<AuthenticationAnswer | TokenAnswer>;

function isNone(answer: Given | undefined): answer is undefined {
  if (answer === undefined) return true;
  if (typeof answer !== "object" || answer === null) throw new Error("the answer is neither a user nor a refusal");
  return false;
}

/** The reason of a refusal; undefined for another answer. */
function refusalOf(answer: Given): string | undefined {
  if (!("refused" in answer)) return undefined;
  if (typeof answer.refused !== "string" || answer.refused === "") throw new Error("the refusal has no reason");
  return answer.refused;
}

function userOf(answer: Given): UserInfo {
  if (!("user" in answer) || !isUser(answer.user)) throw new Error("the answer has no valid user");
  return answer.user;
}

function audiencesOf(answer: Given): readonly string[] | undefined {
  const audiences = "audiences" in answer ? answer.audiences : undefined;
  if (audiences !== undefined && !areTexts(audiences)) throw new Error("the audiences are no list of texts");
  return audiences;
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
