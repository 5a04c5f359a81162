/**
 * `definePlugin(...)` checks a definition, reports all mistakes in one error, and freezes a correct definition. It is the only check of
 * definitions.
 */
import { lineNames, metricMistakes } from "../../metrics/mod.ts";
import { append } from "../append.ts";
import { gateMistakes } from "./gates.ts";
import { elementMistakes } from "./released.ts";
import { groupVersionMistakes, repetitionsIn, resourceMistakes } from "./resource.ts";
import { pluralOf } from "./plural.ts";
import { rememberCorrect } from "./schema.ts";
import { settingMistakes } from "./setting.ts";
import { dns1035Label, dns1123Subdomain, qualifiedName } from "../meta/names.ts";
import { fieldErrorText } from "../field-error.ts";
import { validateFieldManager } from "../meta/field-manager.ts";
import type { Plugin, Resource, Served } from "../plugin.ts";
import type { StructNode, Typed } from "../schema.ts";
import type { PluginSetting, SettingKind } from "../setting.ts";
import type { ApiObject } from "../meta/object-meta.ts";
import type { GroupVersion } from "../versions.ts";
import { valueText } from "../value-text.ts";

export { pluralOf };

/** Thrown for an invalid definition. Its message lists all `mistakes`. */
export class DefinitionError extends Error {
  /** All mistakes in the order of the definition, each a sentence without a full stop. */
  readonly mistakes: readonly string[];
  /** `what` is the part with the mistakes, such as `resource "Widget"`. */
  constructor(what: string, mistakes: readonly string[]) {
    super(`Cannot define ${what}:\n${mistakes.map((each) => `  ${each}`).join("\n")}`);
    this.name = "DefinitionError";
    this.mistakes = mistakes;
  }
}

/** The type of the objects that a schema describes; any where the compiler does not know it. */
export type DefinedObject<T> = unknown extends T ? any : T extends ApiObject ? T : never;

/** A served version whose objects are of type `Own`, of a resource whose stored objects are of type `T`. */
export type DefinedVersion<T extends ApiObject, Own extends ApiObject> =
  & Omit<Served<T>, "schema" | "columns" | "rowConditions" | "selectableFields" | "toStored">
  & Pick<Served<Own>, "columns" | "rowConditions" | "selectableFields">
  & { readonly toStored?: (served: Own) => T };
/** The served versions of a resource. `M` has the types of their objects by their names, `V` is the stored version. */
export type DefinedVersions<M, V extends keyof M> = {
  readonly [K in keyof M]:
    & { readonly schema: Typed<M[K], StructNode> }
    & NoInfer<DefinedVersion<DefinedObject<M[V]>, DefinedObject<M[K]>>>;
};

/** A served version of a resource whose stored objects are of type `T`. A version that is not converted has objects of that type. */
export type ServedAs<T> = 0 extends 1 & T ? unknown
  :
    | { readonly schema: Typed<T, StructNode>; readonly toStored?: undefined; readonly fromStored?: undefined }
    | { readonly schema: Typed<unknown, StructNode>; readonly toStored: (served: any) => T }
    | { readonly schema: Typed<unknown, StructNode>; readonly fromStored: (stored: T) => any };

/**
 * Checks and freezes a resource and returns it. `definePlugin` checks its feature gates. Throws `DefinitionError`.
 *
 * The type of its objects is the one that the schema of `storedAs` describes. A `storedAs` that is not a key of `served` is a type error. With a type
 * argument, `defineResource<Ship>({ ... })`, a schema of other objects is a type error, unless its version has `toStored` or `fromStored`.
 */
export function defineResource<T extends ApiObject = never>(
  resource: [T] extends [never] ? never : Resource<NoInfer<T>> & { readonly served: Readonly<Record<GroupVersion, ServedAs<NoInfer<T>>>> },
): Resource<T>;
/** Does the same, with the type of the objects inferred. `M` has the type of each served version; `V` is the stored version. */
export function defineResource<M extends Readonly<Record<GroupVersion, unknown>>, V extends keyof M & GroupVersion>(
  resource: NoInfer<Omit<Resource<DefinedObject<M[V]>>, "storedAs" | "served">> & {
    readonly storedAs: V;
    readonly served: DefinedVersions<M, V>;
  },
): Resource<DefinedObject<M[V]>>;
export function defineResource(resource: Resource): Resource {
  const mistakes = resourceMistakes(resource, undefined);
  if (mistakes.length > 0) throw new DefinitionError(`resource "${resource.kind}"`, mistakes);
  deepFreeze(resource);
  for (const { schema } of Object.values(resource.served)) rememberCorrect(schema);
  return resource;
}

/** Checks and freezes a setting of a plugin and returns it. The type of `default` is that of the kind. Throws `DefinitionError`. */
export function defineSetting<K extends SettingKind>(setting: PluginSetting<K>): PluginSetting<K> {
  const mistakes = settingMistakes(setting);
  if (mistakes.length > 0) throw new DefinitionError(`setting "${setting.name}"`, mistakes);
  return deepFreeze(setting);
}

/** Checks and freezes a plugin and returns it. Throws `DefinitionError`. */
export function definePlugin(plugin: Plugin): Plugin {
  const mistakes = pluginMistakes(plugin);
  if (mistakes.length > 0) throw new DefinitionError(`plugin "${plugin.name}"`, mistakes);
  return deepFreeze(plugin);
}

/** The parts of the server's own audit, by the names that the label of lost events has. */
const partsOfAudit: readonly string[] = ["buffered", "log", "truncate", "webhook"];

function pluginMistakes(plugin: Plugin): readonly string[] {
  const { name, summary, metrics = [], settings = [], featureGates = {} } = plugin;
  const gates = new Set(Object.keys(featureGates));
  return [
    ...(dns1035Label(name).length > 0 ? [`"${name}" is not a name of lower-case letters, digits and dashes`] : []),
    ...(summary.trim() === "" ? ["the summary is empty"] : []),
    ...Object.entries(featureGates).flatMap(([gate, ladder]) => gateMistakes(gate, ladder)),
    ...Object.keys(plugin.gateDependencies ?? {}).filter((gate) => !gates.has(gate)).map((gate) =>
      `feature gate "${gate}" has dependencies but is not declared by the plugin`
    ),
    ...apiMistakes(plugin, gates),
    ...accessMistakes(plugin),
    ...backgroundMistakes(plugin, gates),
    ...twice("settings are", settings.map((setting) => setting.name)),
    ...settings.flatMap((setting) => settingMistakes(setting).map((each) => `setting "${setting.name}": ${each}`)),
    ...twice("metrics have lines", metrics.flatMap(lineNames)),
    ...metrics.flatMap((metric) => metricMistakes(metric).map((each) => `metric "${metric.name}": ${each}`)),
    ...bootstrapObjectMistakes(plugin),
  ];
}

/** Returns the mistakes of names that two parts of a kind have. */
function twice(parts: string, names: readonly string[]): readonly string[] {
  return repetitionsIn(names).map((each) => `two ${parts} named "${each}"`);
}

/** Returns the mistakes of the resources, and of the steps of their admission. */
function apiMistakes(
  { resources = [], admission = [], groupPriorities = {}, released }: Plugin,
  gates: ReadonlySet<string>,
): readonly string[] {
  return [
    ...Object.entries(groupPriorities).filter(([, priority]) => !Number.isInteger(priority) || priority < 0).map(([group, priority]) =>
      `group "${group}" has the priority ${priority}`
    ),
    ...resources.flatMap((resource) => resourceMistakes(resource, gates)),
    ...(released === undefined ? [] : elementMistakes(resources, released)),
    ...repetitionsIn(resources.flatMap(endpointsOf)).map((each) => `${each} is defined twice`),
    ...repetitionsIn(resources.flatMap(({ storedUnder }) => storedUnder ?? [])).map((each) => `two resources are stored under "${each}"`),
    ...twice("admission steps are", admission.map(({ name }) => name)),
  ];
}

/** Returns the mistakes of authenticators, audit backends and authorizers. */
function accessMistakes({ authenticators = [], auditBackends = [], authorizers = [] }: Plugin): readonly string[] {
  return [
    ...twice("authenticators are", authenticators.map(({ name }) => name)),
    // Reasons in logs and audit events begin with these names.
    ...authenticators.filter(({ name }) => dns1035Label(name).length > 0).map(({ name }) =>
      `authenticator "${name}": its name must have lower-case letters, digits and dashes`
    ),
    ...twice("audit backends are", auditBackends.map(({ name }) => name)),
    // These names are labels of metrics, like those of the server's own backends.
    ...auditBackends.filter(({ name }) => dns1035Label(name).length > 0 || partsOfAudit.includes(name)).map(({ name }) =>
      `audit backend "${name}": its name must have lower-case letters, digits and dashes, and not be one of ${partsOfAudit.join(", ")}`
    ),
    ...twice("authorizers are", authorizers.map(({ name }) => name)),
    // --authorization-mode separates names by commas. The excluded names are modes of the server itself.
    ...authorizers.filter(({ name }) => !/^[A-Z][A-Za-z0-9]*$/.test(name) || ["AlwaysAllow", "AlwaysDeny", "Webhook"].includes(name)).map(
      ({ name }) => `authorizer "${name}": its name must be an upper camel case word that is no mode of the server`,
    ),
  ];
}

/** Returns the mistakes of controllers, health checks and start hooks. */
function backgroundMistakes(
  { controllers = [], healthChecks = [], startHooks = [] }: Plugin,
  gates: ReadonlySet<string>,
): readonly string[] {
  return [
    ...twice("controllers are", controllers.map(({ name }) => name)),
    // The name of a controller is the reporting controller of its events.
    ...controllers.filter(({ name }) => qualifiedName(name).length > 0).map(({ name }) =>
      `controller "${name}": its name must be a qualified name`
    ),
    ...controllers.flatMap(({ name, serviceAccount, permissions }) => accountMistakes(name, serviceAccount, permissions !== undefined)),
    ...controllers.flatMap(({ name, gate, needs = [] }) => [
      ...(gate === undefined || gates.has(gate) ? [] : [`controller "${name}": the plugin has no feature gate "${gate}"`]),
      ...needs.flatMap(({ groupVersions }) => groupVersions.flatMap(groupVersionMistakes)).map((each) => `controller "${name}": ${each}`),
    ]),
    ...twice("health checks are", healthChecks.map(({ name }) => name)),
    ...twice("start hooks are", startHooks.map(({ name }) => name)),
    // The names are also paths: /readyz/<name>.
    ...[...healthChecks, ...startHooks].filter(({ name }) => !/^[A-Za-z0-9][-._A-Za-z0-9/]*$/.test(name)).map(({ name }) =>
      `"${name}" is not a valid name of a health check or start hook: it must contain only letters, digits, dashes, dots, underscores and slashes`
    ),
    ...[...controllers, ...startHooks].flatMap(({ name, fieldManager = name }) => managerMistakes(name, fieldManager)),
  ];
}

/** Returns `plural in group/version` for each served version of the resource. */
function endpointsOf(resource: Resource): readonly string[] {
  return Object.keys(resource.served).map((groupVersion) => `${resource.plural ?? pluralOf(resource.kind)} in ${groupVersion}`);
}

/** Returns the mistakes of the service account of a controller. */
function accountMistakes(name: string, account: string | undefined, hasPermissions: boolean): readonly string[] {
  if (account === undefined) return hasPermissions ? [`controller "${name}": permissions need a serviceAccount`] : [];
  return dns1123Subdomain(account).map((wrong) => `controller "${name}": serviceAccount ${valueText(account)}: ${wrong}`);
}

/** Returns the mistakes of the field manager of a controller or start hook. */
function managerMistakes(name: string, fieldManager: string): readonly string[] {
  if (fieldManager === "") return [`"${name}" has an empty field manager`];
  return validateFieldManager(fieldManager, `field manager of "${name}"`).map(fieldErrorText);
}

function bootstrapObjectMistakes({ resources = [], bootstrapObjects = [] }: Plugin): readonly string[] {
  return bootstrapObjects.flatMap(({ groupVersion, resource: plural, namespace }) => {
    const writing = groupVersionMistakes(groupVersion);
    if (writing.length > 0) return writing;
    const resource = resources.find((each) => (each.plural ?? pluralOf(each.kind)) === plural && Object.hasOwn(each.served, groupVersion));
    if (resource === undefined) return [`a bootstrap object is of ${plural} in ${groupVersion}, which the plugin does not define`];
    const namespaced = resource.scope === "Namespaced";
    return namespaced === (namespace !== undefined)
      ? []
      : [`a bootstrap object of ${plural} ${namespaced ? "must" : "must not"} have a namespace`];
  });
}

/** Objects that are already frozen, with everything that they contain. */
const frozen = new WeakSet<object>();

/** Freezes plain data recursively, except functions. In the package it defines what the built-in plugins define (`scripts/bundle.mjs`). */
export function deepFreeze<V>(value: V): V {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const at = waiting.pop();
    if (typeof at !== "object" || at === null || frozen.has(at)) continue;
    frozen.add(at);
    Object.freeze(at);
    append(waiting, Object.values(at));
  }
  return value;
}
