/** Bootstrap tokens: Secrets of the type `bootstrap.kubernetes.io/token` in kube-system, with which nodes join a cluster (KEP-130). */
import type { AuthenticatorDefinition, LookUpObject } from "../../core/authentication.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { bytesOf } from "../../core/scalars/base64.ts";
import { ownAudiences, type TokenAuthenticator } from "../../core/token-authenticator.ts";
import { answersOf } from "./answers.ts";

const flag = { name: "enable-bootstrap-token-auth", kind: "bool" } as const;
/** Upstream's name, independent of the group domain. */
const secretType = "bootstrap.kubernetes.io/token";
const everyGroup = "system:bootstrappers";

interface Secret extends ApiObject {
  readonly type?: string;
  readonly data?: Readonly<Record<string, Parameters<typeof bytesOf>[0]>>;
}

export interface BootstrapNeeds {
  readonly enabled: () => boolean;
  readonly lookUp: LookUpObject;
  readonly audiences: () => readonly string[];
  /** A keyed hash, so that the comparison of secrets takes the same time for each. */
  readonly hash: (text: string) => string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * The user `system:bootstrap:<id>` of a token `<id>.<secret>`, in the group `system:bootstrappers` and those that the Secret names. As upstream, a token whose
 * Secret is not valid for it is one of another kind: there is no reason why it is refused.
 */
export function bootstrapTokens({ enabled, lookUp, audiences, hash, now }: BootstrapNeeds): TokenAuthenticator {
  return {
    name: "bootstraptoken",
    cacheable: false,
    async authenticateToken(token, asked) {
      const [, id, secret] = /^([a-z0-9]{6})\.([a-z0-9]{16})$/.exec(token) ?? [];
      if (id === undefined || secret === undefined || !enabled()) return undefined;
      const found = await lookUp<Secret>("secrets", "kube-system", `bootstrap-token-${id}`);
      if (found === undefined) return undefined;
      const { object } = found, { data = {}, type, metadata } = object;
      const value = (key: string) => new TextDecoder().decode(Object.hasOwn(data, key) ? bytesOf(data[key]!) : undefined);
      if (metadata.deletionTimestamp !== undefined || type !== secretType) return undefined;
      if (hash(value("token-secret")) !== hash(secret) || value("token-id") !== id) return undefined;
      if (isOver(value("expiration"), now()) || value("usage-bootstrap-authentication") !== "true") return undefined;
      const groups = groupsOf(value("auth-extra-groups")), shared = ownAudiences(audiences(), asked);
      return groups === undefined || shared === undefined
        ? undefined
        : { user: { name: `system:bootstrap:${id}`, groups }, audiences: shared };
    },
  };
}

/** A time that cannot be read is over. */
function isOver(expiration: string, now: number): boolean {
  if (expiration === "") return false;
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(expiration);
  // Negated, so that a day which does not exist is over as well.
  return !isTime || !(Date.parse(expiration) > now);
}

/** Sorted, each once; undefined if one of them is none for such tokens. */
function groupsOf(text: string): readonly string[] | undefined {
  const more = text === "" ? [] : text.split(",");
  if (!more.every((group) => /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/.test(group))) return undefined;
  return [...new Set([everyGroup, ...more])].toSorted();
}

/** The authenticator `bootstraptoken`. */
export const bootstrap: AuthenticatorDefinition = {
  name: "bootstraptoken",
  summary: "Tokens of bootstrap.kubernetes.io Secrets, with --enable-bootstrap-token-auth.",
  plainReasons: true,
  open: ({ setting, clock, lookUp, audiences, crypto }) => ({
    authenticateToken: answersOf(bootstrapTokens({
      enabled: () => setting(flag),
      lookUp,
      audiences,
      hash: (text) => crypto.keyedHash([text]),
      now: clock.now,
    })),
  }),
};
