import { defineResource } from "../../core/define/define.ts";
import { object } from "../../core/meta/object.ts";
import { field, type Infer, list, plainList, record, string, structsOf } from "../../core/schema.ts";

const home = "authentication/v1";
const struct = structsOf(home);

const UserInfo = struct("UserInfo", {
  username: field(1, string, "The name that sets this user apart from all others."),
  uid: field(2, string, "What sets the user apart from former and later ones of that name."),
  groups: field(3, list(string), "Groups that the user belongs to."),
  extra: field(4, record(plainList(string)), "What else the authenticator knows of the user."),
}, { doc: "Who somebody is." });

const SelfSubjectReviewStatus = struct("SelfSubjectReviewStatus", {
  userInfo: field(1, UserInfo, "Who made the request.", { written: "always" }),
}, { doc: "The server's answer." });

const SelfSubjectReview = object("SelfSubjectReview", {
  status: field(2, SelfSubjectReviewStatus, "The server's answer; what a client sends here does not count.", { written: "always" }),
}, { package: home, doc: "Tells clients as whom the server knows them." });
type SelfSubjectReview = Infer<typeof SelfSubjectReview>;

export const selfSubjectReviews = defineResource<SelfSubjectReview>({
  kind: "SelfSubjectReview",
  scope: "Cluster",
  summary: "Tells clients as whom the server knows them (`kubectl auth whoami`).",
  storedAs: "authentication.{domain}/v1",
  served: { "authentication.{domain}/v1": { schema: SelfSubjectReview, introduced: "1.28" } },
  handleCreate: ({ kind, apiVersion }, { now }, { name, uid, groups, extra }) => ({
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
