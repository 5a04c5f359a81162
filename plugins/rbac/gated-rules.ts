/** Rules that default roles have only while a feature gate is on, as kube-apiserver's. */
import { read, rule } from "./policy-rules.ts";
import type { PolicyRule } from "./schema.ts";

type GatedRule = readonly [gate: string, rule: PolicyRule];

const gatedRules: Readonly<Record<string, readonly GatedRule[]>> = Object.freeze({
  "system:kube-scheduler": [
    ["DRAExtendedResource", rule(["create", "delete"], "resource.{domain}", "resourceclaims")],
    ["DRADeviceTaintRules", rule(read, "resource.{domain}", "devicetaintrules")],
    ["GenericWorkload", rule(read, "scheduling.{domain}", "workloads")],
  ],
  "system:node": [
    ["ClusterTrustBundle", rule(read, "certificates.{domain}", "clustertrustbundles")],
    ["PodCertificateRequest", rule([...read, "create"], "certificates.{domain}", "podcertificaterequests")],
  ],
});

/** The rules of a role with those of gates that are on. */
export function withGatedRules(role: string, rules: readonly PolicyRule[], gates: (gate: string) => boolean): readonly PolicyRule[] {
  const gated = Object.hasOwn(gatedRules, role) ? gatedRules[role]! : [];
  return [...rules, ...gated.filter(([gate]) => gates(gate)).map(([, each]) => each)];
}
