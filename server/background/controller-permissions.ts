/** The rights that controllers declare, stored as roles of their service accounts. */
import { reasonOf } from "../../core/reason-of.ts";
import type { Api } from "../../core/api.ts";
import { spell } from "../../core/names.ts";
import type { Controller } from "../../core/controller.ts";
import type { Catalog } from "../../kernel/catalog/catalog.ts";

const groupVersion = "rbac.authorization.{domain}/v1";

/**
 * Applies a ClusterRole and a ClusterRoleBinding for each controller with `permissions`. No effect if roles are not served. `api` needs all
 * of these rights. Rejects after an attempt at each controller, with an error that names those whose rights cannot be written.
 */
export async function applyPermissions(controllers: readonly Controller[], api: Api, { names, endpoint }: Catalog): Promise<void> {
  const apiGroup = spell(names, "rbac.authorization.{domain}");
  if (endpoint(apiGroup, "v1", "clusterroles") === undefined || endpoint(apiGroup, "v1", "clusterrolebindings") === undefined) return;
  const failures: string[] = [];
  for (const { name: controller, serviceAccount, permissions } of controllers) {
    if (serviceAccount === undefined || permissions === undefined) continue;
    const name = `system:controller:${serviceAccount}`;
    try {
      await api.apply(groupVersion, "clusterroles", "", name, { rules: permissions.map((rule) => policyRule(rule, names)) });
      await api.apply(groupVersion, "clusterrolebindings", "", name, {
        roleRef: { apiGroup, kind: "ClusterRole", name },
        subjects: [{ kind: "ServiceAccount", name: serviceAccount, namespace: "kube-system" }],
      });
    } catch (error) {
      failures.push(`${controller}: ${reasonOf(error)}`);
    }
  }
  if (failures.length > 0) throw new Error(failures.join("; "));
}

function policyRule(
  { verbs, apiGroups, resources, resourceNames }: NonNullable<Controller["permissions"]>[number],
  names: Catalog["names"],
) {
  return {
    verbs,
    apiGroups: apiGroups.map((group) => spell(names, group)),
    resources,
    ...(resourceNames.length === 0 ? {} : { resourceNames }),
  };
}
