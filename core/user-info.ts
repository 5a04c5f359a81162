/** Who makes a request. */
export interface Caller {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  /** More values about the user, by lower-case key. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}
/** The kernel's name for a `Caller`. */
export type UserInfo = Caller;

/** Names of users and groups that the platform gives by itself. */
export const systemGroups = Object.freeze({
  /** May do everything. */
  masters: "system:masters",
  /** May read metrics and health. */
  monitoring: "system:monitoring",
  authenticated: "system:authenticated",
  unauthenticated: "system:unauthenticated",
  serviceAccounts: "system:serviceaccounts",
});
export const anonymousUser: UserInfo = Object.freeze({ name: "system:anonymous", groups: [systemGroups.unauthenticated] });

/** True for the anonymous user. A certificate may have its name or group, too. */
export function isAnonymous({ name, groups }: UserInfo): boolean {
  return name === anonymousUser.name || groups.includes(systemGroups.unauthenticated);
}
