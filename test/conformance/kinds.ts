/** The kinds of the life-cycle tests: the smallest valid object of each from the tables of rules, and a valid change. */
import { type Change, merged } from "../validation/rule.ts";
import { tables } from "../validation/tables.ts";

export interface Kind {
  /** Path of the collection. */
  readonly path: string;
  /** The path over all namespaces. */
  readonly everywhere: string;
  /** `leases.coordination.k8s.io`, `secrets`. */
  readonly resource: string;
  readonly valid: Change;
  /** A JSON merge patch beyond metadata; undefined for kinds without other mutable fields. */
  readonly change: Change | undefined;
}

const changes: Readonly<Record<string, Change>> = {
  "configmaps": { data: { key: "value" } },
  "secrets": { data: { key: "dmFsdWU=" } },
  "serviceaccounts": { automountServiceAccountToken: false },
  "podtemplates": { template: { spec: { terminationGracePeriodSeconds: 9 } } },
  "events": { message: "other" },
  "persistentvolumes": { spec: { persistentVolumeReclaimPolicy: "Delete" } },
  "persistentvolumeclaims": { spec: { volumeName: "no-such-volume" } },
  "events.events.k8s.io": { series: { count: 2, lastObservedTime: "2024-01-02T03:04:05.000000Z" } },
  "leases.coordination.k8s.io": { spec: { holderIdentity: "somebody" } },
  "csidrivers.storage.k8s.io": { spec: { requiresRepublish: true } },
  "csinodes.storage.k8s.io": { spec: { drivers: [{ name: "a.example.com", nodeID: "one", topologyKeys: ["zone"] }] } },
  "csistoragecapacities.storage.k8s.io": { capacity: "2Gi" },
  "storageclasses.storage.k8s.io": { allowVolumeExpansion: true },
  ...Object.fromEntries(
    ["roles", "clusterroles"].map((name) => [
      `${name}.rbac.authorization.k8s.io`,
      { rules: [{ verbs: ["list"], apiGroups: [""], resources: ["secrets"] }] },
    ]),
  ),
  ...Object.fromEntries(
    ["rolebindings", "clusterrolebindings"].map((name) => [
      `${name}.rbac.authorization.k8s.io`,
      { subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "somebody" }] },
    ]),
  ),
};
/** Resources of which only metadata and status are mutable. */
export const unchangeable: readonly string[] = [
  "storageversionmigrations.storagemigration.k8s.io",
  "volumeattachments.storage.k8s.io",
  "volumeattributesclasses.storage.k8s.io",
];

function resourceOf(path: string): string {
  const words = path.split("/"), plural = words.at(-1)!; // A path has segments.
  return words[1] === "api" ? plural : `${plural}.${words[2]}`;
}

/** Every stored kind except Namespace, which has its own tests. */
export const kinds: readonly Kind[] = [...new Map(tables.map(({ path, valid }) => [path, valid]))]
  .filter(([path]) => !path.endsWith("reviews") && resourceOf(path) !== "namespaces")
  .map(([path, valid]) => ({
    path,
    everywhere: path.replace(/\/namespaces\/[^/]+/, ""),
    resource: resourceOf(path),
    valid,
    change: changes[resourceOf(path)],
  }));

/** An object of a kind, with its metadata. */
export function objectOf({ valid }: Pick<Kind, "valid">, name: string, labels: Readonly<Record<string, string>> = {}): Change {
  return merged(valid, { metadata: { name, labels } }) as Change; // Merging records gives a record.
}
