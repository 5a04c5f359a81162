import { type Case, type KindRules, rule } from "../rule.ts";

const kept = { metadata: { finalizers: ["example.com/test"] } };

function finalizer(at: string, wrong: string): Case {
  return {
    at,
    reason: "Invalid",
    broken: { spec: { finalizers: [wrong] } },
    held: { spec: { finalizers: ["kubernetes", "example.com/b"] } },
  };
}

export const namespace: KindRules = {
  kind: "v1/Namespace",
  path: "/api/v1/namespaces",
  valid: {},
  rules: [
    rule(
      ["spec.finalizers", "create", "Invalid", "each qualifiedName; without slash must be standard"],
      finalizer("spec.finalizers", "a b"),
      finalizer("spec.finalizers", "bare"),
    ),
    rule(
      ["spec.finalizers[i]", "finalize", "Invalid", "same"],
      finalizer("spec.finalizers[0]", "a b"),
      finalizer("spec.finalizers[0]", "bare"),
    ),
    rule(
      ["status.Phase", "status", "Invalid", "must be Active while deletionTimestamp empty"],
      { at: "status.Phase", reason: "Invalid", broken: { status: { phase: "Terminating" } }, held: { status: { phase: "Active" } } },
    ),
    rule(
      ["status.Phase", "status", "Invalid", "must be Terminating once deletionTimestamp set"],
      {
        at: "status.Phase",
        reason: "Invalid",
        prior: kept,
        deleting: true,
        broken: { status: { phase: "Active" } },
        held: { status: { phase: "Terminating" } },
      },
    ),
  ],
};
