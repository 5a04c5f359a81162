/** Builds the rules of ClusterRoles with an aggregationRule from those of the ClusterRoles that it selects. */
import { type ApiObject, type Controller, type ControllerContext, StatusError } from "../../plugin.ts";
import { afterCollecting, sameValue, selectsLabels, valueText } from "../../toolbox.ts";
import { type ClusterRole, groupVersion, type PolicyRule } from "./schema.ts";

/** Milliseconds in which changes are collected before the roles are built. */
const gatherMs = 50;
/** Milliseconds after which a failed write of a role is retried. */
const retryMs = 10_000;

export const aggregationController: Controller = Object.freeze<Controller>({
  name: "clusterrole-aggregation",
  serviceAccount: "clusterrole-aggregation-controller",
  fieldManager: "clusterrole-aggregation-controller",
  needs: [{ resource: "clusterroles", groupVersions: [groupVersion] }],
  run,
});

async function run(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const roles = new Map<string, ClusterRole>();
  /** Errors that are logged already, by the name of the role. */
  const failures = new Map<string, string>();
  const { clock } = context;
  let gathering: (() => void) | undefined, retrying: typeof gathering, syncing = Promise.resolve();
  const sync = () => {
    gathering?.();
    retrying?.();
    gathering = undefined;
    syncing = syncing.then(async () => {
      await aggregateAll(context, roles, failures);
      if (failures.size > 0 && !signal.aborted) retrying = clock.after(retryMs, sync);
    });
  };
  try {
    for await (const { type, object } of context.api.watch(groupVersion, "clusterroles", "", {}, signal)) {
      const name = object.metadata.name ?? "";
      if (type === "DELETED") roles.delete(name);
      else roles.set(name, object as ClusterRole); // the watch is of this resource
      gathering ??= afterCollecting(gatherMs, sync, clock);
    }
  } finally {
    gathering?.();
    await syncing;
    retrying?.();
  }
}

/** A role that cannot be written, for instance because it has too many rules, does not delay the others. */
async function aggregateAll(
  { api, logError }: ControllerContext,
  roles: ReadonlyMap<string, ClusterRole>,
  failures: Map<string, string>,
): Promise<void> {
  const sorted = [...roles.values()].toSorted((a, b) => nameOf(a) < nameOf(b) ? -1 : 1);
  const before = new Map(failures);
  failures.clear();
  for (const role of sorted) {
    const name = nameOf(role), { uid } = role.metadata;
    try {
      const rules = aggregateRules(role, sorted);
      if (rules === undefined || sameValue(rules, role.rules ?? [])) continue;
      // Without the UID an apply would create a role that was deleted meanwhile.
      await api.apply(groupVersion, "clusterroles", "", name, { metadata: { uid }, rules });
    } catch (error) {
      // The role was deleted or created again. The watch reports that.
      if (error instanceof StatusError && (error.reason === "Conflict" || error.reason === "NotFound")) continue;
      const message = String(error);
      failures.set(name, message);
      if (before.get(name) !== message) logError(`the rules of ClusterRole ${name} cannot be written; it tries again`, error);
    }
  }
}

/**
 * Returns the rules of a role that is built from other roles: those of each selector in order, and each rule once. Returns undefined for
 * other roles.
 */
export function aggregateRules(role: ClusterRole, sorted: readonly ClusterRole[]): readonly PolicyRule[] | undefined {
  const selectors = role.aggregationRule?.clusterRoleSelectors;
  if (selectors === undefined) return undefined;
  const found = new Map<string, PolicyRule>();
  for (const selector of selectors) {
    for (const other of sorted) {
      if (nameOf(other) === nameOf(role) || !selectsLabels(selector, other.metadata.labels ?? {})) continue;
      for (const rule of other.rules ?? []) {
        const key = valueText([rule.verbs, rule.apiGroups, rule.resources, rule.resourceNames, rule.nonResourceURLs]);
        if (!found.has(key)) found.set(key, rule);
      }
    }
  }
  return [...found.values()];
}

const nameOf = ({ metadata }: ApiObject): string => metadata.name ?? "";
