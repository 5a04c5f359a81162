/** The API versions that releases of Kubernetes no longer serve, and what replaces them: the migration guide as data. */
import { compareReleases, type Release } from "./releases.ts";
import { defaultNames, type Names, spell } from "./names.ts";
import type { GroupVersion } from "./versions.ts";

/** Kinds of one group version that one release removed. */
export interface RemovedApi {
  readonly groupVersion: GroupVersion;
  readonly kinds: readonly string[];
  /** The first release that does not serve it. */
  readonly removed: Release;
  /** Versions to move to, the preferred one first. Empty if nothing replaces the kind. */
  readonly replacements: readonly GroupVersion[];
  /** What to use if nothing replaces the kind. */
  readonly instead?: string;
  /** Differences of the first replacement that a change of `apiVersion` alone does not cover. */
  readonly changes: readonly string[];
}

/** Servers have the first ones; the migration guide writes the second ones. */
const flowGroups = Object.freeze(["flowcontrol.apiserver.{domain}", "flowcontrol.{domain}"]);
const apiServiceGroups = Object.freeze(["apiregistration.{domain}", "apiregistration"]);
const flowKinds = Object.freeze(["FlowSchema", "PriorityLevelConfiguration"]);
const selectorRequired = "`spec.selector` is required and cannot change after creation";
const rollingUpdate = "`spec.updateStrategy.type` is `RollingUpdate` by default";
const deploymentDefaults =
  "defaults: `spec.progressDeadlineSeconds` 600, `spec.revisionHistoryLimit` 10, `maxSurge` and `maxUnavailable` 25%";
const ingressChanges = Object.freeze([
  "`spec.backend` is `spec.defaultBackend`",
  "`serviceName` of a backend is `service.name`",
  "a number in `servicePort` is `service.port.number`, a name `service.port.name`",
  "`pathType` is required: `Prefix`, `Exact` or `ImplementationSpecific`",
]);

const version = (
  removed: Release,
  groupVersion: GroupVersion,
  kinds: readonly string[],
  replacements: readonly GroupVersion[],
  ...changes: readonly string[]
): RemovedApi => Object.freeze({ removed, groupVersion, kinds, replacements, changes });

const withoutReplacement = (
  removed: Release,
  groupVersion: GroupVersion,
  kind: string,
  instead: string,
  ...changes: readonly string[]
): RemovedApi => Object.freeze({ removed, groupVersion, kinds: [kind], replacements: [], instead, changes });

/** All removals, the newest release first. */
export const removedApis: readonly RemovedApi[] = Object.freeze([
  ...flowGroups.map((group) =>
    version(
      "1.32",
      `${group}/v1beta3`,
      flowKinds,
      [`${group}/v1`],
      "`spec.limited.nominalConcurrencyShares` is 30 only if absent; an explicit 0 stays 0",
    )
  ),
  ...flowGroups.map((group) =>
    version(
      "1.29",
      `${group}/v1beta2`,
      flowKinds,
      [`${group}/v1`, `${group}/v1beta3`],
      "`spec.limited.assuredConcurrencyShares` is `spec.limited.nominalConcurrencyShares`",
    )
  ),
  version("1.27", "storage.{domain}/v1beta1", ["CSIStorageCapacity"], ["storage.{domain}/v1"]),
  ...flowGroups.map((group) => version("1.26", `${group}/v1beta1`, flowKinds, [`${group}/v1beta2`])),
  version("1.26", "autoscaling/v2beta2", ["HorizontalPodAutoscaler"], ["autoscaling/v2"]),
  version("1.25", "batch/v1beta1", ["CronJob"], ["batch/v1"]),
  version(
    "1.25",
    "discovery.{domain}/v1beta1",
    ["EndpointSlice"],
    ["discovery.{domain}/v1"],
    "`nodeName` and `zone` of an endpoint replace the keys `kubernetes.io/hostname` and `topology.kubernetes.io/zone` of `topology`",
    "the rest of `topology` is `deprecatedTopology`, which cannot be written",
  ),
  version(
    "1.25",
    "events.{domain}/v1beta1",
    ["Event"],
    ["events.{domain}/v1"],
    "`type` is `Normal` or `Warning`",
    "`action`, `reason`, `reportingController`, `reportingInstance` and `eventTime` are required at creation",
    "the fields that begin with `deprecated` are not allowed in new events: `eventTime` replaces `deprecatedFirstTimestamp`, `series.lastObservedTime` " +
      "`deprecatedLastTimestamp`, `series.count` `deprecatedCount`, `reportingController` `deprecatedSource.component`, `reportingInstance` " +
      "`deprecatedSource.host`",
  ),
  version(
    "1.25",
    "autoscaling/v2beta1",
    ["HorizontalPodAutoscaler"],
    ["autoscaling/v2"],
    "the targets and names of metrics are in `target` and `metric`",
  ),
  version(
    "1.25",
    "policy/v1beta1",
    ["PodDisruptionBudget"],
    ["policy/v1"],
    "an empty `spec.selector` (`{}`) selects all pods of the namespace, before it selected none; without `spec.selector` none are selected, as before",
  ),
  withoutReplacement(
    "1.25",
    "policy/v1beta1",
    "PodSecurityPolicy",
    "pod security admission",
    "the kind and its admission step are removed entirely; the built-in pod security admission or an admission webhook does their work",
  ),
  version("1.25", "node.{domain}/v1beta1", ["RuntimeClass"], ["node.{domain}/v1"]),
  version(
    "1.22",
    "admissionregistration.{domain}/v1beta1",
    ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
    ["admissionregistration.{domain}/v1"],
    "defaults of a webhook: `failurePolicy` `Fail` instead of `Ignore`, `matchPolicy` `Equivalent` instead of `Exact`, `timeoutSeconds` 10 instead of 30",
    "`sideEffects` is required: `None` or `NoneOnDryRun`",
    "`admissionReviewVersions` is required: `v1`, `v1beta1`",
    "the `name` of each webhook is unique in its configuration",
  ),
  version(
    "1.22",
    "apiextensions.{domain}/v1beta1",
    ["CustomResourceDefinition"],
    ["apiextensions.{domain}/v1"],
    "`spec.scope` is required",
    "`spec.version`, `spec.validation`, `spec.subresources` and `spec.additionalPrinterColumns` are fields of each entry of `spec.versions`",
    "`spec.conversion.webhookClientConfig` is `spec.conversion.webhook.clientConfig`, `conversionReviewVersions` is in `spec.conversion.webhook`",
    "`openAPIV3Schema` is required and must be structural",
    "`preserveUnknownFields: true` is not allowed: `x-kubernetes-preserve-unknown-fields: true` in the schema keeps unknown fields",
    "`JSONPath` of a printer column is `jsonPath`",
  ),
  ...apiServiceGroups.map((group) => version("1.22", `${group}/v1beta1`, ["APIService"], ["apiregistration.{domain}/v1"])),
  version("1.22", "authentication.{domain}/v1beta1", ["TokenReview"], ["authentication.{domain}/v1"]),
  version(
    "1.22",
    "authorization.{domain}/v1beta1",
    ["LocalSubjectAccessReview", "SelfSubjectAccessReview", "SubjectAccessReview", "SelfSubjectRulesReview"],
    ["authorization.{domain}/v1"],
    "`spec.group` is `spec.groups`",
  ),
  version(
    "1.22",
    "certificates.{domain}/v1beta1",
    ["CertificateSigningRequest"],
    ["certificates.{domain}/v1"],
    "`spec.signerName` is required; requests for `kubernetes.io/legacy-unknown` cannot be created",
    "`spec.usages` is required; its values are known and unique",
    "`status.conditions` have unique types and a `status`",
    "`status.certificate` is PEM with blocks of `CERTIFICATE` only",
  ),
  version("1.22", "coordination.{domain}/v1beta1", ["Lease"], ["coordination.{domain}/v1"]),
  version("1.22", "extensions/v1beta1", ["Ingress"], ["networking.{domain}/v1", "networking.{domain}/v1beta1"], ...ingressChanges),
  version("1.22", "networking.{domain}/v1beta1", ["Ingress"], ["networking.{domain}/v1"], ...ingressChanges),
  version("1.22", "networking.{domain}/v1beta1", ["IngressClass"], ["networking.{domain}/v1"]),
  version(
    "1.22",
    "rbac.authorization.{domain}/v1beta1",
    ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"],
    ["rbac.authorization.{domain}/v1"],
  ),
  version("1.22", "scheduling.{domain}/v1beta1", ["PriorityClass"], ["scheduling.{domain}/v1"]),
  version("1.22", "storage.{domain}/v1beta1", ["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"], ["storage.{domain}/v1"]),
  version("1.21", "batch/v2alpha1", ["CronJob"], ["batch/v1"]),
  withoutReplacement("1.20", "settings.{domain}/v1alpha1", "PodPreset", "an admission webhook"),
  withoutReplacement("1.19", "auditregistration.{domain}/v1alpha1", "AuditSink", "--audit-webhook-config-file"),
  version("1.16", "extensions/v1beta1", ["NetworkPolicy"], ["networking.{domain}/v1"]),
  ...["extensions/v1beta1", "apps/v1beta2"].map((from) =>
    version(
      "1.16",
      from,
      ["DaemonSet"],
      ["apps/v1"],
      "`spec.templateGeneration` is removed",
      selectorRequired,
      `${rollingUpdate} (was \`OnDelete\`)`,
    )
  ),
  ...["extensions/v1beta1", "apps/v1beta1", "apps/v1beta2"].map((from) =>
    version("1.16", from, ["Deployment"], ["apps/v1"], "`spec.rollbackTo` is removed", selectorRequired, deploymentDefaults)
  ),
  ...["apps/v1beta1", "apps/v1beta2"].map((from) =>
    version("1.16", from, ["StatefulSet"], ["apps/v1"], selectorRequired, `${rollingUpdate} (was \`OnDelete\`)`)
  ),
  ...["extensions/v1beta1", "apps/v1beta1", "apps/v1beta2"].map((from) =>
    version("1.16", from, ["ReplicaSet"], ["apps/v1"], selectorRequired)
  ),
  version("1.16", "extensions/v1beta1", ["PodSecurityPolicy"], ["policy/v1beta1"]),
]);

/** The removal of one kind, spelled with `names`. */
export interface RemovedKind extends RemovedApi {
  readonly kind: string;
}

/** Finds removals by group version and kind. */
export class RemovedKinds {
  readonly #byKind: ReadonlyMap<string, RemovedKind>;

  /** With `until` only those of that release and of earlier ones. */
  constructor(names: Names = defaultNames, until?: Release) {
    const known = removedApis.filter(({ removed }) => until === undefined || compareReleases(removed, until) <= 0);
    this.#byKind = new Map(
      known.flatMap((api) => {
        const groupVersion = spell(names, api.groupVersion), replacements = api.replacements.map((each) => spell(names, each));
        return api.kinds.map((kind) => [`${groupVersion} ${kind}`, { ...api, groupVersion, replacements, kind }] as const);
      }),
    );
  }

  get(groupVersion: GroupVersion, kind: string): RemovedKind | undefined {
    return this.#byKind.get(`${groupVersion} ${kind}`);
  }

  all(): Iterable<RemovedKind> {
    return this.#byKind.values();
  }

  /**
   * The versions to convert through, from the one after `from` to `to`; without `to` to the last one that replaces another. Undefined if there is no way to `to`;
   * empty if there is nothing to convert.
   */
  way(from: GroupVersion, kind: string, to?: GroupVersion): readonly GroupVersion[] | undefined {
    if (from === to) return [];
    const { replacements = [] } = this.get(from, kind) ?? {};
    if (replacements.length === 0) return to === undefined ? [] : undefined;
    for (const next of replacements) {
      const rest = next === to ? [] : this.way(next, kind, to);
      if (rest !== undefined) return [next, ...rest];
    }
    return undefined;
  }

  /** The last version of `way()`, or what to use instead if nothing replaces the kind. */
  replacementOf(from: GroupVersion, kind: string): string {
    const last = this.way(from, kind)?.at(-1) ?? from;
    return this.get(last, kind)?.instead ?? last;
  }
}
