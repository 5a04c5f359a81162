import { type Caller, field, type Infer, list, record, string, structsOf } from "../../plugin.ts";
import { plainList } from "../../toolbox.ts";

export const home = "authentication/v1";
const struct = structsOf(home);

export const UserInfo = struct("UserInfo", {
  username: field(1, string, "The name that identifies the user among all active users."),
  uid: field(2, string, "A unique value that distinguishes the user from earlier and later users of the same name."),
  groups: field(3, list(string), "Groups that the user belongs to."),
  extra: field(4, record(plainList(string)), "Additional information from the authenticator."),
}, { doc: "The identity of a user." });

/** A user in the form of reviews: without an empty uid and empty extra values. */
export function userInfoOf({ name, uid, groups, extra }: Caller): Infer<typeof UserInfo> {
  return {
    username: name,
    ...(uid === undefined || uid === "" ? {} : { uid }),
    groups,
    ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
