/** The resource `customresourcedefinitions`: how definitions are prepared, changed and deleted. */
import { defineResource, type FieldError, type HookContext, type Resource, type Subresource } from "../../plugin.ts";
import { spell } from "../../toolbox.ts";
import { dropGatedFields } from "./dropped.ts";
import { CustomResourceDefinition, groupVersion, storageVersion, withStoredVersion } from "./schema.ts";
import { ofOldVersion, OldDefinition } from "./old-version.ts";
import { validateDefinition, validateDefinitionUpdate, validateStatusUpdate } from "./validate/definition.ts";
import { withCondition } from "./condition.ts";
import { deletionPending } from "./conditions/terminating.ts";
import { hasLongExpressions } from "./validate/long-expressions.ts";
import { costWarnings, formatWarnings } from "./warnings.ts";

/** The finalizer that keeps a definition until its objects are deleted. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.{domain}";

/** Adds the storage version to `status.storedVersions`. */
function prepare(
  next: CustomResourceDefinition,
  prior: CustomResourceDefinition | undefined,
  { gates }: HookContext,
): CustomResourceDefinition {
  const stored = storageVersion(next.spec), { storedVersions = [] } = next.status;
  const added = stored === undefined || storedVersions.includes(stored)
    ? next
    : { ...next, status: { ...next.status, storedVersions: [...storedVersions, stored] } };
  return dropGatedFields(added, prior, gates);
}

const status: Subresource<CustomResourceDefinition> = {
  write: (next, prior) => ({ ...next, spec: prior.spec }),
  update: (next, prior): readonly FieldError[] => validateStatusUpdate(next, prior),
};

export const customResourceDefinitions: Resource<CustomResourceDefinition> = defineResource({
  kind: "CustomResourceDefinition",
  scope: "Cluster",
  shortNames: ["crd", "crds"],
  categories: ["api-extensions"],
  summary: "A kind that is defined at run time.",
  storedAs: groupVersion,
  storedUnder: "apiextensions.{domain}/customresourcedefinitions",
  served: {
    [groupVersion]: {
      schema: CustomResourceDefinition,
      introduced: "1.16",
      applyDefaults: withStoredVersion,
      subresources: { status },
    },
    // kube-apiserver stores definitions in this version. They are read after an import, and from its etcd.
    "apiextensions.{domain}/v1beta1": {
      schema: OldDefinition,
      introduced: "1.7",
      deprecated: "1.16",
      removed: "1.22",
      replacement: { groupVersion, kind: "CustomResourceDefinition" },
      toStored: ofOldVersion,
    },
  },
  strategy: { unconditionalUpdate: false, ownMetaRules: true, generation: true, isHeavy: hasLongExpressions },
  prepare,
  create: validateDefinition,
  update: validateDefinitionUpdate,
  warn: (next, prior) => [...formatWarnings(next.spec, prior?.spec), ...costWarnings(next.spec, prior?.spec)],
  deletion: {
    unsafe: true,
    /** The first DELETE only adds the finalizer and a condition. It ignores the propagation policy. */
    begin({ metadata: { deletionTimestamp } }, context, prior) {
      const { finalizers = [] } = prior.metadata, own = spell(context.names, cleanupFinalizer);
      return {
        ...prior,
        metadata: {
          ...prior.metadata,
          ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
          finalizers: finalizers.includes(own) ? finalizers : [...finalizers, own],
        },
        status: { ...prior.status, conditions: withCondition(prior.status.conditions ?? [], deletionPending, context.now) },
      };
    },
    holds: () => false,
  },
});
