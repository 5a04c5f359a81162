/** The schemas of mutating policies. They are the same in v1alpha1 and v1beta1, except for one default. */
import { field, type Infer, list, mapBy, object, oneOf, string, structsOf } from "../../plugin.ts";
import { failurePolicies, matchCondition, paramKind, paramRef, reinvocationPolicies, variable } from "./schema.ts";
import { matchResources, namedRule } from "../../core/admission/match-schema.ts";

function expressionOf(structs: ReturnType<typeof structsOf>, name: "ApplyConfiguration" | "JSONPatch", doc: string, expressionDoc: string) {
  return structs(name, { expression: field(1, string, expressionDoc) }, { doc });
}

/** One change of a policy. */
function mutationOf(structs: ReturnType<typeof structsOf>) {
  return structs("Mutation", {
    patchType: field(2, oneOf("ApplyConfiguration", "JSONPatch"), "Which of the two follows.", { required: true }),
    applyConfiguration: field(
      3,
      expressionOf(
        structs,
        "ApplyConfiguration",
        "A change as an object with the fields to set.",
        "An expression in CEL that makes the object: `Object{spec: Object.spec{...}}`. It is merged as by server-side apply.",
      ),
      "A change as an object with the fields to set.",
      { pointer: true },
    ),
    jsonPatch: field(
      4,
      expressionOf(
        structs,
        "JSONPatch",
        "A change as a JSON patch.",
        "An expression in CEL that makes a list of `JSONPatch{op: ..., path: ...}`.",
      ),
      "A change as a JSON patch.",
      { pointer: true },
    ),
  }, { doc: "A change of the object of a request." });
}

/** The kinds of one version. */
function kindsOf(version: "v1alpha1" | "v1beta1") {
  const home = `admissionregistration/${version}`, isAlpha = version === "v1alpha1";
  const struct = structsOf(home);
  const MatchResources = matchResources(struct, namedRule(struct), isAlpha), ParamRef = paramRef(struct, isAlpha);
  const Mutation = mutationOf(struct);
  const Spec = struct("MutatingAdmissionPolicySpec", {
    paramKind: field(1, paramKind(struct), "The kind of the objects that parametrise the policy. Absent: none.", { pointer: true }),
    matchConstraints: field(2, MatchResources, "Which requests the policy covers: creations, updates and connects.", { pointer: true }),
    variables: field(3, list(variable(struct, isAlpha ? {} : { atomic: true })), "Named expressions, in the order of their use."),
    mutations: field(4, list(Mutation), "The changes, in their order."),
    failurePolicy: field(
      5,
      isAlpha ? oneOf(...failurePolicies) : string,
      "What happens when the evaluation fails: Fail rejects the request, Ignore continues without the change.",
      { pointer: true, unpublishedDefault: "Fail" },
    ),
    matchConditions: field(6, mapBy(["name"], matchCondition(struct)), "Further conditions on requests.", {
      patch: { strategy: ["merge"], mergeKey: "name" },
    }),
    reinvocationPolicy: field(
      7,
      oneOf(...reinvocationPolicies),
      "Whether the policy is evaluated again when a later step changes the object: Never or IfNeeded.",
    ),
  }, { doc: "The specification of a policy." });
  const BindingSpec = struct("MutatingAdmissionPolicyBindingSpec", {
    policyName: field(1, string, "Name of the policy."),
    paramRef: field(2, ParamRef, "The objects that parametrise the policy.", { pointer: true }),
    matchResources: field(3, MatchResources, "Narrows the requests that the policy covers.", { pointer: true }),
  }, { doc: "The specification of a binding." });

  return {
    policy: object("MutatingAdmissionPolicy", {
      spec: field(2, Spec, "What the policy changes.", { written: "always" }),
    }, { package: home, doc: "Changes in CEL that are made to the objects of requests. It has effect where a binding names it." }),
    binding: object("MutatingAdmissionPolicyBinding", {
      spec: field(2, BindingSpec, "Where the policy has effect.", { written: "always" }),
    }, { package: home, doc: "Puts a MutatingAdmissionPolicy into effect." }),
  };
}

export const alpha = kindsOf("v1alpha1");
export const beta = kindsOf("v1beta1");

export type MutatingAdmissionPolicy = Infer<typeof beta.policy>;
export type MutatingAdmissionPolicyBinding = Infer<typeof beta.binding>;
export type Mutation = NonNullable<MutatingAdmissionPolicy["spec"]["mutations"]>[number];
