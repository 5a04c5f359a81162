/** SelfSubjectRulesReview: all rights of the caller in a namespace. */
import { boolean, defineResource, field, type Infer, list, object, StatusError, string, structsOf } from "../../plugin.ts";
import { home } from "./schema.ts";

const struct = structsOf(home);

const ResourceRule = struct("ResourceRule", {
  verbs: field(1, list(string), "Verbs that are allowed. `*` means all.", { required: true }),
  apiGroups: field(2, list(string), "API groups of the resources. `*` means all."),
  resources: field(3, list(string), "Resources, and `resource/subresource`. `*` means all."),
  resourceNames: field(4, list(string), "Names of the objects. Empty means all."),
}, { doc: "Requests about resources that are allowed." });

const NonResourceRule = struct("NonResourceRule", {
  verbs: field(1, list(string), "HTTP methods that are allowed, in lower case. `*` means all.", { required: true }),
  nonResourceURLs: field(2, list(string), "Paths. A path can end with `*`; `*` alone means all."),
}, { doc: "Requests about paths outside of resources that are allowed." });

const SubjectRulesReviewStatus = struct("SubjectRulesReviewStatus", {
  resourceRules: field(1, list(ResourceRule), "Rules about resources, in no particular order. They may repeat each other.", {
    required: true,
    made: true,
  }),
  nonResourceRules: field(2, list(NonResourceRule), "Rules about paths outside of resources.", { required: true, made: true }),
  incomplete: field(3, boolean, "True if an authorizer cannot list its rules.", { required: true }),
  evaluationError: field(4, string, "An error during the evaluation of the rules. Some rules may be missing."),
}, { doc: "The answer of a rules review." });

const SelfSubjectRulesReviewSpec = struct("SelfSubjectRulesReviewSpec", {
  namespace: field(1, string, "Namespace of the rules. Required."),
}, { doc: "The question of a rules review." });

const SelfSubjectRulesReview = object("SelfSubjectRulesReview", {
  spec: field(2, SelfSubjectRulesReviewSpec, "The namespace.", { required: true }),
  status: field(3, SubjectRulesReviewStatus, "Set by the server; a value sent by the client is replaced.", { written: "always" }),
}, {
  package: home,
  doc:
    "Lists what the caller may do in a namespace, for user interfaces. Other programs decide nothing by it; they use SubjectAccessReview.",
});
type SelfSubjectRulesReview = Infer<typeof SelfSubjectRulesReview>;

export const selfSubjectRulesReviews = defineResource<SelfSubjectRulesReview>({
  kind: "SelfSubjectRulesReview",
  scope: "Cluster",
  summary: "Lists what the caller may do in a namespace (`kubectl auth can-i --list`).",
  storedAs: "authorization.{domain}/v1",
  served: { "authorization.{domain}/v1": { schema: SelfSubjectRulesReview, introduced: "1.8" } },
  async handleCreate({ kind, apiVersion, spec: { namespace = "" } }, { caller, access }) {
    if (namespace === "") throw new StatusError("BadRequest", "no namespace on request");
    const { resourceRules, nonResourceRules, incomplete, evaluationError } = await access.rules(caller, namespace);
    return {
      kind,
      apiVersion,
      metadata: {},
      spec: {},
      status: { resourceRules, nonResourceRules, incomplete, ...(evaluationError === "" ? {} : { evaluationError }) },
    };
  },
});
