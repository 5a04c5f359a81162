/**
 * Creates the default roles and bindings at start, and adds missing parts to existing ones. Operators' additions stay; objects with the
 * annotation autoupdate "false" are unchanged. kube-apiserver's post-start hook rbac/bootstrap-roles does the same.
 */
import { type ApiObject, type ControllerContext, type StartHook, StatusError } from "../../plugin.ts";
import { append, valueText } from "../../toolbox.ts";
import { isServed } from "../shared/is-served.ts";
import { gatesOf } from "./gated-rules.ts";
import { autoUpdate, defaultBindings, defaultBindingsInNamespaces, defaultRoles, defaultRolesInNamespaces } from "./policy.ts";
import { covers, rightsOf } from "./rules.ts";
import { type Binding, type ClusterRole, groupVersion, type PolicyRule, type Subject } from "./schema.ts";

export const bootstrapRoles: StartHook = Object.freeze<StartHook>({
  name: "rbac/bootstrap-roles",
  fieldManager: "kube-apiserver",
  async run(context) {
    const { names } = context, gates = gatesOf(context);
    const failures = [
      ...await reconcileAll(context, "clusterroles", defaultRoles(names, gates), reconciledRole),
      ...await reconcileAll(context, "clusterrolebindings", defaultBindings(names, gates), reconciledBinding),
    ];
    const inNamespaces = [defaultRolesInNamespaces(names), defaultBindingsInNamespaces(names)] as const;
    for (const namespace of new Set(inNamespaces[0].map(({ metadata }) => metadata.namespace))) {
      const [roles, bindings] = inNamespaces.map((all) => all.filter(({ metadata }) => metadata.namespace === namespace));
      append(
        failures,
        await reconcileAll(context, "roles", roles as readonly ClusterRole[], reconciledRole, namespace),
        await reconcileAll(context, "rolebindings", bindings as readonly Binding[], reconciledBinding, namespace),
      );
    }
    if (failures.length > 0) throw new Error(failures.join("; "));
  },
});

/** Maximum number of attempts to write an object that others change at the same time. */
const attemptsMax = 10;

type Reconciled<T> = T | "unchanged" | "replaced";

/**
 * Writes all objects at the same time, so that the store has many in one transaction. One list finds those that exist. When all writes have
 * ended, resolves with the failures by the names of the objects. Rejects if the objects cannot be listed.
 */
async function reconcileAll<T extends ApiObject>(
  context: ControllerContext,
  resource: string,
  wanted: readonly T[],
  merge: (stored: T, wanted: T) => Reconciled<T>,
  namespace = "",
): Promise<readonly string[]> {
  if (!isServed(context, { groupVersion, resource })) return [];
  const { items } = await context.api.list(groupVersion, resource, namespace);
  const stored = new Map((items as readonly T[]).map((each) => [each.metadata.name, each])); // the items are of this resource
  const absent = wanted.filter(({ metadata: { name } }) => !stored.has(name));
  const made = await context.api.createEach(groupVersion, resource, namespace, absent),
    creates = new Map(absent.map((each, at) => [each, made[at]!]));
  const ends = await Promise.allSettled(wanted.map((each) => {
    const first = creates.get(each);
    if (first?.status === "fulfilled") return;
    return reconcile(context, resource, each, { stored: stored.get(each.metadata.name), failure: first?.reason }, merge);
  }));
  return ends.flatMap((end, at) =>
    end.status === "fulfilled"
      ? []
      : [`${resource} ${wanted[at]!.metadata.name}: ${end.reason instanceof Error ? end.reason.message : String(end.reason)}`]
  );
}

/** Writes one object. `seen`: the stored object, or the failure of its create, that the first attempt uses; later attempts read and create it. */
async function reconcile<T extends ApiObject>(
  { api, names }: ControllerContext,
  resource: string,
  wanted: T,
  seen: { readonly stored: T | undefined; readonly failure: unknown },
  merge: (stored: T, wanted: T) => Reconciled<T>,
): Promise<void> {
  const { name = "", namespace = "" } = wanted.metadata; // the policy names every object
  /** As a kube-apiserver, the hook makes a namespace that is missing. It does not wait for the server's own objects. */
  const lacksNamespace = async (error: unknown): Promise<never> => {
    const isMissing = namespace !== "" && error instanceof StatusError && error.reason === "NotFound";
    if (isMissing) await api.create("v1", "namespaces", "", { metadata: { name: namespace } }).catch(exists);
    throw error;
  };
  for (let attempt = 1;; attempt++) {
    try {
      const stored = attempt === 1 ? seen.stored : await api.get(groupVersion, resource, namespace, name).catch(absent) as T | undefined; // the object is of this resource
      if (stored === undefined) {
        const create = attempt === 1 ? Promise.reject(seen.failure) : api.create(groupVersion, resource, namespace, wanted);
        return void await create.catch(lacksNamespace);
      }
      if (stored.metadata.annotations?.[autoUpdate(names)] === "false") return;
      const next = merge(stored, wanted);
      if (next === "unchanged") return;
      if (next !== "replaced") return void await api.update(groupVersion, resource, namespace, name, next);
      // A roleRef is immutable, so the binding is deleted and created again.
      await api.delete(groupVersion, resource, namespace, name, { preconditions: { uid: stored.metadata.uid } });
    } catch (error) {
      if (!isRace(error) || attempt === attemptsMax) throw error;
    }
  }
}
function absent(error: unknown): undefined {
  if (!(error instanceof StatusError) || error.reason !== "NotFound") throw error;
}
function exists(error: unknown): undefined {
  if (!(error instanceof StatusError) || error.reason !== "AlreadyExists") throw error;
}
/** Whether the error means that another server does the same, or that a client has changed the object. */
function isRace(error: unknown): boolean {
  return error instanceof StatusError && ["AlreadyExists", "Conflict", "NotFound"].includes(error.reason);
}

function reconciledRole(stored: ClusterRole, wanted: ClusterRole): Reconciled<ClusterRole> {
  const metadata = withMarks(stored, wanted);
  const selectors = stored.aggregationRule?.clusterRoleSelectors ?? [];
  const missingSelectors = (wanted.aggregationRule?.clusterRoleSelectors ?? []).filter((each) =>
    !selectors.some((own) => valueText(own) === valueText(each))
  );
  // The aggregation controller sets the rules of such a role.
  const missingRules = wanted.aggregationRule === undefined ? missingFrom(stored.rules ?? [], wanted.rules ?? []) : [];
  if (metadata === stored.metadata && missingSelectors.length === 0 && missingRules.length === 0) return "unchanged";
  return {
    ...stored,
    metadata,
    rules: [...stored.rules ?? [], ...missingRules],
    ...(missingSelectors.length === 0 ? {} : { aggregationRule: { clusterRoleSelectors: [...selectors, ...missingSelectors] } }),
  };
}

/** Returns the rights in `wanted` that no rule of `owned` includes, as rules. */
function missingFrom(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  return wanted.flatMap((rule) => [...rightsOf(rule)]).filter((right) => !owned.some((each) => covers(each, right)))
    .map(({ verb, apiGroup, resource, resourceName, nonResourceURL }) => ({
      verbs: [verb],
      ...(apiGroup === undefined ? {} : { apiGroups: [apiGroup] }),
      ...(resource === undefined ? {} : { resources: [resource] }),
      ...(resourceName === undefined ? {} : { resourceNames: [resourceName] }),
      ...(nonResourceURL === undefined ? {} : { nonResourceURLs: [nonResourceURL] }),
    }));
}

function reconciledBinding(stored: Binding, wanted: Binding): Reconciled<Binding> {
  if (stored.roleRef.kind !== wanted.roleRef.kind || stored.roleRef.name !== wanted.roleRef.name) return "replaced";
  const metadata = withMarks(stored, wanted), subjects = stored.subjects ?? [];
  const missingSubjects = (wanted.subjects ?? []).filter((subject) => !subjects.some((own) => sameSubject(own, subject)));
  if (metadata === stored.metadata && missingSubjects.length === 0) return "unchanged";
  return { ...stored, metadata, subjects: [...subjects, ...missingSubjects] };
}
function sameSubject(a: Subject, b: Subject): boolean {
  return a.kind === b.kind && a.name === b.name && (a.namespace ?? "") === (b.namespace ?? "");
}

/** Returns the metadata of the stored object with the missing labels and annotations added. Existing values stay. */
function withMarks(stored: ApiObject, wanted: ApiObject): ApiObject["metadata"] {
  const lacks = (part: "labels" | "annotations") =>
    Object.keys(wanted.metadata[part] ?? {}).some((key) => !Object.hasOwn(stored.metadata[part] ?? {}, key));
  if (!lacks("labels") && !lacks("annotations")) return stored.metadata;
  const { metadata } = stored;
  return {
    ...metadata,
    labels: { ...wanted.metadata.labels, ...metadata.labels },
    annotations: { ...wanted.metadata.annotations, ...metadata.annotations },
  };
}
