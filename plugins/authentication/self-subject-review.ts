import { defineResource, field, type Infer, list, object, plainList, record, string, structsOf } from "../../plugin.ts";

const home = "authentication/v1";
const struct = structsOf(home);

const UserInfo = struct("UserInfo", {
  username: field(1, string, "The name that identifies the user among all active users."),
  uid: field(2, string, "A unique value that distinguishes the user from earlier and later users of the same name."),
  groups: field(3, list(string), "Groups that the user belongs to."),
  extra: field(4, record(plainList(string)), "Additional information from the authenticator."),
}, { doc: "The identity of a user." });

const SelfSubjectReviewStatus = struct("SelfSubjectReviewStatus", {
  userInfo: field(1, UserInfo, "The user that made the request.", { written: "always" }),
}, { doc: "The result of a SelfSubjectReview." });

const SelfSubjectReview = object("SelfSubjectReview", {
  status: field(2, SelfSubjectReviewStatus, "Set by the server; a value sent by the client is ignored.", { written: "always" }),
}, { package: home, doc: "Returns the user that the request is authenticated as." });
type SelfSubjectReview = Infer<typeof SelfSubjectReview>;

export const selfSubjectReviews = defineResource<SelfSubjectReview>({
  kind: "SelfSubjectReview",
  scope: "Cluster",
  summary: "Returns the user that the request is authenticated as (`kubectl auth whoami`).",
  storedAs: "authentication.{domain}/v1",
  served: { "authentication.{domain}/v1": { schema: SelfSubjectReview, introduced: "1.28" } },
  handleCreate: ({ kind, apiVersion }, { now, caller: { name, uid, groups, extra } }) => ({
    kind,
    apiVersion,
    metadata: { creationTimestamp: now },
    status: {
      userInfo: {
        username: name,
        ...(uid === undefined || uid === "" ? {} : { uid }),
        groups,
        ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra }),
      },
    },
  }),
});
