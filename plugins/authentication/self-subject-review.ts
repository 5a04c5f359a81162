import { defineResource, field, type Infer, object, structsOf } from "../../plugin.ts";
import { home, UserInfo, userInfoOf } from "./user-info.ts";

const struct = structsOf(home);

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
  handleCreate: ({ kind, apiVersion }, { now, caller }) => ({
    kind,
    apiVersion,
    metadata: { creationTimestamp: now },
    status: { userInfo: userInfoOf(caller) },
  }),
});
