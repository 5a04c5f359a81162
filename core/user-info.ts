/** The user of a request. */
export interface Caller {
  /** The unique name, such as `jane` or `system:serviceaccount:default:builder`. */
  readonly name: string;
  /** An identifier that differs between users who had the same name at different times. Absent if the authenticator has none. */
  readonly uid?: string;
  /** The groups, with `system:authenticated` or `system:unauthenticated`. */
  readonly groups: readonly string[];
  /** Additional values of the user, by lower-case key. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}
/** The user of a request: another name of `Caller`. */
export type UserInfo = Caller;

/** The type of `systemGroups`. */
export interface SystemGroups {
  /** Has all permissions. */
  readonly masters: "system:masters";
  /** May read metrics and health. */
  readonly monitoring: "system:monitoring";
  /** All users with accepted credentials. */
  readonly authenticated: "system:authenticated";
  /** Requests without credentials. */
  readonly unauthenticated: "system:unauthenticated";
  /** All service accounts. Those of one namespace are `system:serviceaccounts:<namespace>`. */
  readonly serviceAccounts: "system:serviceaccounts";
}
/** Names of the groups of the platform. */
export const systemGroups: SystemGroups = Object.freeze({
  masters: "system:masters",
  monitoring: "system:monitoring",
  authenticated: "system:authenticated",
  unauthenticated: "system:unauthenticated",
  serviceAccounts: "system:serviceaccounts",
});
export const anonymousUser: UserInfo = Object.freeze({ name: "system:anonymous", groups: [systemGroups.unauthenticated] });

/** True for the anonymous user. A certificate can also have its name or group. */
export function isAnonymous({ name, groups }: UserInfo): boolean {
  return name === anonymousUser.name || groups.includes(systemGroups.unauthenticated);
}
