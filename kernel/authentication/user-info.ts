/** Who makes a request. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Names that the platform gives by itself. */
export const systemGroups = Object.freeze({
  /** May do everything. */
  masters: "system:masters",
  authenticated: "system:authenticated",
  unauthenticated: "system:unauthenticated",
});
export const anonymousUser: UserInfo = Object.freeze({ name: "system:anonymous", groups: [systemGroups.unauthenticated] });
