/** Builds the rules of ClusterRoles with an aggregationRule from those of the ClusterRoles that it selects. */
import { type ApiObject, type Controller, type ControllerContext, StatusError } from "../../plugin.ts";
import { afterCollecting, pause, sameValue, selectsLabels, valueText } from "../../toolbox.ts";
import { type ClusterRole, groupVersion, type PolicyRule } from "./schema.ts";

/** Milliseconds in which changes are collected before the roles are built. */
const gatherMs = 50;
/** Milliseconds that the start waits until the rules of the default roles are written. */
const firstMsMax = 1_000;
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
  let gathering: (() => void) | undefined, retrying: typeof gathering, syncing = Promise.resolve(), isKnown = false;
  const sync = () => {
    gathering?.();
    retrying?.();
    gathering = undefined;
    syncing = syncing.then(async () => {
      await aggregateAll(context, roles, failures);
      if (failures.size > 0 && !signal.aborted) retrying = clock.after(retryMs, sync);
    });
  };
  const take = ({ type, object }: WatchedChange) => {
    const name = nameOf(object);
    if (type === "DELETED") roles.delete(name);
    else roles.set(name, object as ClusterRole); // the watch is of this resource
    gather();
  };
  // Built from a part of the roles, others would lose their rules until the rest has arrived.
  const gather = () => {
    if (isKnown) gathering ??= afterCollecting(gatherMs, sync, clock);
  };
  const synced = () => {
    isKnown = true;
    gather();
  };
  const changes = context.api.watch(groupVersion, "clusterroles", "", {}, signal, "everything", synced)[Symbol.asyncIterator]();
  const first = changes.next();
  first.catch(() => {}); // awaited below
  try {
    // The watch has begun and is not read yet, so the controller has started when the default roles have their rules.
    await Promise.race([aggregateFirst(context, failures), pause(firstMsMax, signal, clock)]);
    const { done, value } = await first;
    if (done !== true) take(value);
    for await (const change of { [Symbol.asyncIterator]: () => changes }) take(change);
  } finally {
    gathering?.();
    await syncing;
    retrying?.();
  }
}

type WatchedChange = { readonly type: string; readonly object: ApiObject };

/** Builds the rules of the roles that exist at the start. */
async function aggregateFirst(context: ControllerContext, failures: Map<string, string>): Promise<void> {
  const { items } = await context.api.list(groupVersion, "clusterroles", "");
  const roles = items as readonly ClusterRole[]; // the list is of this resource
  await aggregateAll(context, new Map(roles.map((role) => [nameOf(role), role])), failures);
}

/** A role that cannot be written, for instance because it has too many rules, does not delay the others. */
async function aggregateAll(
  { api, logError }: ControllerContext,
  roles: ReadonlyMap<string, ClusterRole>,
  failures: Map<string, string>,
): Promise<void> {
  const before = new Map(failures);
  failures.clear();
  const failed = (name: string, error: unknown) => {
    const message = String(error);
    if (failures.has(name)) return;
    failures.set(name, message);
    if (before.get(name) !== message) logError(`the rules of ClusterRole ${name} cannot be written; it tries again`, error);
  };
  for (const role of aggregated([...roles.values()], failed)) {
    const name = nameOf(role), { metadata: { uid }, rules = [] } = role;
    if (sameValue(rules, roles.get(name)?.rules ?? [])) continue;
    try {
      // Without the UID an apply would create a role that was deleted meanwhile.
      await api.apply(groupVersion, "clusterroles", "", name, { metadata: { uid }, rules });
    } catch (error) {
      // The role was deleted or created again. The watch reports that.
      if (error instanceof StatusError && (error.reason === "Conflict" || error.reason === "NotFound")) continue;
      failed(name, error);
    }
  }
}

/** The roles with the rules that they get. Those of roles that select each other need several passes. */
function aggregated(roles: readonly ClusterRole[], failed: (name: string, error: unknown) => void): readonly ClusterRole[] {
  let sorted = roles.toSorted((a, b) => nameOf(a) < nameOf(b) ? -1 : 1);
  const passes = roles.filter(({ aggregationRule }) => aggregationRule !== undefined).length;
  for (let pass = 0, isChanged = true; isChanged && pass < passes; pass++) {
    isChanged = false;
    sorted = sorted.map((role) => {
      try {
        const rules = aggregateRules(role, sorted);
        if (rules === undefined || sameValue(rules, role.rules ?? [])) return role;
        isChanged = true;
        return { ...role, rules };
      } catch (error) {
        failed(nameOf(role), error);
        return role;
      }
    });
  }
  return sorted;
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
