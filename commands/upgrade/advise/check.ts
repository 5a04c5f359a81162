/** Checks what sources find for versions that end. */
import { isObject, type Json, type JsonObject } from "../../../core/json.ts";
import { shellPath } from "../../../core/printable.ts";
import type { Release } from "../../../core/releases.ts";
import { splitGroupVersion } from "../../../core/versions.ts";
import type { Advice, RuleName } from "./advice.ts";
import type { FoundObject, FoundUse, Place } from "./evidence.ts";
import { hasEnded, type Lifecycle, type Lifecycles } from "./lifecycles.ts";

export interface Checking {
  readonly lifecycles: Lifecycles;
  readonly target: Release;
}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** The advice for an object. Shapes that are not those of the kind are passed over: a server rejects them. */
export function* checkObject(found: FoundObject, { lifecycles, target }: Checking): Generator<Advice> {
  const { object, place, fix: fixOfPlace } = found;
  const apiVersion = textOf(object.apiVersion), kind = textOf(object.kind), subject = subjectOf(object);
  const at = (path: readonly (string | number)[]): Place => {
    // A text that is in no file, such as that of a release, has no lines that a reader could find.
    const line = place.line === undefined ? undefined : found.lineOf?.(path);
    return line === undefined ? place : { ...place, line };
  };
  const advice = (
    rule: RuleName,
    lifecycle: Lifecycle,
    path: readonly (string | number)[],
    text: string,
    fix: string,
    who?: string,
  ): Advice => ({
    rule,
    level: hasEnded(lifecycle, target) ? "error" : "warning",
    place: at(path),
    subject,
    field: fieldOf(path),
    groupVersion: lifecycle.groupVersion,
    ...(lifecycle.removed === undefined ? {} : { removed: lifecycle.removed }),
    ...(who === undefined ? {} : { who }),
    text: `${text}, ${endOf(lifecycle)}`,
    fix,
  });
  const own = lifecycles.ofKind(apiVersion, kind);
  if (own !== undefined && found.isStored !== true) {
    yield advice("object-version", own, ["apiVersion"], `is ${apiVersion}`, fixOfPlace ?? fixOf(own, place));
  } else if (own !== undefined && !isStoredByAll(own)) {
    yield advice("stored-object", own, ["apiVersion"], `is stored as ${apiVersion}`, migrationOf(own));
  }

  const metadata = objectOf(object.metadata);
  const managers = new Map<string, Advice>();
  for (const entry of objectsOf(metadata.managedFields)) {
    const version = textOf(entry.apiVersion), lifecycle = lifecycles.ofKind(version, kind);
    if (lifecycle === undefined) continue;
    const manager = textOf(entry.manager), time = textOf(entry.time), who = `${manager}${time === "" ? "" : ` at ${time}`}`;
    const fix = `make ${manager} write ${lifecycle.replacement}`;
    managers.set(
      manager,
      advice("field-manager", lifecycle, ["metadata", "managedFields"], `was written by ${who} as ${version}`, fix, who),
    );
  }
  yield* managers.values();

  const applied = parsed(textOf(objectOf(metadata.annotations)[lastApplied]));
  const appliedAs = lifecycles.ofKind(textOf(applied.apiVersion), kind);
  if (appliedAs !== undefined) {
    const path = ["metadata", "annotations", lastApplied];
    yield advice(
      "last-applied",
      appliedAs,
      path,
      `was applied as ${appliedAs.groupVersion}`,
      `apply its file as ${appliedAs.replacement}`,
      "kubectl apply",
    );
  }

  for (const path of referencePaths(object)) {
    const reference = objectOf(valueAt(object, path)), lifecycle = lifecycles.ofKind(textOf(reference.apiVersion), textOf(reference.kind));
    if (lifecycle === undefined) continue;
    const name = textOf(reference.name);
    const text = `names ${lifecycle.kind} ${name} as ${lifecycle.groupVersion}`;
    const isConverted = kind === "HorizontalPodAutoscaler" && path[1] === "scaleTargetRef" && place.file !== undefined;
    const fix = isConverted ? fixOf(lifecycle, place) : `write apiVersion: ${lifecycle.replacement}`;
    yield advice("reference", lifecycle, [...path, "apiVersion"], text, fixOfPlace ?? fix);
  }
  if (kind === "ValidatingWebhookConfiguration" || kind === "MutatingWebhookConfiguration") {
    for (const [path, lifecycle] of webhookRules(object, lifecycles)) {
      const text = `has a rule for ${lifecycle.resource} in ${lifecycle.groupVersion}`;
      yield { ...advice("webhook-rule", lifecycle, path, text, `name ${lifecycle.replacement} in the rule`), level: "warning" };
    }
  }
  if (kind === "Role" || kind === "ClusterRole") yield* roleRules(object, lifecycles, advice);
  if (kind === "CustomResourceDefinition") {
    const spec = objectOf(object.spec), versions = objectsOf(spec.versions), stored = textsOf(objectOf(object.status).storedVersions);
    // The first definitions of v1beta1 have one version, in another field.
    const served = versions.length === 0 ? [spec.version] : versions.flatMap((each) => each.served === true ? [each.name] : []);
    for (const version of stored.filter((each) => !served.includes(each))) {
      yield {
        rule: "stored-version",
        level: "warning",
        place: at(["status", "storedVersions"]),
        subject,
        field: "status.storedVersions",
        text: `has stored objects in ${version}, which it does not serve`,
        fix: `migrate its objects (StorageVersionMigration), then remove ${version} from status.storedVersions`,
      };
    }
  }
}

type AdviceOf = (rule: RuleName, lifecycle: Lifecycle, path: readonly (string | number)[], text: string, fix: string) => Advice;

/** Servers write the default roles themselves. */
const bootstrapping = "kubernetes.io/bootstrapping";

/** Rules for a group that no longer has the resource: they give no right. A role that has the right for the new group, too, is for servers of several releases. */
function* roleRules(object: JsonObject, lifecycles: Lifecycles, advice: AdviceOf): Generator<Advice> {
  if (Object.hasOwn(objectOf(objectOf(object.metadata).labels), bootstrapping)) return;
  const rules = objectsOf(object.rules).map(({ apiGroups, resources }) => ({
    groups: textsOf(apiGroups),
    resources: new Set(textsOf(resources).map((each) => each.split("/", 1)[0]!)),
  }));
  const grants = (group: string, resource: string) =>
    rules.some(({ groups, resources }) =>
      (groups.includes(group) || groups.includes("*")) && (resources.has(resource) || resources.has("*"))
    );
  const seen = new Set<string>();
  for (const [index, { groups, resources }] of rules.entries()) {
    for (const lifecycle of lifecycles.all()) {
      const { resource, isConverted } = lifecycle, { group } = splitGroupVersion(lifecycle.groupVersion);
      const next = isConverted ? splitGroupVersion(lifecycle.replacement).group : undefined, key = `${index} ${group} ${resource}`;
      if (group === next || !groups.includes(group) || !resources.has(resource) || seen.has(key)) continue;
      seen.add(key);
      if (next !== undefined && grants(next, resource)) continue;
      const fix = next === undefined ? `remove ${resource} from the rule` : `add the group ${next} to the rule`;
      yield {
        ...advice("role-rule", lifecycle, ["rules", index], `has rights on ${resource} of the group ${group}`, fix),
        level: "warning",
      };
    }
  }
}

function* webhookRules(object: JsonObject, lifecycles: Lifecycles): Generator<readonly [readonly (string | number)[], Lifecycle]> {
  for (const [index, webhook] of objectsOf(object.webhooks).entries()) {
    for (const [at, rule] of objectsOf(webhook.rules).entries()) {
      const groups = textsOf(rule.apiGroups), versions = textsOf(rule.apiVersions);
      const resources = new Set(textsOf(rule.resources).map((each) => each.split("/", 1)[0]!));
      for (const lifecycle of lifecycles.all()) {
        const { group, version } = splitGroupVersion(lifecycle.groupVersion), next = splitGroupVersion(lifecycle.replacement);
        const isNamed = groups.includes(group) && versions.includes(version) && (resources.has(lifecycle.resource) || resources.has("*"));
        // The rule may name the new version, too.
        if (isNamed && !(groups.includes(next.group) && versions.includes(next.version))) {
          yield [["webhooks", index, "rules", at], lifecycle];
        }
      }
    }
  }
}

/** The places of references with a version. */
function referencePaths(object: JsonObject): readonly (readonly (string | number)[])[] {
  const owners = objectsOf(objectOf(object.metadata).ownerReferences).map((_, index) => ["metadata", "ownerReferences", index]);
  return [["spec", "scaleTargetRef"], ["spec", "targetRef"], ...owners];
}

/** The advice for requests of a version. */
export function* checkUse({ place, groupVersion, resource, who }: FoundUse, { lifecycles, target }: Checking): Generator<Advice> {
  const lifecycle = lifecycles.ofResource(groupVersion, resource);
  if (lifecycle === undefined) return;
  yield {
    rule: "request",
    level: hasEnded(lifecycle, target) ? "error" : "warning",
    place,
    subject: `${resource} in ${groupVersion}`,
    groupVersion,
    ...(lifecycle.removed === undefined ? {} : { removed: lifecycle.removed }),
    ...(who === undefined ? {} : { who }),
    text: `is requested${who === undefined ? "" : ` by ${who}`}, ${endOf(lifecycle)}`,
    fix: `make the client use ${lifecycle.replacement}`,
  };
}

const endOf = ({ removed, replacement }: Lifecycle) =>
  `${removed === undefined ? "deprecated" : `removed in ${removed}`}; use ${replacement}`;

function fixOf({ isConverted, replacement }: Lifecycle, { file }: Place): string {
  if (!isConverted) return `use ${replacement}`;
  return file === undefined ? `write it as ${replacement}` : `thole convert -f ${shellPath(file)}`;
}

/** Every kube-apiserver stores definitions in this version, and reads it: its JSON is shorter. */
function isStoredByAll({ groupVersion, kind }: Lifecycle): boolean {
  return kind === "CustomResourceDefinition" && splitGroupVersion(groupVersion).version === "v1beta1";
}

/** How to store an object in another version. A server writes each object in the version that it stores now. */
function migrationOf({ resource, replacement, isVersion }: Lifecycle): string {
  if (!isVersion) return `delete it before the upgrade, and use ${replacement}`;
  const { group } = splitGroupVersion(replacement), name = group === "" ? resource : `${resource}.${group}`;
  return `before the upgrade, on a release that stores ${replacement}, write the objects again: kubectl get ${name} -A -o json | kubectl replace -f -, or a StorageVersionMigration`;
}

function subjectOf(object: JsonObject): string {
  const metadata = objectOf(object.metadata), name = textOf(metadata.name), namespace = textOf(metadata.namespace);
  return [textOf(object.kind), name, ...(namespace === "" ? [] : ["in", namespace])].filter((word) => word !== "").join(" ");
}

function fieldOf(path: readonly (string | number)[]): string {
  return path.map((step, index) => typeof step === "number" ? `[${step}]` : index === 0 ? step : `.${step}`).join("");
}

function valueAt(value: Json | undefined, path: readonly (string | number)[]): Json | undefined {
  return path.reduce<Json | undefined>((at, step) => {
    if (Array.isArray(at)) return typeof step === "number" ? at[step] : undefined;
    return isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  }, value);
}

const textOf = (value: unknown): string => typeof value === "string" ? value : "";
const objectOf = (value: unknown): JsonObject => isObject(value) ? value : {};
const objectsOf = (value: unknown): readonly JsonObject[] => Array.isArray(value) ? value.filter(isObject) : [];
const textsOf = (value: unknown): readonly string[] => Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];

function parsed(text: string): JsonObject {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return {};
  }
}
