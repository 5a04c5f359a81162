/** Columns of tables. */
import { ageColumn, type ApiObject, type Column, type LabelSelector, nameColumn } from "../../plugin.ts";
import type { MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding } from "./mutating-schema.ts";
import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from "./schema.ts";

type Policy = ValidatingAdmissionPolicy | MutatingAdmissionPolicy;
type Binding = ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding;

/** Returns the columns of both kinds of policies. `counted` is the column with the number of rules. */
function policyColumns<T extends Policy>(counted: Column<T>): readonly Column<T>[] {
  return [
    nameColumn,
    counted,
    {
      name: "ParamKind",
      type: "string",
      description: "API version and kind of the parameters.",
      cell: ({ spec: { paramKind } }) => paramKind === undefined ? "<unset>" : `${paramKind.apiVersion ?? ""}/${paramKind.kind ?? ""}`,
    },
    ageColumn,
  ];
}

export const validatingPolicyColumns: readonly Column<ValidatingAdmissionPolicy>[] = policyColumns<ValidatingAdmissionPolicy>({
  name: "Validations",
  type: "integer",
  description: "The number of expressions that must be true.",
  cell: ({ spec: { validations = [] } }) => validations.length,
});

export const mutatingPolicyColumns: readonly Column<MutatingAdmissionPolicy>[] = policyColumns<MutatingAdmissionPolicy>({
  name: "Mutations",
  type: "integer",
  description: "The number of changes that the policy makes.",
  cell: ({ spec: { mutations = [] } }) => mutations.length,
});

export const bindingColumns: readonly Column<Binding>[] = [
  nameColumn,
  {
    name: "PolicyName",
    type: "string",
    description: "The policy that the binding puts into effect.",
    cell: ({ spec: { policyName = "" } }) => policyName,
  },
  {
    name: "ParamRef",
    type: "string",
    description: "The parameters that the policy gets by this binding.",
    cell: ({ spec: { paramRef } }) => paramRef === undefined ? "<unset>" : shownRef(paramRef),
  },
  ageColumn,
];

function shownRef({ namespace = "", name = "", selector }: NonNullable<Binding["spec"]["paramRef"]>): string {
  if (name !== "") return `${namespace === "" ? "*" : namespace}/${name}`;
  return selector === undefined ? "<unset>" : selectorText(selector);
}

/** Writes the selector as Go's protobuf shows it. */
function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.keys(matchLabels).sort().map((key) => `${key}: ${matchLabels[key]},`).join("");
  const requirements = matchExpressions.map(({ key, operator, values = [] }) =>
    `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`
  ).join("");
  return `&LabelSelector{MatchLabels:map[string]string{${labels}},MatchExpressions:[]LabelSelectorRequirement{${requirements}},}`;
}

export const webhookColumns: readonly Column<ApiObject & { readonly webhooks?: readonly unknown[] }>[] = [
  nameColumn,
  {
    name: "Webhooks",
    type: "integer",
    description: "The number of webhooks in the configuration.",
    cell: ({ webhooks = [] }) => webhooks.length,
  },
  ageColumn,
];
