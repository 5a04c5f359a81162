/** Requests whose cost comes from what others have stored: policies that are expensive, and columns of tables. */
import type { Before, HostileRequest } from "./hostile-request.ts";
import { doublingPatch } from "./hostile-remote.ts";

const json = "application/json", table = "application/json;as=Table;v=v1;g=meta.k8s.io";
const configMaps = "/api/v1/namespaces/default/configmaps";
const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] };

/** Policies of ten expressions each, every one of 216,000 comparisons: near the bound of one expression. */
function expensivePolicies(count: number): readonly Before[] {
  const sixty = `[${Array.from({ length: 60 }, () => "1")}]`;
  const expression = `${sixty}.all(a, ${sixty}.all(b, ${sixty}.all(c, c >= 0 || object.metadata.name == "x")))`;
  const home = "/apis/admissionregistration.k8s.io/v1";
  return Array.from({ length: count }, (_, index) => ({ metadata: { name: `hostile-${index}` } })).flatMap(({ metadata }): Before[] => {
    const validations = Array.from({ length: 10 }, () => ({ expression }));
    const spec = { failurePolicy: "Ignore", matchConstraints: { resourceRules: [rule] }, validations };
    const binding = { metadata, spec: { policyName: metadata.name, validationActions: ["Warn"] } };
    return [
      { path: `${home}/validatingadmissionpolicies`, body: () => JSON.stringify({ metadata, spec }) },
      { path: `${home}/validatingadmissionpolicybindings`, body: () => JSON.stringify(binding) },
    ];
  });
}

/** A mutating policy for ConfigMaps that are created, and its binding. */
export function mutating(expressions: readonly string[]): readonly Before[] {
  const home = "/apis/admissionregistration.k8s.io/v1beta1", metadata = { name: "hostile" };
  const mutations = expressions.map((expression) => ({ patchType: "JSONPatch", jsonPatch: { expression } }));
  const spec = { matchConstraints: { resourceRules: [rule] }, reinvocationPolicy: "IfNeeded", mutations };
  return [
    { path: `${home}/mutatingadmissionpolicies`, body: () => JSON.stringify({ metadata, spec }) },
    { path: `${home}/mutatingadmissionpolicybindings`, body: () => JSON.stringify({ metadata, spec: { policyName: "hostile" } }) },
  ];
}
export const mutatingFlags = ["--feature-gates=MutatingAdmissionPolicy=true", "--runtime-config=admissionregistration.k8s.io/v1beta1=true"];
/** The operations of a JSON patch as an expression. */
const inCel = (JSON.parse(doublingPatch) as { op: string; path: string; from?: string }[]).map(({ op, path, from }) =>
  from === undefined ? `JSONPatch{op: '${op}', path: '${path}', value: {}}` : `JSONPatch{op: '${op}', from: '${from}', path: '${path}'}`
);

/** A list as a table: `columns` of one path each, over `objects` with a list of `items`. */
function columns(name: string, size: { readonly columns: number; readonly objects: number; readonly items: number }): HostileRequest {
  const group = "example.com",
    additionalPrinterColumns = Array.from({ length: size.columns }, (_, index) => ({
      ...{ name: `c${index}`, type: "string", jsonPath: ".spec.l[?(@.a==1)].b" },
    }));
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const versions = [{ name: "v1", served: true, storage: true, schema, additionalPrinterColumns }];
  const definition = {
    metadata: { name: `columns.${group}` },
    spec: { group, scope: "Cluster", names: { plural: "columns", kind: "Column" }, versions },
  };
  const path = `/apis/${group}/v1/columns`, spec = { l: Array.from({ length: size.items }, () => ({ a: 2 })) };
  const objects = Array.from({ length: size.objects }, (_, index): Before => ({
    path,
    body: () => JSON.stringify({ apiVersion: `${group}/v1`, kind: "Column", metadata: { name: `c${index}` }, spec }),
  }));
  const before = [{ path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body: () => JSON.stringify(definition) }, ...objects];
  return { name, method: "GET", path, type: table, body: () => "", before };
}

const create = { method: "POST", path: configMaps, type: json } as const;
const small = () => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"x"}}`;
export const ruleRequests: readonly HostileRequest[] = Object.freeze([
  { ...create, name: "50 policies near their bounds", body: small, before: expensivePolicies(50) },
  { ...create, name: "a policy's patch whose copies double", body: small, before: mutating([`[${inCel}]`]), flags: mutatingFlags },
  columns("a table of 3,000 columns over 90,000 items", { columns: 3_000, objects: 1, items: 90_000 }),
  columns("a table of 100 columns over 300 objects", { columns: 100, objects: 300, items: 100 }),
]);
