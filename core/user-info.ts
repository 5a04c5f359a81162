import type { Caller } from "./plugin.ts";

/** Who makes a request. */
export type UserInfo = Caller;

/** Names that the platform gives by itself. */
export const systemGroups = Object.freeze({
  /** May do everything. */
  masters: "system:masters",
  /** May read metrics and health. */
  monitoring: "system:monitoring",
  authenticated: "system:authenticated",
  unauthenticated: "system:unauthenticated",
});
export const anonymousUser: UserInfo = Object.freeze({ name: "system:anonymous", groups: [systemGroups.unauthenticated] });

/** Nobody who is known. A certificate may say so of its bearer, too. */
export function isAnonymous({ name, groups }: UserInfo): boolean {
  return name === anonymousUser.name || groups.includes(systemGroups.unauthenticated);
}
