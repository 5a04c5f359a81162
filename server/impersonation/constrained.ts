/**
 * Constrained impersonation (KEP-5284). The modes are tried in this order, the one that worked last for a user first:
 *
 *   associated-node   the node of a service account's own pod, without groups
 *   arbitrary-node    any node
 *   serviceaccount    a service account
 *   user-info         any other user, with UID, groups and extra values
 *   legacy            anybody, by the verb `impersonate` alone
 *
 * In each but the last one a user needs `impersonate-on:MODE:VERB` for the request itself, and `impersonate:MODE` for each part of the impersonated user.
 */
import type { AuthorizationAttributes, Waiting } from "../../core/access.ts";
import { StatusError } from "../../core/status-error.ts";
import { spell } from "../../core/names.ts";
import type { UserInfo } from "../../core/user-info.ts";
import { valueText } from "../../core/value-text.ts";
import { attributesOf, type Decide, forbiddenFor } from "../../kernel/access/authorization/mod.ts";
import type { Impersonate } from "../../kernel/access/impersonation.ts";
import { impersonated } from "./legacy.ts";
import { authorizedUser, type Check, nodeOf } from "./parts.ts";
import { hasImpersonation, serviceAccountOf } from "./requested-user.ts";
import { successes } from "./successes.ts";
import { onlyNameOf, type WantedUser, wantedUserOf } from "./wanted-user.ts";

export interface ConstrainedNeeds {
  readonly decide: Decide;
  /** Returns a hash of texts with a secret key of this server, so that clients cannot find texts with equal hashes. */
  readonly hash: (texts: readonly string[]) => string;
  /** Milliseconds, never decreasing. */
  readonly now: () => number;
}

/** One attempt of a user. */
interface Attempt {
  readonly requestor: UserInfo;
  readonly wanted: WantedUser;
  readonly request: AuthorizationAttributes;
  readonly check: Check;
  /** `authentication.k8s.io`. */
  readonly group: string;
}

interface Found {
  readonly user: UserInfo;
  readonly constraint?: string;
}

/** Undefined if the mode is not for this user. Rejects with 403. */
type Mode = (attempt: Attempt) => Promise<Found | undefined>;

export function constrainedImpersonation(needs: ConstrainedNeeds): Impersonate {
  const modes = modesOf(needs), lastModes = successes<number>(needs.now, Infinity);
  return async (exchange, user, names, info) => {
    if (!hasImpersonation(exchange.headers)) return undefined;
    const wanted = wantedUserOf(exchange.headers);
    if (wanted === undefined) return undefined;
    const attempt = {
      requestor: user,
      wanted,
      request: attributesOf(info),
      check: checkBy(needs.decide, exchange),
      group: spell(names, "authentication.{domain}"),
    };
    const name = needs.hash([user.name]), last = lastModes.get(name), order = modes.map((_, index) => index);
    const tried = last === undefined ? order : [last, ...order.filter((index) => index !== last)];
    let first: unknown;
    for (const index of tried) {
      try {
        const found = await modes[index]!(attempt);
        if (found === undefined) continue;
        if (index !== last) lastModes.set(name, index);
        return { ...found, exchange: impersonated(exchange) };
      } catch (error) {
        if (!(error instanceof StatusError)) throw error;
        first ??= error;
      }
    }
    throw first;
  };
}

function checkBy(decide: Decide, waiting: Waiting): Check {
  return async (user, attributes) => {
    const { verdict, reason, error } = await decide(user, attributes, waiting);
    if (verdict === "allow") return;
    throw forbiddenFor(user, attributes, error === undefined ? reason : reason === "" ? error : `${error}: ${reason}`);
  };
}

function modesOf(needs: ConstrainedNeeds): readonly Mode[] {
  const isNode = ({ wanted }: Attempt) => onlyNameOf(wanted) && nodeOf(wanted.name) !== undefined;
  const isAccount = ({ wanted }: Attempt) => onlyNameOf(wanted) && serviceAccountOf(wanted.name) !== undefined;
  const isOther = ({ wanted: { name } }: Attempt) => nodeOf(name) === undefined && serviceAccountOf(name) === undefined;
  return [
    associatedNode(needs),
    constrained(needs, "arbitrary-node", isNode),
    constrained(needs, "serviceaccount", isAccount),
    constrained(needs, "user-info", isOther),
    async ({ requestor, wanted, check, group }) => ({
      user: await authorizedUser(requestor, wanted, { verb: "impersonate", isConstrained: false, group, check }),
    }),
  ];
}

/** `remembered`: what takes the place of the wanted user in what is remembered. Default: that user. */
function constrained(
  { hash, now }: ConstrainedNeeds,
  mode: string,
  isFor: (attempt: Attempt) => boolean,
  remembered?: WantedUser,
): Mode {
  const constraint = `impersonate:${mode}`, requests = successes<UserInfo>(now), users = successes<UserInfo>(now);
  return async (attempt) => {
    if (!isFor(attempt)) return undefined;
    const { requestor, wanted, request, check, group } = attempt;
    // The name of the requestor, which it cannot choose, is a text of its own.
    const { name, uid, groups, extra } = remembered ?? wanted;
    const ofUser = [requestor.name, valueText([shown(requestor), name, uid, groups, [...extra]])];
    const requestKey = hash([...ofUser, valueText(requestOf(request))]), userKey = hash(ofUser);
    const known = requests.get(requestKey);
    if (known !== undefined) return { user: known, constraint };
    await check(requestor, { ...requestOf(request), verb: `impersonate-on:${mode}:${request.verb}` });
    let user = users.get(userKey);
    if (user === undefined) {
      user = await authorizedUser(requestor, wanted, { verb: constraint, isConstrained: true, group, check });
      users.set(userKey, user);
    }
    requests.set(requestKey, user);
    return { user, constraint };
  };
}

/**
 * A service account that acts as the node of its pod. Authorizers see neither the node nor the extra values of the account, so that one answer is good for
 * all pods of a DaemonSet: that the account runs on this node is checked before.
 */
function associatedNode(needs: ConstrainedNeeds): Mode {
  const mode = constrained(needs, "associated-node", () => true, { name: "system:node:*", uid: "", groups: [], extra: new Map() });
  return async (attempt) => {
    const { requestor, wanted, check } = attempt, node = nodeOf(wanted.name), extra = requestor.extra ?? {};
    if (node === undefined || !onlyNameOf(wanted) || serviceAccountOf(requestor.name) === undefined) return undefined;
    const [own, ...more] = extra["authentication.kubernetes.io/node-name"] ?? [];
    if (own !== node || more.length > 0) return undefined;
    const found = await mode({
      ...attempt,
      requestor: { ...requestor, extra: { "authentication.kubernetes.io/associated-node-keys": Object.keys(extra).toSorted() } },
      check: (user, attributes) =>
        check(user, attributes.verb === "impersonate:associated-node" ? { ...attributes, name: "*" } : attributes),
    });
    return found && { ...found, user: { ...found.user, name: wanted.name } };
  };
}

/** The attributes of a request, without what the request has beside them. */
function requestOf(request: AuthorizationAttributes): AuthorizationAttributes {
  const { isResourceRequest, path, verb, group, version, resource, subresource, namespace, name, fieldSelector, labelSelector } = request;
  return {
    ...{ isResourceRequest, path, verb, group, version, resource, subresource, namespace, name },
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
  };
}

function shown({ name, uid, groups, extra }: UserInfo): readonly unknown[] {
  return [name, uid ?? "", groups, Object.entries(extra ?? {}).toSorted(([one], [other]) => one < other ? -1 : 1)];
}
