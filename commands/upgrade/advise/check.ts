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

/** Returns the advice for an object. Shapes that are not those of the kind are passed over: a server rejects them. */
export function checkObject(found: FoundObject, checking: Checking): Iterable<Advice> {
  return new ObjectCheck(found, checking).advice();
}

type Path = readonly (string | number)[];

/** The checks of one object. */
class ObjectCheck {
  readonly #found: FoundObject;
  readonly #object: JsonObject;
  readonly #metadata: JsonObject;
  readonly #kind: string;
  readonly #lifecycles: Lifecycles;
  readonly #target: Release;

  constructor(found: FoundObject, { lifecycles, target }: Checking) {
    this.#found = found;
    this.#object = found.object;
    this.#metadata = objectOf(found.object.metadata);
    this.#kind = textOf(found.object.kind);
    this.#lifecycles = lifecycles;
    this.#target = target;
  }

  *advice(): Generator<Advice> {
    const kind = this.#kind;
    yield* this.#ownVersion();
    yield* this.#fieldManagers();
    yield* this.#lastApplied();
    yield* this.#references();
    if (kind === "ValidatingWebhookConfiguration" || kind === "MutatingWebhookConfiguration") yield* this.#webhookRules();
    if (kind === "Role" || kind === "ClusterRole") yield* this.#roleRules();
    if (kind === "CustomResourceDefinition") yield* this.#storedVersions();
  }

  *#ownVersion(): Generator<Advice> {
    const apiVersion = textOf(this.#object.apiVersion), own = this.#lifecycles.ofKind(apiVersion, this.#kind), { place, fix } = this.#found;
    if (own === undefined) return;
    if (this.#found.isStored !== true) {
      yield this.#adviceAt(["apiVersion"], own, { rule: "object-version", text: `is ${apiVersion}`, fix: fix ?? fixOf(own, place) });
    } else if (!isStoredByAll(own)) {
      yield this.#adviceAt(["apiVersion"], own, { rule: "stored-object", text: `is stored as ${apiVersion}`, fix: migrationOf(own) });
    }
  }

  /** One advice for each manager that wrote fields in a version that ends. */
  *#fieldManagers(): Generator<Advice> {
    const managers = new Map<string, Advice>();
    for (const entry of objectsOf(this.#metadata.managedFields)) {
      const version = textOf(entry.apiVersion), lifecycle = this.#lifecycles.ofKind(version, this.#kind);
      if (lifecycle === undefined) continue;
      const manager = textOf(entry.manager), time = textOf(entry.time), who = `${manager}${time === "" ? "" : ` at ${time}`}`;
      const text = `was written by ${who} as ${version}`, fix = `make ${manager} write ${lifecycle.replacement}`;
      managers.set(manager, this.#adviceAt(["metadata", "managedFields"], lifecycle, { rule: "field-manager", text, fix, who }));
    }
    yield* managers.values();
  }

  *#lastApplied(): Generator<Advice> {
    const applied = parseObject(textOf(objectOf(this.#metadata.annotations)[lastApplied]));
    const lifecycle = this.#lifecycles.ofKind(textOf(applied.apiVersion), this.#kind);
    if (lifecycle === undefined) return;
    yield this.#adviceAt(["metadata", "annotations", lastApplied], lifecycle, {
      rule: "last-applied",
      text: `was applied as ${lifecycle.groupVersion}`,
      fix: `apply its file as ${lifecycle.replacement}`,
      who: "kubectl apply",
    });
  }

  *#references(): Generator<Advice> {
    const { place, fix: fixOfPlace } = this.#found;
    for (const path of referencePaths(this.#object)) {
      const reference = objectOf(valueAt(this.#object, path));
      const lifecycle = this.#lifecycles.ofKind(textOf(reference.apiVersion), textOf(reference.kind));
      if (lifecycle === undefined) continue;
      const text = `names ${lifecycle.kind} ${textOf(reference.name)} as ${lifecycle.groupVersion}`;
      const isConverted = this.#kind === "HorizontalPodAutoscaler" && path[1] === "scaleTargetRef" && place.file !== undefined;
      const fix = fixOfPlace ?? (isConverted ? fixOf(lifecycle, place) : `write apiVersion: ${lifecycle.replacement}`);
      yield this.#adviceAt([...path, "apiVersion"], lifecycle, { rule: "reference", text, fix });
    }
  }

  *#webhookRules(): Generator<Advice> {
    for (const [index, webhook] of objectsOf(this.#object.webhooks).entries()) {
      for (const [at, rule] of objectsOf(webhook.rules).entries()) {
        for (const lifecycle of this.#lifecycles.all()) {
          if (!isForOldOnly(rule, lifecycle)) continue;
          const text = `has a rule for ${lifecycle.resource} in ${lifecycle.groupVersion}`,
            fix = `name ${lifecycle.replacement} in the rule`;
          const path = ["webhooks", index, "rules", at];
          yield { ...this.#adviceAt(path, lifecycle, { rule: "webhook-rule", text, fix }), level: "warning" };
        }
      }
    }
  }

  /**
   * Rules for a group that no longer has the resource: they give no right. A role that has the right for the new group, too, is for servers of
   * several releases.
   */
  *#roleRules(): Generator<Advice> {
    if (Object.hasOwn(objectOf(this.#metadata.labels), bootstrapping)) return;
    const rules = objectsOf(this.#object.rules).map(({ apiGroups, resources }) => ({
      groups: textsOf(apiGroups),
      resources: new Set(textsOf(resources).map((each) => each.split("/", 1)[0]!)),
    }));
    const grants = (group: string, resource: string) =>
      rules.some(({ groups, resources }) =>
        (groups.includes(group) || groups.includes("*")) && (resources.has(resource) || resources.has("*"))
      );
    const seen = new Set<string>();
    for (const [index, { groups, resources }] of rules.entries()) {
      for (const lifecycle of this.#lifecycles.all()) {
        const { resource, isConverted } = lifecycle, { group } = splitGroupVersion(lifecycle.groupVersion);
        const next = isConverted ? splitGroupVersion(lifecycle.replacement).group : undefined, key = `${index} ${group} ${resource}`;
        if (group === next || !groups.includes(group) || !resources.has(resource) || seen.has(key)) continue;
        seen.add(key);
        if (next !== undefined && grants(next, resource)) continue;
        const text = `has rights on ${resource} of the group ${group}`;
        const fix = next === undefined ? `remove ${resource} from the rule` : `add the group ${next} to the rule`;
        yield { ...this.#adviceAt(["rules", index], lifecycle, { rule: "role-rule", text, fix }), level: "warning" };
      }
    }
  }

  /** Versions in which a definition has stored objects, and that it no longer serves. */
  *#storedVersions(): Generator<Advice> {
    const spec = objectOf(this.#object.spec), versions = objectsOf(spec.versions);
    // The first definitions of v1beta1 have one version, in another field.
    const served = versions.length === 0 ? [spec.version] : versions.flatMap((each) => each.served === true ? [each.name] : []);
    for (const version of textsOf(objectOf(this.#object.status).storedVersions).filter((each) => !served.includes(each))) {
      yield {
        rule: "stored-version",
        level: "warning",
        place: this.#placeOf(["status", "storedVersions"]),
        subject: subjectOf(this.#object),
        field: "status.storedVersions",
        text: `has stored objects in ${version}, which it does not serve`,
        fix: `migrate its objects (StorageVersionMigration), then remove ${version} from status.storedVersions`,
      };
    }
  }

  /** The advice to leave the version of `lifecycle`, which the object uses at `path`. */
  #adviceAt(
    path: Path,
    lifecycle: Lifecycle,
    { rule, text, fix, who }: { readonly rule: RuleName; readonly text: string; readonly fix: string; readonly who?: string },
  ): Advice {
    return {
      rule,
      level: hasEnded(lifecycle, this.#target) ? "error" : "warning",
      place: this.#placeOf(path),
      subject: subjectOf(this.#object),
      field: fieldOf(path),
      groupVersion: lifecycle.groupVersion,
      ...(lifecycle.removed === undefined ? {} : { removed: lifecycle.removed }),
      ...(who === undefined ? {} : { who }),
      text: `${text}, ${endOf(lifecycle)}`,
      fix,
    };
  }

  #placeOf(path: Path): Place {
    const { place } = this.#found;
    // A text that is in no file, such as that of a release, has no lines that a reader could find.
    const line = place.line === undefined ? undefined : this.#found.lineOf?.(path);
    return line === undefined ? place : { ...place, line };
  }
}

/** Servers write the default roles themselves. */
const bootstrapping = "kubernetes.io/bootstrapping";

/** Whether the rule of a webhook names this version, and not the one that replaces it. */
function isForOldOnly(rule: JsonObject, { groupVersion, replacement, resource }: Lifecycle): boolean {
  const groups = textsOf(rule.apiGroups), versions = textsOf(rule.apiVersions);
  const resources = new Set(textsOf(rule.resources).map((each) => each.split("/", 1)[0]!));
  const { group, version } = splitGroupVersion(groupVersion), next = splitGroupVersion(replacement);
  const isNamed = groups.includes(group) && versions.includes(version) && (resources.has(resource) || resources.has("*"));
  return isNamed && !(groups.includes(next.group) && versions.includes(next.version));
}

/** Returns the places of references with a version. */
function referencePaths(object: JsonObject): readonly Path[] {
  const owners = objectsOf(objectOf(object.metadata).ownerReferences).map((_, index) => ["metadata", "ownerReferences", index]);
  return [["spec", "scaleTargetRef"], ["spec", "targetRef"], ...owners];
}

/** Yields the advice for requests of a version. */
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

/** Returns the remedy for a stored object in an old version. A server writes each object in the version that it stores now. */
function migrationOf({ resource, replacement, isVersion }: Lifecycle): string {
  if (!isVersion) return `delete it before the upgrade, and use ${replacement}`;
  const { group } = splitGroupVersion(replacement), name = group === "" ? resource : `${resource}.${group}`;
  return `before the upgrade, on a release that stores ${replacement}, write the objects again: kubectl get ${name} -A -o json | kubectl replace -f -, or a StorageVersionMigration`;
}

function subjectOf(object: JsonObject): string {
  const metadata = objectOf(object.metadata), name = textOf(metadata.name), namespace = textOf(metadata.namespace);
  return [textOf(object.kind), name, ...(namespace === "" ? [] : ["in", namespace])].filter((word) => word !== "").join(" ");
}

function fieldOf(path: Path): string {
  return path.map((step, index) => typeof step === "number" ? `[${step}]` : index === 0 ? step : `.${step}`).join("");
}

function valueAt(value: Json | undefined, path: Path): Json | undefined {
  return path.reduce<Json | undefined>((at, step) => {
    if (Array.isArray(at)) return typeof step === "number" ? at[step] : undefined;
    return isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  }, value);
}

const textOf = (value: unknown): string => typeof value === "string" ? value : "";
const objectOf = (value: unknown): JsonObject => isObject(value) ? value : {};
const objectsOf = (value: unknown): readonly JsonObject[] => Array.isArray(value) ? value.filter(isObject) : [];
const textsOf = (value: unknown): readonly string[] => Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];

function parseObject(text: string): JsonObject {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return {};
  }
}
