/** Builds the rules of ClusterRoles with an aggregationRule from those of the ClusterRoles that it selects. */
import { type ApiObject, type Controller, type ControllerContext, sameValue, selectsLabels } from "../../plugin.ts";
import { type ClusterRole, groupVersion, type PolicyRule } from "./schema.ts";

/** Milliseconds in which changes are gathered. */
const gatherMs = 50;

export const aggregationController: Controller = Object.freeze<Controller>({
  name: "clusterrole-aggregation",
  fieldManager: "clusterrole-aggregation-controller",
  needs: [{ resource: "clusterroles", groupVersions: [groupVersion] }],
  run,
});

async function run(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { api } = context;
  const roles = new Map<string, ClusterRole>();
  let timer: ReturnType<typeof setTimeout> | undefined, syncing = Promise.resolve();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {}); // raced below
  const sync = () => syncing = syncing.then(() => aggregateAll(context, roles)).catch(failed.reject);
  const changes = async (): Promise<void> => {
    for await (const { type, object } of api.watch(groupVersion, "clusterroles", "", {}, signal)) {
      const name = object.metadata.name ?? "";
      if (type === "DELETED") roles.delete(name);
      else roles.set(name, object as ClusterRole); // of that resource
      timer ??= setTimeout(() => {
        timer = undefined;
        void sync();
      }, gatherMs);
    }
  };
  try {
    await Promise.race([changes(), failed.promise]);
  } finally {
    clearTimeout(timer);
    await syncing;
  }
}

async function aggregateAll({ api }: ControllerContext, roles: ReadonlyMap<string, ClusterRole>): Promise<void> {
  const sorted = [...roles.values()].toSorted((a, b) => nameOf(a) < nameOf(b) ? -1 : 1);
  for (const role of sorted) {
    const rules = aggregated(role, sorted);
    if (rules === undefined || sameValue(rules, role.rules ?? [])) continue;
    // The role may be gone by now; an apply would make it anew, without its selectors.
    if (!roles.has(nameOf(role))) continue;
    await api.apply(groupVersion, "clusterroles", "", nameOf(role), { rules });
  }
}

/** The rules of a role that is built from others: of each selector in order, each rule once. Undefined for other roles. */
export function aggregated(role: ClusterRole, sorted: readonly ClusterRole[]): readonly PolicyRule[] | undefined {
  const selectors = role.aggregationRule?.clusterRoleSelectors;
  if (selectors === undefined) return undefined;
  const found = new Map<string, PolicyRule>();
  for (const selector of selectors) {
    for (const other of sorted) {
      if (nameOf(other) === nameOf(role) || !selectsLabels(selector, other.metadata.labels ?? {})) continue;
      for (const rule of other.rules ?? []) {
        const key = JSON.stringify([rule.verbs, rule.apiGroups, rule.resources, rule.resourceNames, rule.nonResourceURLs]);
        if (!found.has(key)) found.set(key, rule);
      }
    }
  }
  return [...found.values()];
}

const nameOf = ({ metadata }: ApiObject): string => metadata.name ?? "";
