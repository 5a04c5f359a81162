/** An authenticator of a plugin as one of the chains of requests and of tokens: its failures are its own. */
import { type Clock, within } from "../../../core/async.ts";
import type {
  AuthenticationAnswer,
  AuthenticatorDefinition,
  OpenedAuthenticator,
  RequestToAuthenticate,
  TokenAnswer,
  TokenToAuthenticate,
} from "../../../core/authentication.ts";
import { bound } from "../../../core/bound.ts";
import { reasonOf } from "../../../core/reason-of.ts";
import type { UserInfo } from "../../../core/user-info.ts";
import type { Exchange } from "../../request/exchange.ts";
import { type Authenticator, Refused } from "./authenticate.ts";
import { ownAudiences, type TokenAuthenticator, TokenRefusal } from "../../../core/token-authenticator.ts";

/** Milliseconds that an authenticator of a plugin has for one request or token. */
export const authenticatorMsMax = bound(10_000);

/** What a definition says about reasons and time. */
export type AuthenticatorManner = Pick<AuthenticatorDefinition, "name" | "plainReasons" | "answerMs">;

/**
 * Asks a plugin about requests. An authenticator that throws, has an invalid answer or none in time is reported, and counts as an authenticator that failed. Reasons
 * begin with its name. `report` receives the errors.
 */
export function pluginAuthenticator(
  manner: AuthenticatorManner,
  ask: NonNullable<OpenedAuthenticator["authenticate"]>,
  { clock, report }: { readonly clock: Clock; readonly report: (error: unknown) => void },
): Authenticator {
  const { name } = manner, said = sayer(manner), checked = userChecker(manner);
  return {
    name,
    async authenticate(exchange) {
      try {
        const asked = ask(new SeenRequest(exchange, clock.now()));
        const answer = asked instanceof Promise ? await inTime(asked, manner, clock) : asked;
        if (isNone(answer)) return undefined;
        const refusal = refusalOf(answer);
        return refusal === undefined ? checked(answer) : new Refused(said(refusal));
      } catch (error) {
        report(error);
        throw new Error(said(reasonOf(error)), { cause: error });
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
  manner: AuthenticatorManner,
  ask: NonNullable<OpenedAuthenticator["authenticateToken"]>,
  { clock, audiences }: { readonly clock: Clock; readonly audiences: () => readonly string[] },
): TokenAuthenticator {
  const { name } = manner, said = sayer(manner), checked = userChecker(manner);
  return {
    name,
    cacheable: false,
    async authenticateToken(token, asked, warn) {
      const { user, refusal, own = audiences(), expires } = await answerAbout({ token, audiences: asked, now: clock.now(), warn });
      if (refusal !== undefined) throw new TokenRefusal(said(refusal));
      const shared = ownAudiences(own, asked);
      if (user === undefined || shared === undefined) return undefined;
      return { user, audiences: shared, ...(expires === undefined ? {} : { expires }) };
    },
  };

  async function answerAbout(token: TokenToAuthenticate) {
    try {
      const asked = ask(token);
      const answer = asked instanceof Promise ? await inTime(asked, manner, clock) : asked;
      if (isNone(answer)) return {};
      const refusal = refusalOf(answer);
      if (refusal !== undefined) return { refusal };
      return { user: checked(answer), own: audiencesOf(answer), expires: "expires" in answer ? answer.expires : undefined };
    } catch (error) {
      if (error instanceof TokenRefusal) return { refusal: error.message };
      throw new Error(said(reasonOf(error)), { cause: error });
    }
  }
}

/** The reasons of an authenticator: with its name, if it does not say otherwise. */
function sayer({ name, plainReasons }: AuthenticatorManner): (reason: string) => string {
  return plainReasons === undefined ? (reason) => `${name}: ${reason}` : (reason) => reason;
}

/** The answer; rejects if it takes longer than the authenticator has. */
async function inTime<T>(answer: Promise<T>, { answerMs = authenticatorMsMax }: AuthenticatorManner, clock: Clock): Promise<T> {
  if (answerMs === Infinity) return await answer;
  return await within(answer, answerMs, () => new Error(`no answer after ${answerMs / 1000} s`), clock);
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
  get certificateRefused(): string | undefined {
    return this.#exchange.peerRefused;
  }
  get frontProxy(): RequestToAuthenticate["frontProxy"] {
    return this.#exchange.frontProxy;
  }
  get signal(): AbortSignal {
    return this.#exchange.signal;
  }
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

/** Checks each user once: an authenticator may give the same one for many requests. */
function userChecker({ plainReasons }: AuthenticatorManner): (answer: Given) => UserInfo {
  const valid = new WeakSet<UserInfo>();
  return (answer) => {
    if (!("user" in answer)) throw new Error("the answer has no valid user");
    const { user } = answer;
    if (typeof user === "object" && user !== null && valid.has(user)) return user;
    // kube-apiserver takes keys as its own authenticators have them.
    if (!isUser(user, plainReasons === true)) throw new Error("the answer has no valid user");
    valid.add(user);
    return user;
  };
}

function audiencesOf(answer: Given): readonly string[] | undefined {
  const audiences = "audiences" in answer ? answer.audiences : undefined;
  if (audiences !== undefined && !areTexts(audiences)) throw new Error("the audiences are no list of texts");
  return audiences;
}

function isUser(user: Partial<UserInfo> | undefined, takesAnyKey: boolean): user is UserInfo {
  if (typeof user !== "object" || user === null) return false;
  const { name, uid, groups, extra = {} } = user;
  return typeof name === "string" && name !== "" && (uid === undefined || typeof uid === "string") && areTexts(groups) &&
    typeof extra === "object" && extra !== null &&
    Object.entries(extra).every(([key, values]) => (takesAnyKey || key === key.toLowerCase()) && areTexts(values));
}

function areTexts(values: unknown): boolean {
  return Array.isArray(values) && values.every((value) => typeof value === "string");
}
