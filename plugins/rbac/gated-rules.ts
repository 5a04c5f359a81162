/** Default roles, and rules of others, that are there only while a feature gate is on, as kube-apiserver's. */
import type { ControllerContext } from "../../plugin.ts";
import { spell, systemGroups } from "../../toolbox.ts";
import { core, type DefaultBinding, type DefaultRole, events, namedRule, read, rule } from "./policy-rules.ts";
import type { PolicyRule } from "./schema.ts";

const certificates = "certificates.{domain}", devices = "resource.{domain}", internal = "internal.apiserver.{domain}";

type GatedRule = readonly [gate: string, rule: PolicyRule];

const gatedRules: Readonly<Record<string, readonly GatedRule[]>> = Object.freeze({
  "system:kube-scheduler": [
    ["DRAExtendedResource", rule(["create", "delete"], "resource.{domain}", "resourceclaims")],
    ["DRADeviceTaintRules", rule(read, "resource.{domain}", "devicetaintrules")],
    ["GenericWorkload", rule(read, "scheduling.{domain}", "workloads")],
  ],
  "system:controller:device-taint-eviction-controller": [
    ["DRADeviceTaintRules", rule(["update", "patch"], "resource.{domain}", "devicetaintrules/status")],
    ["DRADeviceTaintRules", rule(read, "resource.{domain}", "devicetaintrules")],
  ],
  "system:node": [
    ["ClusterTrustBundle", rule(read, "certificates.{domain}", "clustertrustbundles")],
    ["PodCertificateRequest", rule([...read, "create"], "certificates.{domain}", "podcertificaterequests")],
  ],
});

/** A kind of each plugin whose gates are used here, by these gates. */
const kinds: Readonly<Record<string, readonly [group: string, plural: string]>> = Object.freeze({
  DRAExtendedResource: [devices, "resourceclaims"],
  DRADeviceTaintRules: [devices, "resourceclaims"],
  DRADeviceTaints: [devices, "resourceclaims"],
  GenericWorkload: ["scheduling.{domain}", "priorityclasses"],
  ClusterTrustBundle: [certificates, "certificatesigningrequests"],
  PodCertificateRequest: [certificates, "certificatesigningrequests"],
  StorageVersionAPI: [internal, "storageversions"],
});

/** The gates of a server, of which those of plugins that are not active are off: the server does not know them. */
export function gatesOf(
  { gates, isDeclared, names }: Pick<ControllerContext, "gates" | "isDeclared" | "names">,
): (gate: string) => boolean {
  return (gate) => {
    const [group, plural] = kinds[gate] ?? [];
    return (group === undefined || plural === undefined || isDeclared(spell(names, group), plural)) && gates(gate);
  };
}

/** A role that needs a gate, and whom it is bound to. The rights of a controller have the name of its account. */
type GatedRole =
  & { readonly gate: string; readonly rules: readonly PolicyRule[] }
  & (
    | { readonly account: string }
    | { readonly name: string; readonly groups: readonly string[] }
  );

const gatedRoles: readonly GatedRole[] = Object.freeze<GatedRole[]>([
  {
    gate: "DRADeviceTaints",
    account: "device-taint-eviction-controller",
    rules: [
      rule([...read, "delete"], core, "pods"),
      rule(["update", "patch"], core, "pods/status"),
      rule(read, devices, "resourceclaims"),
      rule(read, devices, "resourceslices"),
      rule(read, devices, "deviceclasses"),
      events,
    ],
  },
  {
    gate: "PodCertificateRequest",
    account: "podcertificaterequestcleaner",
    rules: [rule([...read, "delete"], certificates, "podcertificaterequests")],
  },
  {
    gate: "ClusterTrustBundle",
    account: "kube-apiserver-serving-clustertrustbundle-publisher",
    rules: [
      namedRule(["attest"], certificates, "signers", "kubernetes.io/kube-apiserver-serving"),
      rule(["create", "update", "delete", "list", "watch"], certificates, "clustertrustbundles"),
      events,
    ],
  },
  {
    gate: "StorageVersionAPI",
    account: "storage-version-garbage-collector",
    rules: [
      rule(read, "coordination.{domain}", "leases"),
      rule([...read, "patch", "update", "delete"], internal, "storageversions"),
      rule(["get", "patch", "update"], internal, "storageversions/status"),
    ],
  },
  {
    gate: "ClusterTrustBundle",
    name: "system:cluster-trust-bundle-discovery",
    groups: [systemGroups.serviceAccounts],
    rules: [rule(read, certificates, "clustertrustbundles")],
  },
]);

/** The roles and bindings of gates that are on. `controllerRole` names the role of a controller by its account. */
export function rolesOfGates(
  gates: (gate: string) => boolean,
  controllerRole: (account: string) => string,
): { readonly roles: readonly DefaultRole[]; readonly bindings: readonly DefaultBinding[] } {
  const on = gatedRoles.filter(({ gate }) => gates(gate)).map((each) => ({
    rules: each.rules,
    ..."account" in each ? { name: controllerRole(each.account), accounts: [each.account] } : { name: each.name, groups: each.groups },
  }));
  return {
    roles: on.map(({ name, rules }) => ({ name, rules })),
    bindings: on.map(({ rules: _, name, ...whom }) => ({ name, role: name, ...whom })),
  };
}

/** The rules of a role with those of gates that are on. */
export function withGatedRules(role: string, rules: readonly PolicyRule[], gates: (gate: string) => boolean): readonly PolicyRule[] {
  const gated = Object.hasOwn(gatedRules, role) ? gatedRules[role]! : [];
  return [...rules, ...gated.filter(([gate]) => gates(gate)).map(([, each]) => each)];
}
